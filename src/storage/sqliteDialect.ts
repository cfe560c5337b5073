import { casesOf } from "./caseless.js";
import { type Dialect, join, nothing, type Row, raw, Sql, sql } from "./sql.js";

/**
 * Times are the text that Prisma's adapter writes, so that text order is time order in every column. The events of a
 * batch mostly share their time.
 */
function time(value: Date): string {
  const ms = value.getTime();
  if (ms !== lastTime.ms) lastTime = { ms, text: value.toISOString().replace("Z", "+00:00") };
  return lastTime.text;
}

let lastTime = { ms: Number.NaN, text: "" };

/** The statement around it is another text than for many rows, and half as much work. */
function oneRow(alias: string, row: Row, names: readonly string[]): Sql {
  const texts = names.map((name, index) => ` AS ${name}${index < names.length - 1 ? ", " : `) AS ${alias}`}`);
  return new Sql(
    ["(SELECT ", ...texts],
    names.map((name) => row[name]),
  );
}

export const sqliteDialect: Dialect = {
  kind: "sqlite",
  rows(alias, values, columns) {
    const names = Object.keys(columns);
    const [only] = values;
    if (only !== undefined && values.length === 1) return oneRow(alias, only, names);
    const list = names.map((name, index) => `value->>${index} AS ${name}`).join(", ");
    // Values by place: finding them by name costs twice as much.
    const rows = values.map((value) => names.map((name) => value[name]));
    return sql`(SELECT ${raw(list)} FROM json_each(${JSON.stringify(rows)})) AS ${raw(alias)}`;
  },
  greatest: (a, b) => sql`MAX(${a}, ${b})`,
  jsonArray(fields, from) {
    const pairs = Object.entries(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`);
    return sql`(SELECT json_group_array(json_object(${join(pairs)})) FROM ${from})`;
  },
  jsonTuples: (values, from) => sql`(SELECT json_group_array(json_array(${join([...values])})) FROM ${from})`,
  holds: (text, part) => sql`${text} GLOB ${`*${casesOf(part).map(anyOf).join("")}*`}`,
  timeValue: (value) => sql`${value}`,
  forUpdate: nothing,
  digest: (text) => text,
  issued: sql`COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'session_state_events'), 0)`,
  time,
};

/** In brackets every character stands for itself, but for one that stands for itself without. */
function anyOf(forms: readonly string[]): string {
  const all = forms.join("");
  return all === "^" ? all : `[${all}]`;
}
