/** What the client needs of a WebSocket class: the browser's, Node's own (from 22 on) or that of `ws`. */
export type WebSocketImpl = {
  new (url: string, protocols?: string | string[]): object;
  readonly CONNECTING: number;
  readonly OPEN: number;
  readonly CLOSING: number;
  readonly CLOSED: number;
};

/** The given class, else the platform's, else `ws`, which is loaded only then: browsers never fetch it. */
export async function chooseWebSocket(given: WebSocketImpl | undefined): Promise<WebSocketImpl> {
  // Node 20 has no global WebSocket although its types know one.
  const platform: WebSocketImpl | undefined = globalThis.WebSocket;
  return given ?? platform ?? loadWs();
}

async function loadWs(): Promise<WebSocketImpl> {
  const { WebSocket } = await import("ws");
  return class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { perMessageDeflate: false });
      // graphql-ws takes its handlers off a socket it gives up while connecting. The "error" that follows would
      // then have no listener, and an "error" without one ends the process.
      this.on("error", () => {});
    }
  };
}

/** The WebSocket address of a GraphQL address; in a browser the latter may be relative to the page. */
export function webSocketUrl(url: string): string {
  // `location` exists in browsers only, and the types here are those of Node.
  const { location } = globalThis as { location?: { href: string } };
  const address = new URL(url, location?.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address.href;
}
