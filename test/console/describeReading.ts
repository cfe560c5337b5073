import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { becomes, pictureOf, rowOf } from "./people.js";
import { coder, lead, type Stage } from "./stage.js";

/** Long lists, pruned history, deltas, and the explorer. */
export function describeReading({ somebody, started }: Stage): void {
  test("5,000 sessions scroll to the last, with no more rows in the page than are in sight", async () => {
    const service = await started();
    const client = createClient({ url: service.url });
    for (let start = 0; start < 5_000; start += 500) {
      await client.appendMany(
        Array.from({ length: 500 }, (_, index) => ({
          sessionKey: `agent:many:s${String(start + index).padStart(4, "0")}`,
          kind: "COMPACTED",
          actor: { type: "SYSTEM" },
        })),
      );
    }
    const { page, complaints } = await somebody();
    await page.goto(service.origin);
    await page.getByText("5,000 sessions", { exact: true }).waitFor();
    await page.getByLabel("Order").selectOption({ label: "Key" });
    await rowOf(page, "agent:many:s0000").waitFor();
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await page.locator(".scroller").evaluate((list, part) => list.scrollTo(0, list.scrollHeight * part), share);
      await rowOf(page, `agent:many:s${String(Math.min(Math.round(5_000 * share), 4_999)).padStart(4, "0")}`).waitFor();
      expect(await page.getByRole("row").count()).toBeLessThan(60);
    }
    await page.locator(".scroller").evaluate((list) => list.scrollTo(0, 0));
    await page.getByRole("link", { name: "agent:many:s0000" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.locator("a:focus", { hasText: "agent:many:s0001" }).waitFor();
    await page.getByLabel("Search").fill("S0042");
    await page.getByText("1 of 5,000", { exact: true }).waitFor();
    await rowOf(page, "agent:many:s0042").waitFor();
    expect(complaints).toEqual([]);
  });

  test("history that was pruned is drawn as a gap, and the delta says in words what that means", async () => {
    const service = await started({ env: { HEADSUP_RETENTION_ROWS: "4" } });
    const client = createClient({ url: service.url });
    const events = await client.appendMany(
      Array.from({ length: 60 }, () => ({ sessionKey: coder, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" } })),
    );
    await service.awareness.sweep();
    const { page, complaints } = await somebody();
    await page.goto(pictureOf(service.origin, "coder", coder));
    await page.getByRole("img", { name: `History up to #${events[55]?.event?.sequence} was pruned` }).waitFor();
    expect(await page.getByRole("button", { name: "Goal changed by system" }).count()).toBe(4);
    const last = page.getByRole("button", { name: `#${events[59]?.event?.sequence} Goal changed` });
    await last.focus();
    await page.keyboard.press("ArrowLeft");
    await becomes(page.locator(".event-details"), `#${events[58]?.event?.sequence}`);

    await page.getByRole("link", { name: "Read exact changes since a version" }).click();
    await page.getByText("History gap.").waitFor();
    await page.getByLabel("Since version").fill(String(events[55]?.event?.sequence));
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("4 events, all there are").waitFor();
    expect(await page.getByText("History gap.").count()).toBe(0);
    await page.getByLabel("Since version").fill("999999");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("This version is higher than any that this log ever gave out").waitFor();
    // The browser itself writes a line about an answer with status 400.
    expect(complaints.splice(0).filter((each) => !each.includes("400"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a delta is paged through to its end, without a repetition", async () => {
    const service = await started();
    const client = createClient({ url: service.url });
    await client.appendMany(
      Array.from({ length: 120 }, () => ({ sessionKey: coder, kind: "COMPACTED", actor: { type: "SYSTEM" } })),
    );
    const { page } = await somebody();
    await page.goto(`${service.origin}/#/deltas/coder/${encodeURIComponent(coder)}`);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("The first 100 events").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("120 events, all there are").waitFor();
    const numbers = await page.locator("tbody tr td:first-child").allTextContents();
    expect(new Set(numbers).size).toBe(120);
  });

  test("the explorer at /graphql works with nothing but this server, and runs the subscription", async () => {
    const service = await started();
    const { page, context } = await somebody();
    const elsewhere: string[] = [];
    await context.route("**/*", (route) => {
      const url = new URL(route.request().url());
      if (url.origin === service.origin || url.protocol === "data:" || url.protocol === "blob:")
        return route.continue();
      elsewhere.push(url.href);
      return route.abort();
    });
    await service.gql(
      `mutation { watch(input: { watcherSessionKey: "${lead}", targetSessionKey: "${coder}" }) { watched } }`,
    );
    const query = `subscription { staleNotice(watcherSessionKey: "${lead}") { text } }`;
    await page.goto(`${service.origin}/graphql?query=${encodeURIComponent(query)}`);
    await page.getByRole("button", { name: /Execute query/ }).click();
    await service.gql(
      `mutation { append(input: { sessionKey: "${coder}", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded } }`,
    );
    await becomes(page.locator(".graphiql-response"), "changed (other actor)");
    expect(elsewhere).toEqual([]);
  });
}
