import { connect, createServer, type Socket } from "node:net";

/** A stretch of network between a process and PostgreSQL. */
export type BlackHole = {
  /** `url` by way of this stretch. */
  through(url: string): string;
  /** From now on nothing passes and nothing is closed: packets are lost, as behind a router that forgot the way. */
  swallow(): void;
  /** New connections pass; those from before stay lost for ever. */
  passNew(): void;
  /** Everything passes, also what was held back: the network was only slow. */
  pass(): void;
  stop(): Promise<void>;
};

type Way = { near: Socket; far: Socket; open: boolean };

export async function startBlackHole(port: number): Promise<BlackHole> {
  const ways = new Set<Way>();
  let open = true;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const way = { near, far, open };
    ways.add(way);
    if (!open) hold(way);
    join(way, near, far);
    join(way, far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");

  function join(way: Way, from: Socket, to: Socket): void {
    from.on("data", (chunk) => to.write(chunk));
    // Of a lost way neither side hears that the other has gone.
    from.on("error", () => way.open && to.destroy());
    from.on("close", () => way.open && to.end());
  }

  return {
    through: (url) => url.replace(/:\d+\//, `:${address.port}/`),
    swallow() {
      open = false;
      for (const way of ways) hold(way);
    },
    passNew() {
      open = true;
    },
    pass() {
      open = true;
      for (const way of ways) release(way);
    },
    async stop() {
      for (const { near, far } of ways) {
        near.destroy();
        far.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hold(way: Way): void {
  way.open = false;
  way.near.pause();
  way.far.pause();
}

function release(way: Way): void {
  way.open = true;
  way.near.resume();
  way.far.resume();
}
