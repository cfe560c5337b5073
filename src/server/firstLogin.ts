import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Tokens } from "../awareness/tokens.js";
import { loginLink } from "./login.js";

export type FirstLogin = {
  /** Logs one browser in, once and for 10 minutes: for a person's eyes, never for a log. */
  link: string;
  /** The file that holds the admin's token. */
  tokenFile: string;
};

/**
 * At the very first start nobody could come in: makes an admin's token, writes it to `tokenFile`, and makes a login
 * link. Null when there has been a token before. Rejects when the file cannot be written; then no token was made.
 */
export async function makeFirstLogin(tokens: Tokens, tokenFile: string, base: string): Promise<FirstLogin | null> {
  const admin = await tokens.createFirst((secret) => writeSecret(tokenFile, `${secret}\n`));
  if (admin === null) return null;
  const { code } = await tokens.createLogin({ scopes: ["admin"], agents: null });
  return { link: loginLink(base, code), tokenFile };
}

/** Readable by its owner alone from the first byte on, and there as a whole or not at all. */
async function writeSecret(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await keepEarlier(file);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A file from another database holds a secret that may be good there, and stands nowhere else. */
async function keepEarlier(file: string): Promise<void> {
  const earlier = await lstat(file).catch(() => null);
  if (earlier?.isFile() !== true) return;
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  await rename(file, `${file}.until-${stamp}`);
}
