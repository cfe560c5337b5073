import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeCrossing } from "./describeCrossing.js";
import { sharedPair } from "./pair.js";

const folder = mkdtempSync(join(tmpdir(), "headsup-crossing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeCrossing(
  sharedPair(async () => `file:${join(folder, "test.db")}`),
  50,
);
