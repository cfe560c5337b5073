import { raw, type Sql, type Statements, sql } from "./sql.js";

/** True where `column` holds one of these agents. One parameter, whatever their number. */
export function isAmong(database: Statements, column: Sql, agents: ReadonlySet<string>): Sql {
  const rows = database.dialect.rows(
    "g",
    [...agents].map((agent) => ({ agent })),
    { agent: "text" },
  );
  return sql`${column} IN (SELECT g.agent FROM ${rows})`;
}

/** True where the agent-qualified key in `column` names one of these agents. */
export function keyIsAmong(database: Statements, column: Sql, agents: ReadonlySet<string>): Sql {
  const rows = database.dialect.rows(
    "g",
    [...agents].map((agent) => ({ start: `agent:${agent}:` })),
    { start: "text" },
  );
  // Not LIKE: it folds case on SQLite, and agents may hold an underscore.
  return sql`EXISTS (SELECT 1 FROM ${rows} WHERE SUBSTR(${column}, 1, LENGTH(${raw("g.start")})) = ${raw("g.start")})`;
}
