import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { refusalCodes } from "../../src/awareness/refusals.js";
import { type ClientOptions, createClient, documents, errorCodes, HeadsupError } from "../../src/client/index.js";
import { startScriptedServer } from "./scriptedServer.js";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function clientOf(
  http: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
) {
  const server = await startScriptedServer({ http });
  ends.push(server.stop);
  return createClient({ url: server.url, ...options });
}

const answering = (status: number, body: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status).end(body);
const refusing = (status: number, error: object) => answering(status, JSON.stringify({ errors: [error] }));
const reset = { sessionKey: "agent:a:main" };

describe("errors of a call", () => {
  test("the client knows every code of the service, and NETWORK", () => {
    expect([...errorCodes]).toEqual([...refusalCodes, "NETWORK"]);
  });

  test("a refusal keeps its code, field and message", async () => {
    const extensions = { code: "BAD_USER_INPUT", field: "sessionKey" };
    const client = await clientOf(refusing(200, { message: "must be NFC", extensions }));
    const error = await client.resetSession(reset).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HeadsupError);
    expect(error).toMatchObject({ ...extensions, message: "must be NFC", retryable: false });
  });

  test.each([
    [503, "<html>", "SERVICE_UNAVAILABLE", true],
    [502, "", "SERVICE_UNAVAILABLE", true],
    [401, "", "UNAUTHENTICATED", false],
    [403, "no", "FORBIDDEN", false],
    [429, "slow down", "RATE_LIMITED", true],
    [413, "", "LIMIT_EXCEEDED", false],
    [404, "<html>", "NETWORK", true],
    [200, "<html>", "NETWORK", true],
    [200, "null", "NETWORK", true],
    [200, '{"data":null}', "NETWORK", true],
    [500, '{"errors":[]}', "INTERNAL_SERVER_ERROR", false],
    [400, '{"errors":[{"message":"syntax"}]}', "BAD_USER_INPUT", false],
    [200, '{"errors":[{"extensions":{"code":"NEW"}}]}', "INTERNAL_SERVER_ERROR", false],
    [200, '{"errors":[null],"data":{}}', "INTERNAL_SERVER_ERROR", false],
  ])("HTTP %i with %s is %s", async (status, body, code, retryable) => {
    const client = await clientOf(answering(status, body));
    await expect(client.resetSession(reset)).rejects.toMatchObject({ name: "HeadsupError", code, retryable });
  });

  test("a server that is not there is NETWORK, with the reason in the message", async () => {
    const client = createClient({ url: "http://127.0.0.1:1/graphql" });
    const failure = client.append({ sessionKey: "agent:a:main", kind: "COMPACTED", actor: { type: "SYSTEM" } });
    await expect(failure).rejects.toMatchObject({ code: "NETWORK", retryable: true });
    await expect(failure).rejects.toThrow(/could not be reached: .+/);
  });

  test("an answer cut off in the middle is NETWORK", async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(200, { "content-length": 1_000 });
      response.write('{"data":', () => response.destroy());
    });
    await expect(client.resetSession(reset)).rejects.toMatchObject({ code: "NETWORK" });
  });

  test("an address that is none is refused when the client is made", () => {
    expect(() => createClient({ url: "localhost/graphql" })).toThrow(HeadsupError);
  });
});

test("a refusal for now says when to come back", async () => {
  const errors = [{ message: "too fast", extensions: { code: "RATE_LIMITED", retryAfterMs: 1_500 } }];
  const client = await clientOf((_request, response) => response.end(JSON.stringify({ errors })));
  await expect(client.resetSession(reset)).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfterMs: 1_500 });
});

describe("ending a call early", () => {
  const silent = () => {};

  test("a timeout is NETWORK, of the client or of the call", async () => {
    const client = await clientOf(silent, { timeoutMs: 20 });
    await expect(client.resetSession(reset)).rejects.toMatchObject({ code: "NETWORK", message: /within 20 ms/ });
    await expect(client.resetSession(reset, { timeoutMs: 10 })).rejects.toThrow("within 10 ms");
  });

  test("an abort rejects with the signal's own reason, before and during the call", async () => {
    const stop = new AbortController();
    const client = await clientOf(() => stop.abort(new Error("turn over")));
    await expect(client.resetSession(reset, { signal: stop.signal })).rejects.toThrow("turn over");
    await expect(client.resetSession(reset, { signal: stop.signal })).rejects.toThrow("turn over");
  });

  test("a token function that never answers does not hold the caller", async () => {
    const client = await clientOf(silent, { token: () => new Promise(() => {}) });
    await expect(client.resetSession(reset, { timeoutMs: 20 })).rejects.toMatchObject({ code: "NETWORK" });
  });
});

describe("what is sent", () => {
  const echo = (request: IncomingMessage, response: ServerResponse) =>
    response.end(JSON.stringify({ data: { resetSession: { authorization: request.headers.authorization ?? null } } }));

  test("no token, a token, and a function that is asked each time", async () => {
    let asked = 0;
    const tokens = [undefined, "secret", () => `t${++asked}`, async () => undefined];
    const answers = [];
    for (const token of tokens) {
      const client = await clientOf(echo, { token });
      await client.resetSession(reset);
      answers.push(await client.resetSession(reset));
    }
    expect(answers).toEqual([null, "Bearer secret", "Bearer t2", null].map((authorization) => ({ authorization })));
  });

  test("the given fetch is used, and any typed document can be sent", async () => {
    const seen: unknown[] = [];
    const client = createClient({
      url: "http://nowhere.invalid/graphql",
      fetch: async (url, init) => {
        seen.push(url, JSON.parse(String(init?.body)).variables);
        return new Response('{"data":{"unwatch":{"removed":true}}}');
      },
    });
    const input = { watcherSessionKey: "agent:a:main", targetSessionKey: "agent:b:main" };
    expect(await client.request(documents.UnwatchDocument, { input })).toEqual({ unwatch: { removed: true } });
    expect(seen).toEqual(["http://nowhere.invalid/graphql", { input }]);
  });

  test("nothing of graphql is loaded at run time", async () => {
    const generated = await readFile(new URL("../../src/client/generated/graphql.ts", import.meta.url), "utf8");
    expect(generated.match(/^import .*$/gm)).toEqual(['import type { TypedDocument } from "../typedDocument.js";']);
  });
});
