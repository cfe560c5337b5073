import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digestOfMachine } from "../../src/node/machine.js";

describe("machines that report under one name are told apart, though their host's name is the same", () => {
  let folder: string;
  let folders: { claudeDir: string; codexDir: string };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "headsup-machine-"));
    folders = { claudeDir: join(folder, "claude"), codexDir: join(folder, "codex") };
    mkdirSync(folders.claudeDir);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A system with these files. */
  const system = (name: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return join(folder, name);
  };

  it.each(["etc/machine-id", "var/lib/dbus/machine-id", "proc/sys/kernel/random/boot_id"])("by %s", (file) => {
    const one = digestOfMachine(folders, system("one", { [file]: "1\n" }));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOfMachine(folders, system("same", { [file]: "1\n" }))).toBe(one);
    expect(digestOfMachine(folders, system("other", { [file]: "2\n" }))).not.toBe(one);
  });

  it("a machine with an id is the same after a restart of its system", () => {
    const before = system("before", { "etc/machine-id": "1\n", "proc/sys/kernel/random/boot_id": "1\n" });
    const after = system("after", { "etc/machine-id": "1\n", "proc/sys/kernel/random/boot_id": "2\n" });
    expect(digestOfMachine(folders, after)).toBe(digestOfMachine(folders, before));
  });

  it("by their folders: copies of one image have the same ids, and the same paths", () => {
    const one = digestOfMachine(folders, folder);
    mkdirSync(`${folders.claudeDir}.copy`);
    renameSync(folders.claudeDir, `${folders.claudeDir}.away`);
    renameSync(`${folders.claudeDir}.copy`, folders.claudeDir);
    expect(digestOfMachine(folders, folder)).not.toBe(one);
    // The very same folders are one machine, from wherever they are looked at.
    rmSync(folders.claudeDir, { recursive: true });
    renameSync(`${folders.claudeDir}.away`, folders.claudeDir);
    expect(digestOfMachine(folders, folder)).toBe(one);
  });
});
