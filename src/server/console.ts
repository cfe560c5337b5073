import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { sayLine } from "./answers.js";

/** Built by Vite. The same place from src/server and from dist/server. */
const built = resolve(import.meta.dirname, "../../dist/console");

/**
 * Everything from this server and nothing inline: a text that got into the page as markup by some mistake would still
 * not run, load or send anything. `connect-src 'self'` covers the WebSocket of the same origin.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

type ConsoleFile = { body: Buffer; zipped: Buffer; headers: Record<string, string> };
export type Console = {
  /** Answers with the page or one of its files. The page itself holds no data, so it is for everybody. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
};

/** The web console's files, read into memory at the first request. */
export function createConsole(folder = built): Console {
  let files: Promise<Map<string, ConsoleFile>> | undefined;
  return {
    async answer(request, response, path) {
      files ??= readFiles(folder);
      const found = await files.catch((error: unknown) => {
        files = undefined; // it may be built anew at this moment
        throw error;
      });
      if (found.size === 0) {
        files = undefined; // it may be built while the server runs
        return sayLine(response, 404, "The console is not built: run `npm run build`. GraphiQL is at /graphql.");
      }
      const file = found.get(path === "/" ? "/index.html" : path);
      if (file === undefined) return sayLine(response, 404, "not found");
      if (request.method !== "GET" && request.method !== "HEAD") return sayLine(response, 405, "the console is read");
      send(request, response, file);
    },
  };
}

function send(request: IncomingMessage, response: ServerResponse, { body, zipped, headers }: ConsoleFile): void {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const content = takesGzip ? zipped : body;
  response.writeHead(200, {
    ...headers,
    "content-security-policy": contentSecurityPolicy,
    "content-length": content.byteLength,
    vary: "Origin, Accept-Encoding",
    ...(takesGzip ? { "content-encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : content);
}

/** By the path that they are asked for. Only what was there when the console was built: no path leads anywhere else. */
async function readFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length).replaceAll("\\", "/");
    const body = await readFile(file);
    // A name with a digest of its content in it never means anything else; the page itself is asked for every time.
    const cacheControl = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    files.set(path, {
      body,
      zipped: await promisify(gzip)(body),
      headers: { "content-type": type, "cache-control": cacheControl },
    });
  }
  return files;
}
