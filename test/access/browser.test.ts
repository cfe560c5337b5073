import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, howToGetIt, launch, openBrowser, type Person } from "../console/browser.js";
import { type GuardedService, startGuarded } from "./support.js";

if (browserPath === undefined) console.warn(howToGetIt);

/** What a real browser sends along, and what it lets a page see. */
describe.skipIf(browserPath === undefined)("a person who is logged in", () => {
  let service: GuardedService;
  let browser: Browser;
  let person: Person;
  /** A page on another port of the same machine: to a browser, the same site. */
  let neighbour: Server;
  let neighbourUrl: string;

  beforeAll(async () => {
    service = await startGuarded();
    browser = await launch();
    person = await openBrowser(browser);
    neighbour = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>neighbour</title><iframe name=target></iframe>");
    });
    neighbour.listen(0, "127.0.0.1");
    await once(neighbour, "listening");
    neighbourUrl = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`;
    const { code } = await service.awareness.tokens.createLogin({ scopes: ["admin"], agents: null });
    await person.page.goto(`${service.origin}/login?code=${code}`);
  }, 60_000);
  afterAll(async () => {
    await person?.leave();
    await browser?.close();
    neighbour?.close();
    await service?.stop();
  });

  const write = {
    query: 'mutation { registerSession(input: { sessionKey: "agent:forged:x" }) { session { agentId } } }',
  };
  const forged = async () =>
    (await service.admin.gql('{ sessionsList(agentId: "forged") { nodes { sessionKey } } }')).data.sessionsList.nodes;

  /** Runs in the page: posts an operation, with whatever the browser adds. */
  const post = (url: string, contentType: string, body: string) =>
    person.page.evaluate(
      async ([to = "", type = "", text = ""]) => {
        try {
          const init = {
            method: "POST",
            headers: { "content-type": type },
            body: text,
            credentials: "include",
          } as const;
          const response = await fetch(to, init);
          return `${response.status} ${await response.text()}`;
        } catch {
          return "blocked";
        }
      },
      [url, contentType, body],
    );

  /** Runs in the page: opens a WebSocket and says hello; what came back, or the code it was closed with. */
  const hello = (url: string) =>
    person.page.evaluate(
      (to) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(to, "graphql-transport-ws");
          socket.onopen = () => socket.send('{"type":"connection_init"}');
          socket.onmessage = ({ data }) => resolve(String(data));
          socket.onclose = ({ code }) => resolve(String(code));
        }),
      url,
    );

  test("uses GraphiQL, its queries and its WebSocket, by the cookie", async () => {
    await person.page.goto(service.url);
    expect(await person.page.title()).toContain("headsup");
    expect(await post(service.url, "application/json", '{"query":"{ __typename }"}')).toBe(
      '200 {"data":{"__typename":"Query"}}',
    );
    expect(await hello(service.wsUrl)).toContain("connection_ack");
  });

  test("has a cookie that no script reads", async () => {
    await person.page.goto(service.url);
    expect(await person.page.evaluate("document.cookie")).toBe("");
  });

  test("is of no use to a page on another port of the machine, nor under another name of it", async () => {
    for (const page of [neighbourUrl, neighbourUrl.replace("127.0.0.1", "localhost")]) {
      await person.page.goto(page);
      for (const type of ["application/json", "text/plain"]) {
        expect(await post(service.url, type, JSON.stringify(write))).toBe("blocked");
      }
      expect(await hello(service.wsUrl)).toBe("1006");
    }
    expect(await forged()).toEqual([]);
  });

  test("is of no use to a form there, whatever it claims to be", async () => {
    await person.page.goto(neighbourUrl);
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const answered = person.page.waitForResponse((response) => response.url().startsWith(service.url));
      await person.page.evaluate(
        ([action = "", type = "", text = ""]) => {
          const form = document.createElement("form");
          Object.assign(form, { method: "post", action, enctype: type, target: "target" });
          const field = document.createElement("input");
          Object.assign(field, { name: text.replace(/}$/, ',"x":"'), value: '"}' });
          form.append(field);
          document.body.append(form);
          form.submit();
        },
        [service.url, enctype, JSON.stringify(write)],
      );
      expect((await answered).status()).toBe(403);
    }
    expect(await forged()).toEqual([]);
  });
});
