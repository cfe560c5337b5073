import { type DomainOptions, openDomain, type TestDomain } from "./domain.js";
import type { TestPostgres } from "./postgres.js";

/** Opens the domain on new databases of one server. */
export function postgresDomains(server: () => TestPostgres) {
  return async (options: DomainOptions = {}): Promise<TestDomain> =>
    openDomain(await server().createDatabase(), options);
}
