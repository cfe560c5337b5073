import { casesOf } from "./caseless.js";
import { type ColumnType, type Dialect, join, raw, sql } from "./sql.js";

const typeNames: Record<ColumnType, string> = { text: "text", integer: "bigint", time: "timestamptz" };

export const postgresDialect: Dialect = {
  kind: "postgresql",
  rows(alias, values, columns) {
    const list = Object.entries(columns).map(([name, type]) => raw(`${name} ${typeNames[type]}`));
    return sql`jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS ${raw(alias)}(${join(list)})`;
  },
  greatest: (a, b) => sql`GREATEST(${a}, ${b})`,
  jsonArray(fields, from) {
    const pairs = Object.entries(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`);
    return sql`(SELECT json_agg(json_build_object(${join(pairs)})) FROM ${from})`;
  },
  jsonTuples: (values, from) => sql`(SELECT json_agg(json_build_array(${join([...values])})) FROM ${from})`,
  holds: (text, part) => sql`${text} ~ ${casesOf(part).map(anyOf).join("")}`,
  timeValue: (value) => sql`${value}::timestamptz`,
  forUpdate: raw("FOR UPDATE"),
  digest: (text) => sql`md5(${text})`,
  issued: sql`(SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM session_state_events_sequence_seq)`,
  time: (value) => value.toISOString(),
};

/** In a regular expression: letters have forms, and everything else but a letter or digit may be escaped. */
function anyOf(forms: readonly string[]): string {
  if (forms.length > 1) return `[${forms.join("")}]`;
  return forms.join("").replace(/[!-/:-@[-`{-~]/, "\\$&");
}
