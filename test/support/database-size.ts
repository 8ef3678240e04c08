import { runInDurableObject } from "cloudflare:test";

/** Has the platform answer another size of an object's database, until the instance ends. No test fills gigabytes. */
export function setDatabaseSize(stub: DurableObjectStub, bytes: number): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    Object.defineProperty(storage.sql, "databaseSize", { configurable: true, get: () => bytes });
  });
}
