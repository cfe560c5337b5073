import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newSecret } from "../../src/awareness/tokenText.js";
import { codesOf, exchange, type GuardedService, startGuarded } from "./support.js";

let service: GuardedService;
beforeAll(async () => {
  service = await startGuarded({ env: { HEADSUP_ALLOWED_HOSTS: "headsup.example.com" } });
});
afterAll(() => service.stop());

const admin = { scopes: ["admin"], agents: null } as const;
const newLink = async () => `${service.origin}/login?code=${(await service.awareness.tokens.createLogin(admin)).code}`;
const cookieOf = async (headers: Record<string, string> = {}) =>
  (await exchange(await newLink(), { headers })).headers["set-cookie"]?.[0] ?? "";

describe("a login link", () => {
  test("sets a cookie of its own and leads to the start page, once", async () => {
    const link = await newLink();
    const first = await exchange(link, {});
    expect([first.status, first.headers.location]).toEqual([303, "/"]);
    expect(first.headers["set-cookie"]).toHaveLength(1);
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(first.headers["referrer-policy"]).toBe("no-referrer");
    const second = await exchange(link, {});
    expect([second.status, second.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(second.body).toContain("headsup login");
  });

  test.each(["/login", "/login?code=", "/login?token=x"])("%s has no code, and its page says so", async (path) => {
    const answer = await exchange(service.origin + path, {});
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(answer.body).toContain("has no code");
  });

  test("sets a cookie that no script reads and no other site sends along", async () => {
    const [pair, ...attributes] = (await cookieOf()).split("; ");
    expect(pair).toMatch(new RegExp(`^headsup_session_${new URL(service.url).port}=hup_\\w{49}$`));
    expect(attributes).toEqual(["Path=/", "HttpOnly", "SameSite=Strict", expect.stringMatching(/^Expires=/)]);
  });

  test("names its cookie by the port of the address that the browser uses, which all processes behind it share", async () => {
    const named = await startGuarded({
      env: { HEADSUP_ALLOWED_HOSTS: "headsup.example.com:8080,headsup.example.com" },
    });
    const nameAt = async (host: string) => {
      const { code } = await named.awareness.tokens.createLogin(admin);
      const answer = await exchange(`${named.origin}/login?code=${code}`, { headers: { host } });
      return answer.headers["set-cookie"]?.[0]?.split("=", 1)[0];
    };
    expect(await nameAt("headsup.example.com:8080")).toBe("headsup_session_8080");
    expect(await nameAt("headsup.example.com")).toBe("headsup_session_0");
    await named.stop();
  });

  test("sets a Secure cookie behind TLS", async () => {
    expect(await cookieOf({ host: "headsup.example.com", "x-forwarded-proto": "https" })).toMatch(/; Secure$/);
    const tls = await startGuarded({
      env: { HEADSUP_ALLOWED_HOSTS: "headsup.example.com", HEADSUP_ALLOWED_ORIGINS: "https://headsup.example.com" },
    });
    const { code } = await tls.awareness.tokens.createLogin(admin);
    const answer = await exchange(`${tls.origin}/login?code=${code}`, { headers: { host: "headsup.example.com" } });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
    await tls.stop();
  });

  test.each<[string, Record<string, string>]>([
    ["prefetches", { "sec-purpose": "prefetch" }],
    ["prerenders", { "sec-purpose": "prefetch;prerender" }],
    ["prefetches, an older one", { purpose: "prefetch" }],
    ["shows a preview", { "x-moz": "preview" }],
  ])("is not used up by a browser that only %s", async (_what, headers) => {
    const link = await newLink();
    const ahead = await exchange(link, { headers });
    expect([ahead.status, ahead.headers["set-cookie"]]).toEqual([503, undefined]);
    expect((await exchange(link, {})).status).toBe(303);
  });

  test.each(["HEAD", "POST", "PUT"])("is not used up by %s", async (method) => {
    const link = await newLink();
    expect((await exchange(link, { method })).status).toBe(405);
    expect((await exchange(link, {})).status).toBe(303);
  });

  test.each(["", "?code=", "?code=x", "?code=%00", "?code=hup_", "?other=1"])(
    "that reads /login%s is 401",
    async (query) => {
      const { status, headers } = await exchange(`${service.origin}/login${query}`, {});
      expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
    },
  );

  test("says nothing of itself in the page of a link that does not work", async () => {
    const { body } = await exchange(`${service.origin}/login?code=<script>`, {});
    expect(body).not.toMatch(/<script/);
  });
});

test("a browser's session can be revoked like a token", async () => {
  const cookie = (await cookieOf()).split(";", 1)[0] ?? "";
  const ask = () =>
    exchange(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: '{"query":"{ __typename }"}',
    });
  expect((await ask()).status).toBe(200);
  const session = (await service.awareness.tokens.list()).findLast(({ kind }) => kind === "SESSION");
  await service.awareness.tokens.revoke(session?.id ?? "");
  expect(codesOf(JSON.parse((await ask()).body))).toEqual(["UNAUTHENTICATED"]);
});

test("a code that nobody made does not wait for the writers, nor make them wait", async () => {
  const folder = await mkdtemp(join(tmpdir(), "headsup-"));
  const file = join(folder, "test.db");
  const guarded = await startGuarded({ env: { DATABASE_URL: `file:${file}` } });
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  const answer = await exchange(`${guarded.origin}/login?code=${newSecret()}`, {});
  other.exec("ROLLBACK");
  other.close();
  expect(answer.status).toBe(401); // 503, after some seconds, had it waited
  await guarded.stop();
  await rm(folder, { recursive: true });
});

test("while access control is off a link leads on and sets nothing", async () => {
  const open = await startGuarded({ auth: "off" });
  const { status, headers } = await exchange(`${open.origin}/login?code=x`, {});
  expect([status, headers.location, headers["set-cookie"]]).toEqual([303, "/", undefined]);
  await open.stop();
});
