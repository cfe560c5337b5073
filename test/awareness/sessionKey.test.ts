import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/awareness/refusals.js";
import { agentOf, checkId, checkKey, isSubagent, resolveSession } from "../../src/awareness/sessionKey.js";

const hiddenCharacters = [
  ["NUL", "\0"],
  ["a line feed", "\n"],
  ["a tab", "\t"],
  ["delete", "\u007f"],
  ["next line", "\u0085"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
  ["an Arabic letter mark", "\u061c"],
  ["a left-to-right mark", "\u200e"],
  ["a right-to-left override", "\u202e"],
  ["a first strong isolate", "\u2068"],
  ["a zero-width space", "\u200b"],
  ["a zero-width non-joiner", "\u200c"],
  ["a zero-width joiner", "\u200d"],
  ["a word joiner", "\u2060"],
  ["a BOM", "\ufeff"],
  ["a language tag", "\u{e0001}"],
  ["a tag letter", "\u{e0041}"],
  ["a cancel tag", "\u{e007f}"],
  ["a soft hyphen", "\u00ad"],
  ["a combining grapheme joiner", "\u034f"],
  ["a Hangul choseong filler", "\u115f"],
  ["a Hangul jungseong filler", "\u1160"],
  ["a Khmer inherent vowel", "\u17b4"],
  ["another Khmer inherent vowel", "\u17b5"],
  ["a Mongolian variation selector", "\u180b"],
  ["a Mongolian vowel separator", "\u180e"],
  ["a Mongolian variation selector four", "\u180f"],
  ["a Hangul filler", "\u3164"],
  ["a half-width Hangul filler", "\uffa0"],
  ["an interlinear annotation anchor", "\ufff9"],
  ["an interlinear annotation terminator", "\ufffb"],
  ["a text variation selector", "\ufe0e"],
  ["an emoji variation selector", "\ufe0f"],
  ["a variation selector of the supplement", "\u{e0100}"],
  ["the last variation selector", "\u{e01ef}"],
  ["an invisible musical sign", "\u{1d173}"],
  ["a high surrogate alone", "\ud83d"],
  ["a low surrogate alone", "\ude00"],
] as const;

function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function expectRefused(act: () => unknown, field: string, words: RegExp): void {
  const refusal = refusalOf(act);
  expect(refusal.code).toBe("BAD_USER_INPUT");
  expect(refusal.field).toBe(field);
  expect(refusal.message).toMatch(words);
  expect(refusal.message).not.toMatch(/[\p{Control}\p{Surrogate}\u200b-\u200f\u202e\ufeff]/u);
}

describe("section 2: an agent-qualified key names its agent", () => {
  test.each([
    ["agent:main:chat", "main"],
    ["agent:a:b", "a"],
    ["agent:Main_2-x:subagent:7", "Main_2-x"],
    ["agent:0:rest:with:colons", "0"],
    [`agent:${"a".repeat(64)}:x`, "a".repeat(64)],
    ["agent:main::", "main"],
    ["agent:main:会话 😀", "main"],
  ])("%s", (sessionKey, agentId) => {
    expect(resolveSession({ sessionKey })).toEqual({ sessionKey, agentId });
    expect(resolveSession({ sessionKey, agentId: null })).toEqual({ sessionKey, agentId });
    expect(resolveSession({ sessionKey, agentId })).toEqual({ sessionKey, agentId });
    expect(agentOf(sessionKey)).toBe(agentId);
  });

  test.each(["other", "Main", "", "main "])("a given agentId %j that contradicts the key is refused", (agentId) => {
    expectRefused(() => resolveSession({ sessionKey: "agent:main:chat", agentId }), "agentId", /contradicts.* main/);
  });

  test.each([
    "agent:",
    "agent:main",
    "agent:main:",
    "agent::rest",
    "agent:-main:rest",
    "agent:_main:rest",
    "agent:ma in:rest",
    "agent:mäin:rest",
    "agent: main:rest",
    `agent:${"a".repeat(65)}:x`,
  ])("%s starts with agent: but does not fit and is refused", (sessionKey) => {
    expectRefused(() => resolveSession({ sessionKey, agentId: "main" }), "sessionKey", /agent:<agentId>:<rest>/);
    expectRefused(() => checkKey(sessionKey, "spawnedBy"), "spawnedBy", /agent:<agentId>:<rest>/);
  });
});

describe("section 2: any other key is bare and needs agentId beside it", () => {
  test.each(["global", "Agent:main:x", "AGENT:", "agents:x", "xagent:main:y", "agent", "main:subagent:x"])(
    "%s",
    (sessionKey) => {
      expect(resolveSession({ sessionKey, agentId: "main" })).toEqual({ sessionKey, agentId: "main" });
      expect(agentOf(sessionKey)).toBeNull();
      expectRefused(() => resolveSession({ sessionKey }), "agentId", /give agentId beside it/);
      expectRefused(() => resolveSession({ sessionKey, agentId: null }), "agentId", /give agentId beside it/);
    },
  );

  test.each(["", " ", "-a", "a b", "a:b", "ä", "a\n", "a".repeat(65)])("agentId %j is refused", (agentId) => {
    expectRefused(() => resolveSession({ sessionKey: "global", agentId }), "agentId", /1 to 64 letters/);
  });

  test("a refusal names the input's own fields", () => {
    const fields = { key: "targetSessionKey", agent: "targetAgentId" };
    expectRefused(() => resolveSession({ sessionKey: "" }, fields), "targetSessionKey", /^targetSessionKey must/);
    expectRefused(() => resolveSession({ sessionKey: "global" }, fields), "targetAgentId", /targetAgentId/);
    expectRefused(
      () => resolveSession({ sessionKey: "agent:a:b", agentId: "c" }, fields),
      "targetAgentId",
      /targetSessionKey/,
    );
  });
});

describe("section 2: keys are opaque and case-sensitive", () => {
  test.each([
    "Global",
    "GLOBAL",
    "two words",
    "two  blanks",
    "Straße",
    "é",
    "ﬁ",
    "会话",
    "عربي",
    "😀",
    "a/b?c=d&'e'",
    "$&",
  ])("%s comes back as it is", (key) => expect(checkKey(key, "sessionKey")).toBe(key));

  test("1 to 512 characters, counted as UTF-16 code units", () => {
    expect(checkKey("k".repeat(512), "sessionKey")).toHaveLength(512);
    expect(checkKey("😀".repeat(256), "sessionKey")).toHaveLength(512);
    expectRefused(() => checkKey("", "sessionKey"), "sessionKey", /1 to 512/);
    expectRefused(() => checkKey("k".repeat(513), "sessionKey"), "sessionKey", /512.*513/);
    expectRefused(() => checkKey("😀".repeat(257), "sessionKey"), "sessionKey", /512.*514/);
    expectRefused(() => checkKey("k".repeat(5_000_000), "sessionKey"), "sessionKey", /512.*5000000/);
  });

  test.each([" global", "global ", "\u00a0global", "global\u3000", " ", "agent:main:x "])(
    "leading or trailing white space is refused: %j",
    (key) => expectRefused(() => checkKey(key, "sessionKey"), "sessionKey", /white space/),
  );

  test("a double quote is refused", () => {
    expectRefused(() => checkKey('say "hi"', "sessionKey"), "sessionKey", /double quote/);
  });

  test("a key that is not NFC is refused, not normalised", () => {
    expectRefused(() => checkKey("e\u0301", "sessionKey"), "sessionKey", /NFC/);
    expectRefused(() => checkKey("agent:main:e\u0301", "sessionKey"), "sessionKey", /NFC/);
    expectRefused(() => checkKey("\u212b", "sessionKey"), "sessionKey", /NFC/);
  });

  test.each(hiddenCharacters)("%s is refused wherever it stands", (_name, character) => {
    for (const key of [`a${character}b`, `${character}b`, `a${character}`, `agent:main:x${character}y`]) {
      expectRefused(() => checkKey(key, "sessionKey"), "sessionKey", /remove it|whole characters/);
    }
  });

  test("the refusal says which character stands where", () => {
    expectRefused(() => checkKey("ab\u200bc", "sessionKey"), "sessionKey", /U\+200B at position 3/);
    expectRefused(() => checkKey("a\u{e0041}", "sessionKey"), "sessionKey", /U\+E0041 at position 2/);
  });

  test("whatever is accepted comes back unchanged, and resolves to one agent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (rest) => {
        const key = `agent:main:${rest}`;
        try {
          expect(resolveSession({ sessionKey: key })).toEqual({ sessionKey: key, agentId: "main" });
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
    );
  });
});

