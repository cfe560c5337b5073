import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { Narrator } from "../../demo/narrator.js";
import { startTestService } from "../support/server.js";

async function play(env: Record<string, string> = {}) {
  const { HEADSUP_URL: _, ...inherited } = process.env;
  const story = spawn(process.execPath, ["--import", "tsx", "demo/story.ts"], { env: { ...inherited, ...env } });
  const [output, errors, [code]] = await Promise.all([text(story.stdout), text(story.stderr), once(story, "close")]);
  return { output, errors, code };
}

// A process of its own compiles the product first, which on a busy machine takes its time.
describe("the demo", { timeout: 90_000 }, () => {
  test("on its own server the numbers are those of the contract's examples, and it ends with 0", async () => {
    const { output, errors, code } = await play();
    expect(errors).toBe("");
    expect(output).not.toContain("✗");
    expect(output).toMatch(/human messages 11, 12, 13 +10 +11 +13 +changesSince 10\n/);
    expect(output).toContain("the session's numbers: 12, 14, 19;");
    expect(output).toMatch(/✓ the coordinator is told\n +it took \d+ ms from the line in the file/);
    expect(code).toBe(0);
  });

  test("on a server in use it plays as well but for the transcript's chapter, and leaves no session of its own behind", async () => {
    const service = await startTestService();
    await service.gql(`mutation { registerSession(input: { sessionKey: "agent:a:b" }) { session { agentId } } }`);
    const { output, errors, code } = await play({ HEADSUP_URL: service.url });
    expect([errors, code]).toEqual(["", 0]);
    expect(output).toMatch(/4\. Somebody types into another tool\n═+\n.*\n {4}left out: .*\n\nEverything came back/);
    const { data } = await service.gql("{ sessionsList { nodes { sessionKey } } }");
    expect(data.sessionsList.nodes).toEqual([{ sessionKey: "agent:a:b" }]);
    await service.stop();
  });

  test("without an answer from the server it says so and ends with 1", async () => {
    const { errors, code } = await play({ HEADSUP_URL: "http://127.0.0.1:1/graphql" });
    expect(errors).toMatch(/^\nThe story broke off: The service could not be reached/);
    expect(code).toBe(1);
  });

  test("a claim that does not hold counts", () => {
    const narrator = new Narrator();
    narrator.claim("holds", [1, { a: 2 }], [1, { a: 2 }]);
    narrator.claim("does not hold", [1], [2]);
    expect(narrator.failures).toBe(1);
  });
});
