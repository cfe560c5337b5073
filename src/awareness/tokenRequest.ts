import { isStorable } from "../clock.js";
import { oneLine } from "./oneLine.js";
import { badInput } from "./refusals.js";
import { checkAgentId } from "./sessionKey.js";
import type { TokenRequest } from "./tokenDesk.js";
import { type Rights, scopeNames } from "./viewer.js";

const nameMaxChars = 64;

/** A request for a token that makes sense. Throws `BAD_USER_INPUT` for `name`, `scopes`, `agents` or `expiresAt`. */
export function checkRequest(request: TokenRequest, now: Date): TokenRequest {
  const { name, expiresAt = null } = request;
  if (name === "" || name.length > nameMaxChars || oneLine(name, nameMaxChars) !== name) {
    throw badInput("name", `A token's name is one line of 1 to ${nameMaxChars} characters.`);
  }
  // Else nobody could say by name which one to revoke.
  if (/^[0-9a-f]{12}$/.test(name)) throw badInput("name", "This name looks like the id of a token: take another.");
  if (expiresAt !== null && !(expiresAt > now && isStorable(expiresAt))) {
    throw badInput("expiresAt", "A token must expire in the future, before the year 10000.");
  }
  return { ...checkRights(request), name, expiresAt };
}

export function checkRights({ scopes, agents }: Rights): Rights {
  const known = scopeNames.filter((scope) => scopes.includes(scope));
  if (known.length === 0 || scopes.some((scope) => !scopeNames.includes(scope))) {
    throw badInput("scopes", `Scopes are one or more of ${scopeNames.join(", ")}.`);
  }
  if (agents === null) return { scopes: known, agents };
  if (known.includes("admin")) {
    throw badInput("agents", "An admin reaches all agents: leave the agents or the scope admin out.");
  }
  if (agents.length === 0) throw badInput("agents", "Name one or more agents, or all of them.");
  return { scopes: known, agents: [...new Set(agents.map((agent) => checkAgentId(agent, "agents")))] };
}