describe("section 2: sub-agent", () => {
  test.each([
    ["agent:main:subagent:1", true],
    ["agent:main:subagent:", true],
    ["agent:main:chat:subagent:1", true],
    ["agent:main::subagent:", true],
    ["agent:subagent:chat", false],
    ["agent:subagent:subagent:1", true],
    ["agent:main:subagent", false],
    ["agent:main:mysubagent:1", false],
    ["agent:main:Subagent:1", false],
    ["subagent:1", false],
    ["global:subagent:1", false],
  ])("the rest starts with subagent: or contains :subagent: — %s is %s", (key, expected) => {
    expect(isSubagent(key)).toBe(expected);
  });
});

describe("opaque ids", () => {
  test("absent is null", () => {
    expect(checkId(null, "runId")).toBeNull();
    expect(checkId(undefined, "runId")).toBeNull();
  });

  test.each(["r-1", " spaced ", 'a "quoted" id', "e\u0301", "agent:", "会话 😀", "x".repeat(512)])(
    "%j is kept unchanged",
    (id) => {
      expect(checkId(id, "runId")).toBe(id);
    },
  );

  test("empty and more than 512 characters are refused", () => {
    expectRefused(() => checkId("", "dedupeKey"), "dedupeKey", /1 to 512/);
    expectRefused(
      () => checkId("x".repeat(513), "inputs[3].actor.id"),
      "inputs[3].actor.id",
      /^inputs\[3\]\.actor\.id .*512/,
    );
  });

  test.each(hiddenCharacters)("%s is refused", (_name, character) => {
    expectRefused(() => checkId(`a${character}b`, "runId"), "runId", /remove it|whole characters/);
  });
});
