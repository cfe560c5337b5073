import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const project = resolve(import.meta.dirname, "../..");

const usualPlaces = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where the browser is: as `CHROMIUM` says, or where Debian and others put it. */
export const browserPath = (process.env.CHROMIUM ? [process.env.CHROMIUM] : usualPlaces).find((path) =>
  existsSync(path),
);

export const howToGetIt =
  "browser tests did NOT run: no Chromium found. Get it with `apt-get install -y chromium`, or name one in CHROMIUM.";

/** Builds the console where the server looks for it, as a package would have it. */
export async function buildConsole(): Promise<void> {
  const vite = join(project, "node_modules/vite/bin/vite.js");
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [vite, "build", "--config", "vite.console.config.ts"], {
    cwd: project,
    env,
  });
}

export function launch(): Promise<Browser> {
  const quiet = ["quic", "background-networking", "component-update", "sync"].map((name) => `--disable-${name}`);
  return chromium.launch({
    executablePath: browserPath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", ...quiet],
  });
}

/** Somebody at a browser of their own, and everything that this browser complains of. */
export type Person = { context: BrowserContext; page: Page; complaints: string[]; leave(): Promise<void> };

export async function openBrowser(
  browser: Browser,
  options: { dark?: boolean; width?: number; height?: number } = {},
): Promise<Person> {
  const { width = 1280, height = 820, dark = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const complaints: string[] = [];
  await context.addInitScript(() => {
    // Runs in the page. A report of the Content-Security-Policy becomes an error that the test sees.
    addEventListener("securitypolicyviolation" as "message", (event) => {
      const { violatedDirective, blockedURI } = event as unknown as { violatedDirective: string; blockedURI: string };
      console.error(`CSP: ${violatedDirective} ${blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { context, page, complaints, leave: () => context.close() };
}
