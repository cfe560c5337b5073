import type { Database } from "./database.js";
import { StorageError } from "./errors.js";

/** Refuses everything once it is closed: Prisma's client by itself would connect anew, and answer. */
export function refusingOnceClosed(database: Database): Database {
  let isClosed = false;
  function whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    return isClosed ? Promise.reject(new StorageError("the database is closed")) : work();
  }
  const { read } = database;
  return {
    ...database,
    read: {
      dialect: read.dialect,
      query: <Row>(statement: Parameters<typeof read.query>[0]) => whileOpen(() => read.query<Row>(statement)),
      execute: (statement) => whileOpen(() => read.execute(statement)),
    },
    write: (work, since) => whileOpen(() => database.write(work, since)),
    tellChanged: (changed) => whileOpen(() => database.tellChanged(changed)),
    close() {
      isClosed = true;
      return database.close();
    },
  };
}
