import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { dumpRows } from "../storage/dump.ts";
import { nextEpoch } from "./sui-chain.ts";
import { liveFor, MINUTE_MS, platformStub, stub, type TestFund } from "./sui-fund.ts";

/** A copy of a fund's storage: SQL text that makes it again. */
export type FundCopy = string;

/** Copies a fund's storage, as a backup does. */
export function copyOf(fund: TestFund): Promise<FundCopy> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    dumpRows((query) => storage.sql.exec<Record<string, SqlStorageValue>>(query).toArray()),
  );
}

/** Puts a copy back in place of the fund's storage. The next call makes a new instance from it. */
export async function putBack(fund: TestFund, copy: FundCopy): Promise<void> {
  const stub = platformStub(fund);
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    storage.sql.exec(copy);
  });
  await evictDurableObject(stub);
}

/** Recovers a fund, and lives until that is done. The epochs of an address balance end meanwhile. */
export async function recoverFully(fund: TestFund, mode: "coin" | "address_balance"): Promise<void> {
  const begun = await stub(fund).recover();
  if (begun === null || !begun.ok) throw new Error(JSON.stringify(begun));
  for (let epoch = 0; mode === "address_balance" && epoch < 2; epoch++) {
    expect((await stub(fund).view())?.recovery).toMatchObject({ state: "waiting" });
    await nextEpoch();
    await liveFor(fund, 6 * MINUTE_MS);
  }
  for (let minute = 0; minute < 40 && (await stub(fund).view())?.recovery?.state !== "done"; minute++)
    await liveFor(fund, MINUTE_MS);
  expect((await stub(fund).view())?.recovery).toMatchObject({ state: "done", openReferences: 0 });
}
