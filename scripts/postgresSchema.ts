import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes prisma/postgresql/schema.prisma from prisma/schema.prisma: the same models, PostgreSQL's types. With --check it
 * writes nothing and fails when the committed file is not what it would write.
 */
const source = readFileSync("prisma/schema.prisma", "utf8");
const path = "prisma/postgresql/schema.prisma";

export const postgresSchema = source
  .replace(/^\/\/ The data of headsup on SQLite\./m, "// Generated from ../schema.prisma by scripts/postgresSchema.ts.")
  .replace("../src/storage/generated/sqlite", "../../src/storage/generated/postgresql")
  .replace('provider = "sqlite"', 'provider = "postgresql"')
  .replace(/^( {2}\w+ +DateTime\??)/gm, "$1 @db.Timestamptz(3)");

if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== postgresSchema) {
    console.error(`${path} is stale: run npm run generate`);
    process.exit(1);
  }
} else {
  writeFileSync(path, postgresSchema);
}
