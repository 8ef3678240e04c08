import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import type { LedgerRow } from "../../shared/fund/ledger/books.ts";
import { WHOLE_FUND } from "../../shared/fund/ledger/books.ts";
import { withheldAtoms } from "../../shared/fund/ledger/usage.ts";
import { SqliteSuiFundStore } from "../../shared/fund/sui/sqlite-store.ts";
import type { FundCoin, SuiSponsorship, SuiTreasuryTransaction } from "../../shared/fund/sui/store.ts";
import { unpacked } from "./fund/sqlite-fund.ts";
import { balanceOnChain, coinsOnChain } from "./sui-chain.ts";
import { platformStub, type TestFund } from "./sui-fund.ts";

const ENDED: readonly (string | null)[] = ["complete", "dead", "unresolvable"];

/** What a fund has on disk, read without calling it. */
export function onDisk<T>(fund: TestFund, read: (store: SqliteSuiFundStore, sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    read(new SqliteSuiFundStore(storage, () => {}), storage.sql),
  );
}

export function sponsorshipOf(fund: TestFund, { digest }: { readonly digest: string }): Promise<SuiSponsorship> {
  return onDisk(fund, (store) => {
    const row = store.sponsorship(digest);
    if (row === null) throw new Error(`no sponsorship ${digest}`);
    return row;
  });
}

/** The states of these sponsorships, in this order. */
export function statesOf(fund: TestFund, rows: readonly { readonly digest: string }[]): Promise<readonly unknown[]> {
  return onDisk(fund, (store) => rows.map(({ digest }) => store.sponsorship(digest)?.state));
}

/** Every coin that is not gone, in the order of their ids. */
export function coinsOf(fund: TestFund): Promise<readonly FundCoin[]> {
  return onDisk(fund, (store) => store.ownedCoins());
}

/** The fund's treasury transactions of a purpose, oldest first. */
export function ownTransactions(
  fund: TestFund,
  purpose: SuiTreasuryTransaction["purpose"],
): Promise<readonly SuiTreasuryTransaction[]> {
  return onDisk(fund, (store, sql) =>
    sql
      .exec<{ digest: string }>("SELECT digest FROM own_transaction WHERE purpose = ? ORDER BY rowid", purpose)
      .toArray()
      .flatMap(({ digest }) => store.treasuryTransaction(digest) ?? []),
  );
}

/** Oldest first. */
export function ledgerOf(fund: TestFund): Promise<readonly LedgerRow[]> {
  return onDisk(fund, (store) => store.oldestLedger(10_000).map(({ row }) => row));
}

/**
 * The fund's books are the chain's, to the last coin, version and MIST, and add up: the ledger to the totals, what is
 * withheld to the live sponsorships. While a transaction of the fund's is open they may differ, by that one.
 */
export async function expectExactBooks(fund: TestFund): Promise<void> {
  const books = await onDisk(fund, (store, sql) => ({
    coins: store.ownedCoins(),
    totals: store.totals(),
    usage: store.usage(WHOLE_FUND),
    ledger: store.oldestLedger(100_000).map(({ row }) => row),
    live: sql
      .exec<{ digest: ArrayBuffer | string }>("SELECT digest FROM sponsorship_row")
      .toArray()
      .map(({ digest }) => unpacked(digest))
      .filter((digest) => !ENDED.includes(store.stateOf(digest)))
      .flatMap((digest) => store.sponsorship(digest) ?? []),
    dueDigests: store.liveIds(null),
  }));
  const { coins, totals, usage, ledger, live, dueDigests } = books;
  const refs = coins.map(({ objectId, version, digest, balanceMist }) => ({ objectId, version, digest, balanceMist }));
  const onChain = await coinsOnChain(fund.address);
  const own = onChain.flatMap(({ isParty, ...coin }) => (isParty ? [] : [coin]));
  expect(refs, "every coin as the chain has it").toEqual(own);
  const chain = await balanceOnChain(fund.address);
  const partyMist = onChain.reduce((sum, { isParty, balanceMist }) => sum + (isParty ? balanceMist : 0n), 0n);
  expect(totals).toMatchObject({
    balanceAtoms: chain.totalMist - partyMist,
    addressBalanceAtoms: chain.addressBalanceMist,
  });
  for (const column of ["balanceAtoms", "addressBalanceAtoms", "inFlightAtoms", "accruedFeesAtoms"] as const)
    expect(
      ledger.reduce((sum, row) => sum + row[column], 0n),
      `the ledger adds up to ${column}`,
    ).toBe(totals[column]);
  const withheld = live.filter(({ isReleased }) => !isReleased);
  const inFlightAtoms = withheld.reduce((sum, row) => sum + withheldAtoms(row), 0n);
  expect(totals.inFlightAtoms, "what is withheld is withheld for live sponsorships").toBe(inFlightAtoms);
  expect(usage).toMatchObject({ inFlightCount: withheld.length, inFlightAtoms });
  expect(new Set(dueDigests), "whatever is live is due some time").toEqual(new Set(live.map(({ digest }) => digest)));
  for (const { state, heldByDigest } of coins)
    expect(heldByDigest === null, "only a free coin is held by nothing").toBe(state === "free");
}
