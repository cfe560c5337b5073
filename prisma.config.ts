import { defineConfig } from "prisma/config";

// `prisma generate` looks for the schema engine's binary although it never runs it, and fails where that download is
// not reachable. Any existing program satisfies the look; every other command still gets the real engine.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "file:./data/headsup.db" },
});
