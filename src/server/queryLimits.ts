import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  visit,
} from "graphql";
import { Refusal } from "../awareness/refusals.js";
import type { Maximums } from "../config.js";

type ShapeLimits = Pick<Maximums, "queryDepth" | "queryAliases" | "queryDirectives">;

/** `LIMIT_EXCEEDED` in the words of every limit of an operation. */
export function limitExceeded(what: string, most: number): Refusal {
  return new Refusal("LIMIT_EXCEEDED", `An operation may have ${most} ${what} at most.`);
}

/**
 * What is too much about the shape of a document, or null. One pass over a document whose tokens are bounded, meant to
 * run before validation: some of the rules of validation take time that grows with the square of repeated fields.
 */
export function shapeProblem(document: DocumentNode, max: ShapeLimits): Refusal | null {
  const { aliases, directives, valueDepth } = count(document);
  if (directives > max.queryDirectives) return limitExceeded("directives", max.queryDirectives);
  if (aliases > max.queryAliases) return limitExceeded("aliases and repeated fields", max.queryAliases);
  if (Math.max(valueDepth, deepestSelection(document)) > max.queryDepth) {
    return limitExceeded("levels of nesting", max.queryDepth);
  }
  return null;
}

/**
 * A field that stands twice in one selection counts like an alias: it asks for the same once more, and comparing all
 * the repetitions with each other is what makes validation slow.
 */
function count(document: DocumentNode) {
  let aliases = 0;
  let directives = 0;
  let valueDepth = 0;
  let depth = 0;
  visit(document, {
    enter(node) {
      if (node.kind === Kind.DIRECTIVE) directives += 1;
      else if (node.kind === Kind.SELECTION_SET) aliases += repeatedFields(node);
      else if (node.kind === Kind.FIELD && node.alias !== undefined) aliases += 1;
      else if (isNested(node)) {
        depth += 1;
        valueDepth = Math.max(valueDepth, depth);
      }
    },
    leave(node) {
      if (isNested(node)) depth -= 1;
    },
  });
  return { aliases, directives, valueDepth };
}

function isNested(node: ASTNode): boolean {
  return node.kind === Kind.LIST || node.kind === Kind.OBJECT || node.kind === Kind.LIST_TYPE;
}

function repeatedFields({ selections }: SelectionSetNode): number {
  const names = selections.flatMap((selection) =>
    selection.kind === Kind.FIELD && selection.alias === undefined ? [selection.name.value] : [],
  );
  return names.length - new Set(names).size;
}

/** Fragments counted where they are spread. A fragment that spreads itself ends there: validation refuses it. */
function deepestSelection(document: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const known = new Map<string, number>();

  const ofFragment = (name: string): number => {
    const depth = known.get(name);
    if (depth !== undefined) return depth;
    known.set(name, 0);
    const fragment = fragments.get(name);
    const found = fragment === undefined ? 0 : ofSelections(fragment.selectionSet);
    known.set(name, found);
    return found;
  };
  const ofSelections = ({ selections }: SelectionSetNode): number => {
    let deepest = 0;
    for (const each of selections) {
      const below =
        each.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(each.name.value)
          : each.selectionSet === undefined
            ? 0
            : ofSelections(each.selectionSet);
      deepest = Math.max(deepest, each.kind === Kind.FIELD ? below + 1 : below);
    }
    return deepest;
  };
  return Math.max(
    0,
    ...document.definitions.map((each) =>
      "selectionSet" in each && each.selectionSet ? ofSelections(each.selectionSet) : 0,
    ),
  );
}
