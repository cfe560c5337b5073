export const help = `headsup: tells AI agents, once, when a session changed behind their backs.

Usage: headsup [serve]          starts the server
       headsup login            prints a link that logs a browser in
       headsup token ...        makes, lists and revokes tokens: headsup token --help
       headsup node ...         watches over another machine's transcripts: headsup node --help
       headsup --help | --version

Everything is set by environment variables, all optional:
  DATABASE_URL      file:./data/headsup.db by default; postgresql://... for PostgreSQL
  HOST, PORT        127.0.0.1 and 4000 by default; PORT=0 takes any free port
  HEADSUP_...       access, limits, retention, monitoring, folders, log level: see the README

The server prints one line on standard output when it is ready, and at its first start how to log in; the log is on
standard error. SIGTERM and SIGINT stop it cleanly, a second one at once.
`;

export const nodeHelp = `Usage: headsup node --server URL --name NAME [--token TOKEN]

Watches over the transcripts of Claude Code and Codex on this machine for a server on another one. Only digests,
positions, counts and times are sent, never a word of what was said. Nothing is kept on disk.
  --server  the server's address, such as https://headsup.example.com
  --name    this machine's name in the catalog: letters, digits, _ and -; one for each machine
  --token   a token with the scope write for all agents; or in HEADSUP_TOKEN, where other users cannot see it

HEADSUP_CLAUDE_DIR, HEADSUP_CODEX_DIR, HEADSUP_MONITOR_INTERVAL_MS, HEADSUP_MONITOR_FIRST_MS and HEADSUP_LOG_LEVEL hold
for this machine as they do for a server.
`;
