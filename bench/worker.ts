/**
 * A program that the bench runs in a process of its own and commands by messages: load generators and the servers that
 * serve comparators. Each command takes one argument and answers with one value, both plain data.
 */
export type Commands = Record<string, (argument: never) => Promise<unknown>>;

export type Request = { call: number; name: string; argument: unknown };
export type Reply = { call: number; value?: unknown; error?: string };

/** Obeys until the bench goes away. */
export function serve(commands: Commands): void {
  process.on("message", (message: Request) => {
    answer(commands, message).then((reply) => process.send?.(reply));
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
}

async function answer(commands: Commands, { call, name, argument }: Request): Promise<Reply> {
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`no command ${name}`);
    // What comes over the channel was typed where it was sent: see `Program.call`.
    return { call, value: await command(argument as never) };
  } catch (error) {
    return { call, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
