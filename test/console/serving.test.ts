import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGuarded } from "../access/support.js";
import { startTestService, type TestService } from "../support/server.js";
import { buildConsole } from "./browser.js";

const dist = resolve(import.meta.dirname, "../../dist/console");

describe("the console's files", () => {
  let service: TestService;
  beforeAll(async () => {
    if (!existsSync(join(dist, "index.html"))) await buildConsole();
    service = await startTestService();
  }, 60_000);
  afterAll(() => service.stop());

  test("GET / is the page: asked for every time, and allowed nothing that is not from this server", async () => {
    const response = await fetch(`${service.origin}/`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|(?:src|href)="(?:https?:)?\/\//);
  });

  test("what the page loads has a digest in its name and is kept for ever; gzipped where it is understood", async () => {
    const html = await (await fetch(`${service.origin}/`)).text();
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      const response = await fetch(`${service.origin}${path}`, { headers: { "accept-encoding": "gzip" } });
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("content-encoding")).toBe("gzip");
      expect(await response.text()).toBe(await readFile(join(dist, path ?? ""), "utf8"));
    }
  });

  test("its script is under 250 kB gzipped", async () => {
    let bytes = 0;
    for (const name of await readdir(join(dist, "assets"))) {
      if (name.endsWith(".js")) bytes += gzipSync(await readFile(join(dist, "assets", name))).byteLength;
    }
    expect(bytes).toBeLessThan(250_000);
  });

  test.each(["/assets/", "/assets/../index.js", "/%2e%2e/package.json", "/index.htm", "/assets"])(
    "GET %s is 404",
    async (path) => {
      expect((await fetch(`${service.origin}${path}`)).status).toBe(404);
    },
  );

  test("the page is for everybody, because it holds no data; what it asks for is not", async () => {
    const guarded = await startGuarded();
    expect((await fetch(`${guarded.origin}/`)).status).toBe(200);
    expect((await guarded.post(JSON.stringify({ query: "{ viewer { name } }" }))).status).toBe(401);
    await guarded.stop();
  });

  test("without a browser, the tests that need one say in one line that they did not run, and how to get it", async () => {
    const vitest = resolve(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
    const env = { ...process.env, CHROMIUM: "/nowhere/chromium" };
    const said = await new Promise<string>((done) => {
      const args = [vitest, "run", "test/console/console.test.ts"];
      execFile(process.execPath, args, { env }, (_error, stdout, stderr) => done(stdout + stderr));
    });
    expect(said.match(/browser tests did NOT run.*apt-get install -y chromium/g)).toHaveLength(1);
    expect(said).toMatch(/skipped/);
  });
});
