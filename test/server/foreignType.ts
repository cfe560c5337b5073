/**
 * Loaded into a server's process: tells whoever asks whether its graphql looks a second time at a value that is no type of
 * its own. In development it does, and throws where the value calls itself one.
 */
class GraphQLScalarType {
  readonly [Symbol.toStringTag] = "GraphQLScalarType";
}

process.on("message", async () => {
  const { isScalarType } = await import("graphql");
  try {
    isScalarType(new GraphQLScalarType());
    process.send?.({ looksTwice: false });
  } catch {
    process.send?.({ looksTwice: true });
  }
});
