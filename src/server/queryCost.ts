import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from "graphql";

export type OperationToWeigh = {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues?: { readonly [name: string]: unknown } | null | undefined;
};

/** `cost` is about how many values the answer can have; `mutations` how many fields of the mutation type it asks for. */
export type Weight = { cost: number; mutations: number };

/** How many items a field gives when its argument does not say; the domain's own defaults are not more. */
const usualItems = 200;
/** No list of the contract takes or gives more: whatever a caller asks for, the domain stops there. */
const mostItems = 500;
/** Most of what is asked about a type is null, because it holds for types of another kind. */
const introspectionShare = 0.1;
/** Lists of the introspection have no arguments. About how long they are in a schema like this one. */
const introspectionItems: Readonly<Record<string, number>> = { types: 80, fields: 6, inputFields: 2, enumValues: 2 };

/**
 * What an operation is going to cost before it is executed. A field costs 1, and one that is a list as many times what
 * stands below it as it has items. That is told by its own arguments (`first`, `limit`, or a list) or else by those of
 * the field it is in, as with the edges of a page. A mutation costs its items too. The operation must be valid: no ring of fragments, every name known.
 */
export function weigh(operation: OperationToWeigh): Weight {
  const { schema, document } = operation;
  const definition = getOperationAST(document, operation.operationName);
  const root = definition && schema.getRootType(definition.operation);
  if (!definition || !root) return { cost: 0, mutations: 0 };
  const scale = new Scale(schema, document, withDefaults(definition, operation.variableValues ?? {}));
  const cost = scale.costOf(definition.selectionSet, root, null);
  return { cost, mutations: definition.operation === "mutation" ? scale.fieldsOf(definition.selectionSet) : 0 };
}

type Variables = { readonly [name: string]: unknown };

function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue === undefined || given[variable.name.value] !== undefined
      ? []
      : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
  );
  return defaults.length === 0 ? given : { ...given, ...Object.fromEntries(defaults) };
}

class Scale {
  readonly #schema: GraphQLSchema;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** A fragment costs the same wherever it is spread; without this, fragments that spread fragments would take for ever. */
  readonly #costs = new Map<string, number>();
  readonly #fields = new Map<string, number>();

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Variables) {
    this.#schema = schema;
    this.#variables = variables;
    for (const each of document.definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(each.name.value, each);
    }
  }

  /** `items` is how many the next list on the way down has, where an argument above has said so. */
  costOf({ selections }: SelectionSetNode, type: GraphQLNamedType, items: number | null): number {
    let cost = 0;
    for (const each of selections) {
      if (each.kind === Kind.FIELD) cost += this.#costOfField(each, type, items);
      else if (each.kind === Kind.FRAGMENT_SPREAD) cost += this.#costOfFragment(each.name.value, items);
      else cost += this.costOf(each.selectionSet, this.#typeOr(each.typeCondition?.name.value, type), items);
    }
    return cost;
  }

  /** How many fields a selection asks for at its own level. */
  fieldsOf({ selections }: SelectionSetNode): number {
    let fields = 0;
    for (const each of selections) {
      if (each.kind === Kind.FIELD) fields += 1;
      else if (each.kind === Kind.INLINE_FRAGMENT) fields += this.fieldsOf(each.selectionSet);
      else
        fields += this.#remembered(this.#fields, each.name.value, null, (spread) => this.fieldsOf(spread.selectionSet));
    }
    return fields;
  }

  #costOfFragment(name: string, items: number | null): number {
    return this.#remembered(this.#costs, name, items, ({ selectionSet, typeCondition }) => {
      const type = this.#schema.getType(typeCondition.name.value);
      return type === undefined ? 0 : this.costOf(selectionSet, type, items);
    });
  }

  #remembered(
    memory: Map<string, number>,
    name: string,
    items: number | null,
    work: (fragment: FragmentDefinitionNode) => number,
  ): number {
    const key = `${name} ${items}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    const found = fragment === undefined ? 0 : work(fragment);
    memory.set(key, found);
    return found;
  }

  #costOfField(node: FieldNode, type: GraphQLNamedType, above: number | null): number {
    if (node.selectionSet === undefined) return 1;
    const field = fieldOf(type, node.name.value);
    if (field === undefined) return 1;
    const size = sizeOf(field);
    const items = size === null ? above : itemsIn(this.#argument(node.arguments, size), size);
    const isList = isListType(getNullableType(field.type));
    const below = this.costOf(node.selectionSet, getNamedType(field.type), isList ? null : items);
    if (field === SchemaMetaFieldDef || field === TypeMetaFieldDef) return 1 + introspectionShare * below;
    if (type.name.startsWith("__")) return 1 + (introspectionItems[field.name] ?? 1) * below;
    // A mutation does its work for each item, whatever is asked of the answer.
    const work = size !== null && type === this.#schema.getMutationType() ? (items ?? 0) : 0;
    return 1 + work + (isList ? (items ?? 1) : 1) * below;
  }

  #argument(given: readonly ArgumentNode[] = [], { path: [name, member] }: Size): unknown {
    const node = given.find((each) => each.name.value === name)?.value;
    const value: unknown = node === undefined ? undefined : valueFromASTUntyped(node, this.#variables);
    if (member === undefined || typeof value !== "object" || value === null) return value;
    return Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
  }

  #typeOr(name: string | undefined, otherwise: GraphQLNamedType): GraphQLNamedType {
    return (name === undefined ? undefined : this.#schema.getType(name)) ?? otherwise;
  }
}

function fieldOf(type: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** Which argument, or member of an input argument, says how many items a field has. */
type Size = { path: readonly [argument: string, member?: string]; fallback: number };

const sizes = new WeakMap<object, Size | null>();

/** Read off the schema, so that a new field needs no entry anywhere. */
function sizeOf(field: GraphQLField<unknown, unknown>): Size | null {
  let size = sizes.get(field);
  if (size === undefined) {
    size = findSize(field.args);
    sizes.set(field, size);
  }
  return size;
}

function findSize(args: readonly GraphQLArgument[]): Size | null {
  for (const argument of args) {
    const type = getNullableType(argument.type);
    if (saysHowMany(argument)) return { path: [argument.name], fallback: fallbackOf(argument) };
    if (!isInputObjectType(type)) continue;
    const member = Object.values(type.getFields()).find(saysHowMany);
    if (member !== undefined) return { path: [argument.name, member.name], fallback: fallbackOf(member) };
  }
  return null;
}

function saysHowMany({ name, type }: GraphQLArgument | GraphQLInputField): boolean {
  return name === "first" || name === "limit" || isListType(getNullableType(type));
}

function fallbackOf({ type, defaultValue }: GraphQLArgument | GraphQLInputField): number {
  if (typeof defaultValue === "number") return defaultValue;
  return isListType(getNullableType(type)) ? 1 : usualItems;
}

function itemsIn(value: unknown, { fallback }: Size): number {
  const items = Array.isArray(value) ? value.length : typeof value === "number" ? value : fallback;
  return Number.isFinite(items) ? Math.min(Math.max(items, 1), mostItems) : fallback;
}
