import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { FAR_MS } from "./sqlite-fund.ts";

/**
 * Runs checks on the storage of a Fund object, all of them in one storage transaction. Its alarm stays far away.
 *
 * The first alarm of an object makes a table. In a transaction that has made one, SQLite reads the schema again after
 * each rollback. So an alarm is set before.
 */
export async function inFundStorage(name: string, check: (storage: DurableObjectStorage) => void): Promise<void> {
  const fund = env.FUND.getByName(name);
  await runInDurableObject(fund, (_, { storage }) => storage.setAlarm(FAR_MS));
  await runInDurableObject(fund, (_, { storage }) => check(storage));
}
