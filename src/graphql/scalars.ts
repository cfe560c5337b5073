import { GraphQLError, GraphQLID, GraphQLScalarType, Kind, type ObjectFieldNode, type ValueNode } from "graphql";
import type { Payload } from "../awareness/awareness.js";
import { builder } from "./builder.js";

/**
 * An id as GraphQL has it, but a number only where it is exactly the one that was written: JSON.parse rounds those above
 * 2^53, and so would name another session.
 */
export function parseId(value: unknown): string {
  const isExact = typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value === "number" && !isExact) throw new GraphQLError("An ID is a string, or an integer up to 2^53 - 1.");
  return GraphQLID.parseValue(value);
}

builder.addScalarType("ID", new GraphQLScalarType({ ...GraphQLID.toConfig(), parseValue: parseId }));

const versionRule = "StateVersion must be an integer from 0 to 9007199254740991.";

/** A position in the signal log: an integer from 0 to 2^53 - 1, so that a JSON number holds it exactly. */
export function parseStateVersion(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new GraphQLError(versionRule);
  return value + 0; // -0 becomes 0
}

/** Checked on the digits themselves: as a number, 9007199254740993 would silently become its neighbour. */
function parseStateVersionLiteral(node: ValueNode): number {
  const digits = node.kind === Kind.INT && node.value.length <= 16 ? BigInt(node.value) : -1n;
  if (digits < 0n || digits > BigInt(Number.MAX_SAFE_INTEGER)) throw new GraphQLError(versionRule, { nodes: node });
  return Number(digits);
}

builder.scalarType("StateVersion", {
  description: "A position in the signal log: an integer from 0 to 2^53 - 1, sent as a JSON number.",
  serialize: parseStateVersion,
  parseValue: parseStateVersion,
  parseLiteral: parseStateVersionLiteral,
});

const isoWithZone =
  /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;

/**
 * A time as ISO 8601 with a zone, or else an Invalid Date. It never refuses: `occurredAt` is shown and not trusted, and
 * what cannot be read counts as absent (contract, section 4).
 */
export function parseDateTime(value: unknown): Date {
  const invalid = new Date(Number.NaN);
  const parts = typeof value === "string" ? isoWithZone.exec(value) : null;
  if (parts === null) return invalid;
  const [year, month, day] = parts.slice(1, 4).map(Number);
  // Date rolls 30 February over into March; a calendar does not have it.
  const calendar = new Date(0);
  calendar.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  if (calendar.getUTCMonth() + 1 !== month || calendar.getUTCDate() !== day) return invalid;
  return new Date(parts[0].toUpperCase().replace(",", "."));
}

builder.scalarType("DateTime", {
  description:
    "A time as ISO 8601, always UTC on the way out. On the way in any zone will do; what cannot be read counts as absent.",
  serialize: (date: Date) => date.toISOString(),
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : null),
});

const objectRule = "JSONObject must be a JSON object.";

function parseJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new GraphQLError(objectRule);
  return value as Record<string, unknown>; // any JSON object is one; what may be inside it is the domain's to say
}

type Variables = Record<string, unknown> | null | undefined;

function jsonFromFields(fields: readonly ObjectFieldNode[], variables: Variables): Record<string, unknown> {
  // fromEntries defines own properties, so a key called __proto__ stays data and sets no prototype.
  return Object.fromEntries(fields.map((field) => [field.name.value, jsonFromLiteral(field.value, variables)]));
}

function jsonFromLiteral(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.OBJECT:
      return jsonFromFields(node.fields, variables);
    case Kind.LIST:
      return node.values.map((value) => jsonFromLiteral(value, variables));
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      return variables?.[node.name.value] ?? null;
    default:
      return node.value; // strings, booleans, and enum names as the strings they look like
  }
}

builder.scalarType("JSONObject", {
  description: "Any JSON object. Where it is taken as input, the field says what may be inside.",
  serialize: (value: Payload) => value,
  parseValue: parseJsonObject,
  parseLiteral: (node, variables) => {
    if (node.kind !== Kind.OBJECT) throw new GraphQLError(objectRule, { nodes: node });
    return jsonFromFields(node.fields, variables);
  },
});
