import axe from "axe-core";
import { expect, test } from "vitest";
import type { Scope } from "../../src/awareness/viewer.js";
import { createClient } from "../../src/client/index.js";
import { startGuarded } from "../access/support.js";
import { freePort } from "../support/ports.js";
import { startTestService } from "../support/server.js";
import { pendingFor, rowOf } from "./people.js";
import { coder, human, lead, type Stage } from "./stage.js";

/** What people meet: a lost server, too few rights, a small screen. */
export function describeStates({ somebody, started, ends }: Stage): void {
  test("it says that it reconnects, keeps what it shows, and is right again without a reload", async () => {
    const port = String(await freePort());
    const env = { PORT: port };
    const before = await startTestService({ env });
    await before.gql(
      `mutation { registerSession(input: { sessionKey: "${coder}", label: "Before" }) { session { agentId } } }`,
    );
    const { page } = await somebody();
    await page.goto(before.origin);
    await rowOf(page, coder).waitFor();
    await before.stop();
    await page.getByText("Connection lost: reconnecting").waitFor();
    expect(await rowOf(page, coder).count()).toBe(1);

    // Another database: what is shown must be what is there now, not what was there before.
    const after = await started({ env });
    await after.gql(
      `mutation { registerSession(input: { sessionKey: "${lead}", label: "After" }) { session { agentId } } }`,
    );
    await rowOf(page, lead).waitFor({ timeout: 20_000 });
    await rowOf(page, coder).waitFor({ state: "detached" });
    await page.getByText("Connection lost").waitFor({ state: "detached" });
  });

  test("who may only read sees no controls but the reason; a login link lets in, and a revoked session signs out", async () => {
    const service = await startGuarded();
    ends(service);
    const { page } = await somebody();
    await page.goto(service.origin);
    await page.getByRole("heading", { name: "Not logged in" }).waitFor();

    await service.admin.gql(
      `mutation($w: ID!, $t: ID!) { watch(input: { watcherSessionKey: $w, targetSessionKey: $t }) { watched }
        append(input: { sessionKey: $t, kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded } }`,
      { w: lead, t: coder },
    );
    const login = async (scopes: Scope[]) =>
      `${service.origin}/login?code=${(await service.awareness.tokens.createLogin({ scopes, agents: null })).code}`;
    const reader = await somebody();
    await reader.page.goto(await login(["read"]));
    await reader.page.getByRole("link", { name: "Notices" }).click();
    await pendingFor(reader.page, lead).waitFor();
    await reader.page.getByText("Your token has no scope write").waitFor();
    expect(await reader.page.getByRole("button", { name: /Drain|Acknowledge/ }).count()).toBe(0);

    await reader.page.getByRole("link", { name: "Catalog" }).click();
    await reader.page.getByText("Adopting a thread needs a token with the scope admin").waitFor();

    await page.goto(await login(["admin"]));
    await rowOf(page, coder).waitFor();
    await page.getByRole("link", { name: "Notices" }).click();
    await page.getByRole("button", { name: "Acknowledge" }).waitFor();
    for (const token of await service.awareness.tokens.list()) {
      if (token.kind === "SESSION") await service.awareness.tokens.revoke(token.id);
    }
    await page.getByRole("heading", { name: "You have been signed out" }).waitFor({ timeout: 15_000 });
    expect(await page.getByText(coder).count()).toBe(0);
  });

  test("every view passes axe in light and dark, by mouse and at phone width, without a word in the console", async () => {
    const service = await started();
    const client = createClient({ url: service.url });
    await client.registerSession({ sessionKey: lead, label: "Coordinator" });
    await client.append({ sessionKey: coder, kind: "CHILD_SPAWNED", actor: { type: "AGENT", id: lead } });
    await client.appendMany([
      human(coder),
      { sessionKey: coder, kind: "COMPACTED", actor: { type: "SYSTEM" } },
      human(coder),
    ]);
    const views = [
      "#/",
      "#/notices",
      "#/graph",
      "#/catalog",
      "#/deltas/coder/agent%3Acoder%3Amain",
      "#/session/coder/agent%3Acoder%3Amain",
    ];
    for (const options of [{ dark: false }, { dark: true }, { width: 390, height: 844 }]) {
      const { page, complaints } = await somebody(options);
      for (const view of views) {
        await page.goto(`${service.origin}/${view}`);
        await page.locator("main h1, main h2").first().waitFor({ state: "attached" });
        await page.locator("main .placeholder").waitFor({ state: "detached" });
        await page.evaluate(axe.source);
        // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page, not of this file
        const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
        const found = violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
          id,
          nodes[0]?.html,
        ]);
        expect(found, `${view} ${JSON.stringify(options)}`).toEqual([]);
        const overflow = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect(overflow, `${view} is no wider than the screen`).toBeLessThanOrEqual(0);
      }
      expect(complaints).toEqual([]);
    }
  });
}
