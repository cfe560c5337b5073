import { defineConfig } from "vitest/config";

export default defineConfig({
  // vite would take the package's second copy, index.mjs, and an error of one copy is not an instance of the other's.
  resolve: { alias: [{ find: /^graphql$/, replacement: "graphql/index.js" }] },
  test: {
    include: ["test/**/*.test.ts"],
    // Many tests wait for processes that they start: one more than the cores that these machines have.
    maxWorkers: 3,
    // No test leaves anything behind in its process, so files may share one.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
