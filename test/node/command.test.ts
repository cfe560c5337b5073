import { expect, it } from "vitest";
import { runNode } from "../../src/commands/node.js";
import { loadConfig } from "../../src/config.js";

it.each(["http://person:secret@127.0.0.1:1", "http://secret@127.0.0.1:1/graphql", "http://:secret@127.0.0.1:1"])(
  "an address with a user or a password in it is refused and not shown: %s",
  async (server) => {
    const said: string[] = [];
    const console = { out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
    const args = ["--server", server, "--name", "laptop", "--token", "hup"];
    const refused = await runNode(args, loadConfig({}), {}, console).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ name: "UsageError" });
    expect([String(refused), ...said].join("\n")).not.toMatch(/secret|person/);
  },
);
