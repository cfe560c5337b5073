import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from "graphql";

/** Makes an input value of what JSON gave; throws where graphql would not take it, whatever it throws. */
export type Coerce = (given: unknown) => unknown;

/** Not what anybody is told: the executor coerces once more what failed here, and says why. */
const unfit = new Error("unfit");

const known = new WeakMap<GraphQLInputType, Coerce>();

/**
 * How values of this type are coerced, worked out once for each type: what graphql-js asks of the type again for each
 * value (is it a list, which fields has it, where in the input are we) is a third of the work for an append.
 */
export function coercionOf(type: GraphQLInputType): Coerce {
  let coerce = known.get(type);
  if (coerce === undefined) {
    coerce = workOut(type);
    known.set(type, coerce);
  }
  return coerce;
}

function workOut(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = coercionOf(type.ofType);
    return (given) => {
      if (given == null) throw unfit;
      return inner(given);
    };
  }
  if (isListType(type)) {
    const item = coercionOf(type.ofType);
    return (given) => (given == null ? null : Array.isArray(given) ? given.map((each) => item(each)) : [item(given)]);
  }
  if (isLeafType(type)) {
    return (given) => {
      if (given == null) return null;
      const value = type.parseValue(given);
      if (value === undefined) throw unfit;
      return value;
    };
  }
  return objectCoercion(type);
}

function objectCoercion(type: GraphQLInputObjectType): Coerce {
  // Asked for when the first value comes, because an input may hold inputs of its own type.
  let fields: ReturnType<typeof fieldsOf> | undefined;
  return (given) => {
    if (given == null) return null;
    if (typeof given !== "object" || Array.isArray(given) || type.isOneOf) throw unfit;
    fields ??= fieldsOf(type);
    const { list, names } = fields;
    for (const key of Object.keys(given)) if (!names.has(key)) throw unfit;
    const coerced: Record<string, unknown> = {};
    for (const { name, coerce, required, fallback } of list) {
      if (Object.hasOwn(given, name)) coerced[name] = coerce(Reflect.get(given, name));
      else if (required) throw unfit;
      else if (fallback !== undefined) coerced[name] = fallback;
    }
    return coerced;
  };
}

function fieldsOf(type: GraphQLInputObjectType) {
  const list = Object.values(type.getFields()).map(({ name, type, defaultValue }) => ({
    name,
    coerce: coercionOf(type),
    required: isNonNullType(type) && defaultValue === undefined,
    fallback: defaultValue,
  }));
  return { list, names: new Set(list.map(({ name }) => name)) };
}

export const holdsInputObjects = (type: GraphQLInputType): boolean =>
  isNonNullType(type) || isListType(type) ? holdsInputObjects(type.ofType) : isInputObjectType(type);
