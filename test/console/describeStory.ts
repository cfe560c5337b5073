import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.js";
import { becomes, cellOf, pendingFor, pictureOf, rowOf } from "./people.js";
import { coder, human, lead, type Stage } from "./stage.js";

/** The page as the story goes on. */
export function describeStory({ somebody, started, ends }: Stage): void {
  test("an empty server shows how to send the first event, and shows the event by itself", async () => {
    const service = await started();
    const { page, complaints } = await somebody();
    await page.goto(service.origin);
    await page.getByRole("heading", { name: "Nothing here yet" }).waitFor();
    await page.getByRole("button", { name: "Copy the command" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`curl -s ${service.url}`);
    const body: string = /-d '(.*)'$/.exec(command)?.[1] ?? "";
    expect((await (await service.post(body)).json()).data.append.recorded).toBe(true);
    await rowOf(page, coder).waitFor();
    expect(complaints).toEqual([]);
  });

  test("the story is seen live in two windows: 20 changes show one notice, and a drain in one clears the other", async () => {
    const service = await started();
    const client = createClient({ url: service.url });
    await client.registerSession({ sessionKey: lead, label: "Coordinator" });
    const [list, notices] = await Promise.all([somebody(), somebody()]);
    await list.page.goto(service.origin);
    await notices.page.goto(`${service.origin}/#/notices`);
    await notices.page.getByRole("heading", { name: "Nothing is pending" }).waitFor();

    await client.watch({ watcherSessionKey: lead, targetSessionKey: coder });
    await becomes(cellOf(list.page, coder, "Watchers"), /^1$/);
    const events = await client.appendMany(Array.from({ length: 20 }, () => human(coder)));
    const version = events.at(-1)?.event?.sequence;
    await becomes(cellOf(list.page, coder, "Version"), `#${version}`);
    await becomes(cellOf(list.page, coder, "Watchers"), "1 pending");
    await becomes(cellOf(list.page, lead, "To drain"), /^1$/);
    await pendingFor(notices.page, lead).waitFor();
    expect(await pendingFor(notices.page, lead).count()).toBe(1);
    await becomes(pendingFor(notices.page, lead), "changesSince 0.");
    await notices.page.getByRole("button", { name: "Copy the call" }).click();
    expect(await notices.page.evaluate(() => navigator.clipboard.readText())).toBe(
      `session_status sessionKey "${coder}" changesSince 0`,
    );
    for (const [language, word] of [
      ["Español", "Reconcilia"],
      ["Português", "Reconcilie"],
      ["Русский", "измен"],
    ] as const) {
      await notices.page.getByLabel("Text in").selectOption({ label: language });
      await becomes(pendingFor(notices.page, lead), new RegExp(word, "i"));
    }

    // The first drain opens one more notice for the rest; the second leaves nothing.
    await list.page.goto(pictureOf(service.origin, "coder", coder));
    await list.page.getByRole("img", { name: `${lead}: a notice is pending` }).waitFor();
    await list.page.getByRole("button", { name: "Drain" }).click();
    await becomes(list.page.getByRole("status"), "1 pending: for what came after");
    await becomes(pendingFor(notices.page, lead), `changesSince ${events[0]?.event?.sequence}.`);
    await list.page.getByRole("button", { name: "Drain" }).click();
    await notices.page.getByRole("heading", { name: "Nothing is pending" }).waitFor();
    await list.page.getByRole("img", { name: `${lead}: nothing pending; last seen ${version}` }).waitFor();
    expect([...list.complaints, ...notices.complaints]).toEqual([]);
  });

  test("a thread of the catalog is adopted, and continued", async () => {
    const folder = await mkdtemp(join(tmpdir(), "headsup-claude-"));
    ends({ stop: () => rm(folder, { recursive: true, force: true }) });
    const thread = "0b5c1e20-1111-4222-8333-444455556660";
    const turn = {
      type: "user",
      sessionId: thread,
      cwd: "/home/ada/shop",
      message: { role: "user", content: "hello" },
    };
    await mkdir(join(folder, "-home-ada-shop"));
    await writeFile(join(folder, "-home-ada-shop", `${thread}.jsonl`), `${JSON.stringify(turn)}\n`);
    const service = await started({ env: { HEADSUP_CLAUDE_DIR: folder, HEADSUP_CODEX_DIR: join(folder, "none") } });
    const { page, complaints } = await somebody();
    await page.goto(`${service.origin}/#/catalog`);
    await page.getByLabel("Adopt for agent").fill("pair");
    await page.getByRole("button", { name: "Adopt" }).click();
    const key = `agent:pair:claude-code:${thread}`;
    await page.getByText(`Adopted as ${key}.`).waitFor();
    await page.getByText("0 rows skipped, 0 checks missed").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(`Continued ${key} from its present end.`).waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await becomes(cellOf(page, key, "Upstream"), "Claude Code: good");
    expect(complaints).toEqual([]);
  });
}
