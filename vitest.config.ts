import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take half a minute each: begun last, one of them would keep everybody waiting. */
const slowest = [
  "model/property.test",
  "model/propertyPostgres.test",
  "attacks/",
  "console/console.test",
  "processes/",
  "server/process.test",
  "access/commandLine.test",
  "node/node.test",
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = slowest.findIndex((name) => moduleId.includes(`/test/${name}`));
      return index === -1 ? slowest.length : index;
    };
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  // vite would take the package's second copy, index.mjs, and an error of one copy is not an instance of the other's.
  resolve: { alias: [{ find: /^graphql$/, replacement: "graphql/index.js" }] },
  test: {
    include: ["test/**/*.test.ts"],
    // Many tests wait for processes that they start: one more than the cores that these machines have.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
