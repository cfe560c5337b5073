import { readFileSync } from "node:fs";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";

const bindings = "@prisma/schema-engine-wasm/schema_engine_bg";

/**
 * The DDL that Prisma itself would write for a schema file: what our hand-written migrations must amount to. `factory`
 * is an adapter of the schema's provider; the engine asks it for the dialect.
 */
export async function ddlOf(schemaPath: string, factory: SqlMigrationAwareDriverAdapterFactory): Promise<string> {
  const { SchemaEngine } = await theEngine();
  const files = [{ path: "schema.prisma", content: readFileSync(schemaPath, "utf8") }];
  const adapter = bindMigrationAwareSqlAdapterFactory(factory);
  const engine = await SchemaEngine.new(
    { datamodels: files.map(({ path, content }) => [path, content]) },
    () => undefined,
    adapter,
  );
  const { stdout } = await engine.diff({
    from: { tag: "empty" },
    to: { tag: "schemaDatamodel", files },
    script: true,
    exitCode: null,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  if (stdout === null) throw new Error("the engine printed no DDL");
  return stdout;
}

type Engine = { diff(params: object): Promise<{ stdout: string | null }> };
type EngineModule = { SchemaEngine: { new: (options: object, log: () => void, adapter: object) => Promise<Engine> } };

let loaded: Promise<EngineModule> | undefined;

/** One instance: the package's glue keeps its state in the module. */
function theEngine(): Promise<EngineModule> {
  loaded ??= loadEngine();
  return loaded;
}

/** The package's own entry wants a bundler; Node instantiates its parts by hand. */
async function loadEngine(): Promise<EngineModule> {
  const module = await import(bindings);
  const wasm = readFileSync(new URL("schema_engine_bg.wasm", import.meta.resolve(bindings)));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": module });
  module.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return module;
}
