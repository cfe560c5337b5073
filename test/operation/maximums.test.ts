import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";

/** Variable, name in the configuration, default, least, most. */
const table = [
  ["HEADSUP_MAX_QUERY_DEPTH", "queryDepth", 16, 1, 100],
  ["HEADSUP_MAX_QUERY_ALIASES", "queryAliases", 30, 0, 10_000],
  ["HEADSUP_MAX_QUERY_DIRECTIVES", "queryDirectives", 30, 0, 10_000],
  ["HEADSUP_MAX_QUERY_TOKENS", "queryTokens", 1_000, 10, 100_000],
  ["HEADSUP_MAX_QUERY_COST", "queryCost", 10_000, 1, 1_000_000_000],
  ["HEADSUP_MAX_REQUEST_BYTES", "requestBytes", 1_048_576, 1_024, 104_857_600],
  ["HEADSUP_MAX_INIT_WAIT_MS", "initWaitMs", 10_000, 10, 600_000],
  ["HEADSUP_MAX_SUBSCRIPTIONS_PER_SOCKET", "subscriptionsPerSocket", 100, 1, 1_000_000],
  ["HEADSUP_MAX_SOCKETS_PER_TOKEN", "socketsPerToken", 500, 1, 1_000_000],
  ["HEADSUP_MAX_SOCKETS", "sockets", 2_000, 1, 1_000_000],
  ["HEADSUP_MAX_MUTATIONS_PER_10S", "mutationsPer10s", 60_000, 0, 1_000_000_000],
] as const;

describe("section 10: the limits", () => {
  test("every limit has a variable, and its default", () => {
    expect(loadConfig({}).max).toEqual(Object.fromEntries(table.map(([, name, standard]) => [name, standard])));
    expect(Object.isFrozen(loadConfig({}).max)).toBe(true);
  });

  test.each(table)("%s sets %s (%d) within its bounds", (variable, name, _standard, min, max) => {
    for (const value of [min, max]) expect(loadConfig({ [variable]: String(value) }).max[name]).toBe(value);
    for (const bad of [min - 1, max + 1, "many", "1.5"]) {
      expect(() => loadConfig({ [variable]: String(bad) })).toThrow(
        new RegExp(`^${variable} ".*" must be a whole number from ${min} to ${max}$`),
      );
    }
  });
});
