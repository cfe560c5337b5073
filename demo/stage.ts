import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type HeadsupClient, HeadsupError } from "../src/client/index.js";
import { loadConfig } from "../src/config.js";
import { startService } from "../src/service.js";

/** Where one part of the story plays. */
export type Stage = {
  client: HeadsupClient;
  /** The server is this part's own and empty, so the log's numbers start at 1. */
  fresh: boolean;
  where: string;
  /** A session key of this run: on a server that others use, or that has seen the demo before, it is a new one. */
  key(rest: string): string;
  /** Claude Code's transcripts as the server reads them; null where they are somebody else's. */
  claude: Claude | null;
  close(): Promise<void>;
};

/** A folder of transcripts, and who may adopt one of them: that is an admin's business. */
export type Claude = { folder: string; admin: HeadsupClient };

/** `HEADSUP_URL` (with `HEADSUP_TOKEN`) if it is set, else a server of its own on a free port and a new database. */
export async function openStage(environment: NodeJS.ProcessEnv): Promise<Stage> {
  const { HEADSUP_URL: url, HEADSUP_TOKEN: token } = environment;
  return url ? visitServer(url, token) : startServer();
}

function visitServer(url: string, token: string | undefined): Stage {
  const client = createClient({ url, token });
  const run = randomUUID().slice(0, 8);
  const used = new Set<string>();
  return {
    client,
    fresh: false,
    where: url,
    claude: null,
    key(rest) {
      const key = `${rest}-${run}`;
      used.add(key);
      return key;
    },
    async close() {
      client.close();
      for (const sessionKey of used) await client.deleteSession({ sessionKey }).catch(unlessForbidden);
    },
  };
}

/** Deleting is an admin's business: with a lesser token the story's sessions stay until retention takes them. */
function unlessForbidden(error: unknown): void {
  if (!(error instanceof HeadsupError && error.code === "FORBIDDEN")) throw error;
}

/** The agents of the story. */
const agents = ["lead", "coder", "critic", "other"];

async function startServer(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "headsup-demo-"));
  // Nothing of the person at this machine is read: the other tools' folders are the story's own.
  const claudeFolder = join(folder, "claude");
  await mkdir(claudeFolder);
  const config = loadConfig({
    DATABASE_URL: `file:${join(folder, "demo.db")}`,
    PORT: "0",
    HEADSUP_LOG_LEVEL: "error",
    HEADSUP_CLAUDE_DIR: claudeFolder,
    HEADSUP_CODEX_DIR: join(folder, "codex"),
    // The first look at all files is as far off as the second: what is noticed sooner, a hint has brought forward.
    HEADSUP_MONITOR_FIRST_MS: "60000",
  });
  const service = await startService(config);
  // No more rights than the story needs: nothing but an adoption is an admin's business.
  const { tokens } = service.awareness;
  const { secret: token } = await tokens.create({ name: "demo", scopes: ["read", "write"], agents });
  const { secret: adminToken } = await tokens.create({ name: "demo's admin", scopes: ["admin"], agents: null });
  const client = createClient({ url: service.url, token });
  const admin = createClient({ url: service.url, token: adminToken });
  return {
    client,
    fresh: true,
    where: `${service.url} (a server of its own, with an empty database)`,
    key: (rest) => rest,
    claude: { folder: claudeFolder, admin },
    async close() {
      client.close();
      admin.close();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
