import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whereabouts } from "../../src/node/whereabouts.js";
import { createSources } from "../../src/upstream/sources.js";

describe("where a thread of Codex is, by its tool's names of files", () => {
  const [one, two] = ["01a22d52-8d28-74e0-b21b-5778dfed811f", "01a22d52-a5df-7940-a86b-08532ae91c73"];
  const day = join("2026", "11", "30");
  let codexDir: string;
  beforeEach(() => {
    codexDir = mkdtempSync(join(tmpdir(), "headsup-whereabouts-"));
    mkdirSync(join(codexDir, day), { recursive: true });
  });
  afterEach(() => rmSync(codexDir, { recursive: true, force: true }));

  const placeOf = async (threadId: string, ...files: string[]) => {
    for (const file of files) writeFileSync(join(codexDir, day, file), "");
    const sources = createSources({ claudeDir: codexDir, codexDir });
    return (await whereabouts(sources, codexDir).look(["CODEX"]))("CODEX", threadId);
  };

  it("one that is compressed is where it is going to be again, the latest of several", async () => {
    const files = [
      `rollout-2026-11-30T16-00-00-${one}.jsonl.zst`,
      `rollout-2026-11-30T17-00-00-${one}_${two}.jsonl.zst`,
    ];
    const latest = join(day, `rollout-2026-11-30T17-00-00-${one}_${two}.jsonl`);
    expect(await placeOf(one, ...files.reverse())).toBe(latest);
  });

  it("one that is not compressed is where it is", async () => {
    const there = `rollout-2026-11-30T16-00-00-${one}.jsonl`;
    expect(await placeOf(one, there, `rollout-2026-11-30T17-00-00-${one}.jsonl.zst`)).toBe(join(day, there));
  });

  it("another thread's rollout by the same name is not it, and neither is a name that only contains it", async () => {
    const files = [
      `rollout-2026-11-30T16-00-00-${one}_${two}.jsonl.zst`,
      `rollout-2026-11-30T16-00-00-${two}1.jsonl.zst`,
    ];
    expect(await placeOf(two, ...files, `${two}.jsonl.zst`)).toBe(`${two}.jsonl`);
  });
});
