/** Variables with a text value. The last two are for the commands and for clients. */
const textVariables = [
  "HEADSUP_ADMIN_TOKEN",
  "HEADSUP_AUTH",
  "HEADSUP_ALLOWED_HOSTS",
  "HEADSUP_ALLOWED_ORIGINS",
  "HEADSUP_CLAUDE_DIR",
  "HEADSUP_CODEX_DIR",
  "HEADSUP_LOG_LEVEL",
  "HEADSUP_TOKEN",
  "HEADSUP_URL",
];

/** What is set and looks like a variable of this service, but is none. `numbers` are those with a number. */
export function unknownVariables(env: Record<string, string | undefined>, numbers: readonly string[]): string[] {
  const known = new Set([...textVariables, ...numbers]);
  return Object.keys(env).filter((name) => name.startsWith("HEADSUP_") && !known.has(name));
}
