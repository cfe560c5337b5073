import type { Page } from "playwright-core";

/** Where in the console a session's picture is. */
export function pictureOf(origin: string, agentId: string, sessionKey: string): string {
  return `${origin}/#/session/${encodeURIComponent(agentId)}/${encodeURIComponent(sessionKey)}`;
}

/** The row of a session in the overview. */
export function rowOf(page: Page, sessionKey: string) {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name: sessionKey }) });
}

/** What a session's row says under this title. */
export function cellOf(page: Page, sessionKey: string, title: string) {
  return rowOf(page, sessionKey).locator(`[data-title="${title}"]`);
}

/** What is pending for a watcher, in the notices view. */
export function pendingFor(page: Page, watcher: string) {
  return page.getByRole("region", { name: `Pending for ${watcher}` }).getByRole("listitem");
}

/** Resolves when the locator's text has become this; playwright waits by itself. */
export async function becomes(locator: ReturnType<Page["locator"]>, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor();
}
