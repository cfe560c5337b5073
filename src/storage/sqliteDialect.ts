import { type Dialect, join, raw, sql } from "./sql.js";

/**
 * Times are the text that Prisma's adapter writes, so that text order is time order in every column.
 */
const time = (value: Date): string => value.toISOString().replace("Z", "+00:00");

export const sqliteDialect: Dialect = {
  kind: "sqlite",
  rows(alias, values, columns) {
    const list = Object.keys(columns).map((name) => raw(`value->>'$.${name}' AS ${name}`));
    return sql`(SELECT ${join(list)} FROM json_each(${JSON.stringify(values)})) AS ${raw(alias)}`;
  },
  greatest: (a, b) => sql`MAX(${a}, ${b})`,
  jsonArray(fields, from) {
    const pairs = Object.entries(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`);
    return sql`(SELECT json_group_array(json_object(${join(pairs)})) FROM ${from})`;
  },
  timeValue: (value) => sql`${value}`,
  digest: (text) => text,
  issued: sql`COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'session_state_events'), 0)`,
  time,
};
