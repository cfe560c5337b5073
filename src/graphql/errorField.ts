import { type ASTNode, BREAK, type DocumentNode, type GraphQLError, Kind, parse, type Source, visit } from "graphql";

/** Where in the operation something stands: the names down to it, or the nearest name if it is no input. */
type Place = { kind: "input" | "variable" | "name"; path: string };

/**
 * Which input a client's mistake is in, in the words of the schema and without the leading `input`: `actor.type`,
 * `inputs[3].kind`, `first`, or the name of a field that does not exist (contract, section 11, `extensions.field`).
 * graphql says it only in prose and positions, so this reads both; where nothing fits it is `query`.
 */
export function fieldOf(error: GraphQLError): string {
  if (error.source === undefined) return requestPart(error.message);
  const document = documentOf(error.source);
  if (document === null) return "query"; // the mistake is one of syntax
  const places = (error.positions ?? []).map((position) => placeAt(document, position));
  const place = places.find(({ kind }) => kind === "input") ?? places[0];
  if (place === undefined) return "query";
  const { kind, path } = place;
  if (kind === "variable") return variableField(document, path, error);
  if (kind === "name") return argumentLacking(error.message) ?? path;
  return spell(join(path, /^Field "\w+\.(\w+)" of required type/.exec(error.message)?.[1]));
}

/** One operation may have a hundred mistakes in it; it is read once. */
const documents = new WeakMap<Source, DocumentNode | null>();

function documentOf(source: Source): DocumentNode | null {
  let document = documents.get(source);
  if (document === undefined) {
    document = tryToParse(source);
    documents.set(source, document);
  }
  return document;
}

function tryToParse(source: Source): DocumentNode | null {
  try {
    return parse(source);
  } catch {
    return null;
  }
}

/** Mistakes in the request around the operation: there the transport's wording names the part. */
function requestPart(message: string): string {
  if (/(what|identify) operation/.test(message)) return "operationName";
  const [, parameter] = /parameter "(\w{1,64})"/.exec(message) ?? [];
  return parameter ?? /\b(variables|extensions|operationName)\b/.exec(message)?.[1] ?? "query";
}

function variableField(document: DocumentNode, name: string, error: GraphQLError): string {
  const inside =
    [...error.message.matchAll(new RegExp(` at "${name}((?:\\.\\w+|\\[\\d+\\])+)"; `, "g"))].at(-1)?.[1] ?? "";
  // What was said of the value itself, without the value: that could say anything.
  const complaint = error.originalError?.message ?? "";
  const member = /^Field "(\w+)" (?:of required type|is not defined by type)/.exec(complaint)?.[1];
  return spell(join((usageOf(document, name) ?? name) + inside, member));
}

function argumentLacking(message: string): string | undefined {
  return /argument "(\w+)" of (?:required )?type/i.exec(message)?.[1];
}

function join(path: string, member: string | undefined): string {
  return member === undefined ? path : `${path}.${member}`;
}

function spell(path: string): string {
  return path.startsWith("input.") ? path.slice("input.".length) : path;
}

/** The innermost named place that holds the character at `position`. */
function placeAt(document: DocumentNode, position: number): Place {
  let place: Place = { kind: "name", path: "query" };
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      if (node.loc !== undefined && (position < node.loc.start || position >= node.loc.end)) return false;
      place = placeOf([...ancestors, parent, node]) ?? place;
    },
  });
  return place;
}

/** From the document down to a node, as `visit` tells it: nodes, and the arrays that they stand in. */
type Line = readonly (ASTNode | readonly ASTNode[] | undefined)[];

function isNode(each: Line[number]): each is ASTNode {
  return each !== undefined && "kind" in each;
}

function placeOf(line: Line): Place | undefined {
  const node = line.at(-1);
  if (!isNode(node)) return undefined;
  if (node.kind === Kind.VARIABLE_DEFINITION) return { kind: "variable", path: node.variable.name.value };
  if (node.kind === Kind.FIELD) return { kind: "name", path: node.name.value };
  const path = inputPath(line);
  return path === "" ? undefined : { kind: "input", path };
}

function inputPath(line: Line): string {
  const nodes = line.filter(isNode);
  let path = "";
  nodes.forEach((each, at) => {
    if (each.kind === Kind.ARGUMENT) path = each.name.value;
    else if (each.kind === Kind.OBJECT_FIELD) path = join(path, each.name.value);
    else if (each.kind === Kind.LIST) {
      const index = each.values.findIndex((value) => value === nodes[at + 1]);
      if (index >= 0) path += `[${index}]`;
    }
  });
  return path;
}

function usageOf(document: DocumentNode, name: string): string | undefined {
  let usage: string | undefined;
  visit(document, {
    VariableDefinition: () => false,
    Variable(node, _key, parent, _path, ancestors) {
      if (node.name.value !== name) return;
      usage = inputPath([...ancestors, parent, node]);
      return BREAK;
    },
  });
  return usage || undefined;
}
