import { defineConfig } from "vitest/config";

export default defineConfig({
  // vite would take the package's second copy, index.mjs, and an error of one copy is not an instance of the other's.
  resolve: { alias: [{ find: /^graphql$/, replacement: "graphql/index.js" }] },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
