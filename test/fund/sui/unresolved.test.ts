import { describe, expect, test } from "vitest";
import type { ObservedCoin } from "../../../shared/chain/sui/coins.ts";
import { type SuiLedgerState, withoutHistory } from "../../../shared/chain/sui/seen.ts";
import { addReserveEntry } from "../../../shared/fund/ledger/entries.ts";
import { usageToday } from "../../../shared/fund/ledger/usage.ts";
import { forceClose, proveOver } from "../../../shared/fund/sui/force-close.ts";
import { settle } from "../../../shared/fund/sui/settle.ts";
import type { SuiSponsorship, SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { settleTreasury } from "../../../shared/fund/sui/treasury-settle.ts";
import {
  canHaveTaken,
  closeByBalance,
  closeByCoins,
  doubtedMist,
  mostCostMist,
  type ShownCoins,
} from "../../../shared/fund/sui/unresolved.ts";
import {
  coin,
  deposit,
  digestOf,
  execution,
  FUND_ADDRESS,
  objectId,
  observed,
  ownTransaction,
  seen,
  seenCoins,
  sponsorship,
  storeOf,
} from "../simulation/rows.ts";

const NOW = { address: FUND_ADDRESS, nowMs: 5_000_000 };
const OVER = { epoch: 7n };

function heldBy(row: SuiSponsorship) {
  const store = storeOf(...[1, 2].map((serial) => coin(serial, { state: "quarantined", heldByDigest: row.digest })));
  store.putSponsorship(row);
  addReserveEntry(store, row.digest, row, 0);
  return store;
}

const expired = sponsorship("s", { state: "expired" });
const unmoved = [1, 2].map((serial) => observed(serial, 1n));
const secondOnly = [observed(2, 1n)];
const overpaid = observed(1, 4n, { previousTransaction: expired.digest, balanceMist: 0n });

/** A reading that does not show the first coin. */
function second(shown: Partial<ObservedCoin>): ShownCoins {
  return seenCoins([observed(2, 1n, shown)], OVER);
}

function stateAfter(readings: readonly ShownCoins[], row = expired) {
  const store = heldBy(row);
  const isClosed = closeByCoins(store, row.digest, readings, NOW);
  return [isClosed, store.sponsorship(row.digest)?.state];
}

describe("a sponsorship whose digest no host shows", () => {
  test("is dead once its last epoch is over and its coins have not moved", () => {
    expect(stateAfter([seenCoins(unmoved, OVER)])).toEqual([true, "dead"]);
    expect(stateAfter([seenCoins(unmoved, OVER)], sponsorship("s"))).toEqual([true, "dead"]);
  });

  test("is complete if it has written one of its coins itself", () => {
    const { digest: previousTransaction } = expired;
    const written = observed(1, 4n, { previousTransaction, balanceMist: 19_000_000n });
    const store = heldBy(expired);
    expect(closeByCoins(store, expired.digest, [seenCoins([written], OVER)], NOW)).toBe(true);
    expect(store.sponsorship(expired.digest)).toMatchObject({ state: "complete", chargedAtoms: 1_000_000n });
  });

  test("is unresolvable if the chain shows a coin no more: it takes the others over, and corrects the balance", () => {
    const store = heldBy(expired);
    expect(closeByCoins(store, expired.digest, [seenCoins(secondOnly, OVER)], NOW)).toBe(true);
    expect(store.sponsorship(expired.digest)).toMatchObject({
      state: "unresolvable",
      transactionBytes: new Uint8Array(),
    });
    expect([store.coin(objectId(1))?.state, store.coin(objectId(2))?.state]).toEqual(["gone", "free"]);
    expect(store.totals()).toMatchObject({ balanceAtoms: 10_000_000n, inFlightAtoms: 0n });
    expect(store.events).toEqual([{ type: "fund.unresolvable", digest: expired.digest }]);
    expect(usageToday(store, expired.keyId, 0)).toMatchObject({ inFlightCount: 0, spentTodayAtoms: 3_000_000n });
    expect(store.daily("key", 0, 1)).toMatchObject([{ unresolvable: 1, abandoned: 0, executed: 0 }]);
  });

  test("is unresolvable if its coin shows a cost above its budget: no charge can be that high", () => {
    const store = heldBy(expired);
    expect(closeByCoins(store, expired.digest, [seenCoins([overpaid, observed(2, 1n)], OVER)], NOW)).toBe(true);
    expect(store.sponsorship(expired.digest)?.state).toBe("unresolvable");
    expect(store.coin(objectId(1))).toMatchObject({ state: "free", balanceMist: 0n, version: 4n });
    expect(store.ledger.at(-1)).toMatchObject({ kind: "correction", balanceAtoms: -10_000_000n });
    expect(store.events.map(({ type }) => type)).toEqual(["fund.unresolvable"]);
  });

  test.each<[string, readonly ShownCoins[]]>([
    ["no host answers", []],
    ["its last epoch is not over", [seenCoins(secondOnly, { epoch: 6n })]],
    ["one host has not seen its last epoch end", [seenCoins(secondOnly, OVER), seenCoins(secondOnly, { epoch: 6n })]],
    ["two hosts show different coins", [seenCoins(secondOnly, OVER), seenCoins(unmoved, OVER)]],
    ["two hosts show different balances of a coin", [second({ balanceMist: 999_000_000_000n }), second({})]],
    ["two hosts show different owners of a coin", [second({ owner: { kind: "address", address: "0x9" } }), second({})]],
    ["two hosts show different kinds of owners", [second({ owner: { kind: "immutable" } }), second({})]],
    ["two hosts show different last writers", [second({ previousTransaction: expired.digest }), second({})]],
    ["a host shows a coin before its version", [seenCoins([observed(1, 0n)], OVER)]],
  ])("stays open while %s", (_, readings) => {
    expect(stateAfter(readings)).toEqual([false, "expired"]);
  });

  test("stays open while a treasury transaction takes its coin back", () => {
    const store = heldBy(expired);
    store.putCoin(coin(1, { state: "recycling", heldByDigest: expired.digest }));
    expect(closeByCoins(store, expired.digest, [seenCoins(secondOnly, OVER)], NOW)).toBe(false);
  });
});

describe("an unresolvable sponsorship from the address balance", () => {
  const row = sponsorship("s", { gasObjectId: null, feeAtoms: 500n });
  const shown = execution(row.digest);

  function closed(missingMist: bigint) {
    const store = storeOf();
    deposit(store, 20_000_000n, 20_000_000n);
    store.putSponsorship(row);
    addReserveEntry(store, row.digest, row, 0);
    closeByBalance(store, { sponsorships: [row], own: [] }, { checkpoint: 30n, missingMist }, NOW);
    return store;
  }

  test("costs what is missing from the balance, and nothing if nothing is", () => {
    expect(closed(1_000_000n).totals()).toMatchObject({ balanceAtoms: 19_000_000n, addressBalanceAtoms: 19_000_000n });
    expect(closed(-1_000_000n).totals()).toMatchObject({ balanceAtoms: 20_000_000n, inFlightAtoms: 0n });
  });

  test("completes once an endpoint shows it: charged, earned and counted once, and the balance stays", () => {
    const store = closed(1_000_000n);
    for (let looks = 0; looks < 2; looks++) expect(settle(store, shown, NOW.nowMs)).toBe(true);
    expect(store.sponsorship(row.digest)).toMatchObject({ state: "complete", chargedAtoms: 1_000_000n });
    expect(store.totals()).toMatchObject({
      balanceAtoms: 19_000_000n,
      addressBalanceAtoms: 19_000_000n,
      inFlightAtoms: 0n,
      accruedFeesAtoms: 500n,
    });
    expect(usageToday(store, row.keyId, 0)).toMatchObject({ inFlightCount: 0, spentTodayAtoms: 1_000_500n });
    expect(store.daily("key", 0, 1)).toMatchObject([{ unresolvable: 1, executed: 0, chargedAtoms: 1_000_000n }]);
    expect(store.events.map(({ type }) => type)).toEqual(["fund.unresolvable", "sponsorship.completed"]);
  });

  test("takes no effects that cannot be its own", () => {
    const store = closed(0n);
    expect(settle(store, { ...shown, gasObjectId: objectId(1) }, NOW.nowMs)).toBe(false);
    const gasUsed = { ...shown.gasUsed, computationCostMist: 3_000_001n };
    expect(settle(store, { ...shown, gasUsed }, NOW.nowMs)).toBe(false);
    expect(store.sponsorship(row.digest)?.state).toBe("unresolvable");
  });
});

describe("an unresolvable transaction of the fund that changes the address balance", () => {
  const withdrawal = {
    purpose: "withdraw",
    gasObjectId: null,
    fromAddressBalanceMist: 5_000_000n,
    paidOutMist: 5_000_000n,
  } as const;
  const noCoins = { coins: null };

  function closed(change: Partial<SuiTreasuryTransaction>, missingMist: bigint, coins = 0) {
    const store = storeOf(
      ...Array.from({ length: coins }, (_, index) =>
        coin(index + 1, { state: "spending", heldByDigest: digestOf("t") }),
      ),
    );
    deposit(store, 20_000_000n, 20_000_000n);
    const transaction = ownTransaction("t", change);
    store.putTreasuryTransaction(transaction);
    const own = [{ transaction, evidence: coins === 0 ? noCoins : { coins: seenCoins([], OVER) } }];
    closeByBalance(store, { sponsorships: [], own }, { checkpoint: 30n, missingMist }, NOW);
    return store;
  }

  test("costs what is missing, is told, and keeps no bytes", () => {
    const store = closed(withdrawal, 6_000_000n);
    expect(store.totals()).toMatchObject({ balanceAtoms: 14_000_000n, addressBalanceAtoms: 14_000_000n });
    expect(store.treasuryTransaction(digestOf("t"))).toMatchObject({
      state: "unresolvable",
      transactionBytes: new Uint8Array(),
    });
    expect(store.events).toEqual([{ type: "fund.unresolvable", digest: digestOf("t") }]);
    expect(store.pendingTreasury()).toEqual([]);
  });

  test("gives nothing back if nothing is missing, and leaves a deposit to its own booking", () => {
    expect(closed(withdrawal, 0n).totals()).toMatchObject({ balanceAtoms: 20_000_000n });
    expect(closed(withdrawal, -7n).totals()).toMatchObject({ balanceAtoms: 20_000_000n });
  });

  test("has collected its fees, so that nobody collects them again", () => {
    expect(closed({ ...withdrawal, collectedFeesMist: 400n }, 0n).totals()).toMatchObject({ accruedFeesAtoms: -400n });
  });

  test("that pays its coins in takes them out of the books, and books no more than they had", () => {
    const store = closed({ purpose: "convert", paysToAddressBalance: true }, -25_000_000n, 2);
    expect(store.coin(objectId(1))?.state).toBe("gone");
    expect(store.totals()).toMatchObject({ balanceAtoms: 40_000_000n, addressBalanceAtoms: 40_000_000n });
  });

  test("is settled by no effects any more", () => {
    const store = closed(withdrawal, 6_000_000n);
    const shown = execution(digestOf("t"), { gasObjectId: null });
    expect(settleTreasury(store, shown, FUND_ADDRESS, NOW.nowMs)).toBe(false);
    expect(store.totals()).toMatchObject({ balanceAtoms: 14_000_000n });
  });

  test("can have taken its amount and its gas", () => {
    const { gasBudgetAtoms } = ownTransaction("t");
    const costOf = (change: Partial<SuiTreasuryTransaction>) =>
      mostCostMist({ sponsorships: [], own: [{ transaction: ownTransaction("t", change), evidence: noCoins }] });
    expect(costOf(withdrawal)).toBe(5_000_000n + gasBudgetAtoms);
    expect(costOf({ purpose: "convert", paysToAddressBalance: true })).toBe(0n);
  });

  test.each<[string, readonly Partial<SuiLedgerState>[], string | null]>([
    ["no host answers", [], "node_unavailable"],
    ["a host has not seen its epoch end", [OVER, { epoch: 6n }], "bad_params"],
    ["every host has seen its epoch end", [OVER, OVER], null],
  ])("is provably over only if %s", (_, hosts, reason) => {
    const transaction = ownTransaction("t", { ...withdrawal, expirationEpoch: 6n, createdAtMs: 0 });
    const evidence = hosts.map((state) => ({ coins: null, miss: seen(null, { timestampMs: NOW.nowMs, ...state }) }));
    const proof = proveOver(storeOf(), transaction, evidence, NOW.nowMs);
    expect(proof.ok ? null : proof.error.reason).toBe(reason);
  });

  test("is not over before its epoch is, although its coin is gone", () => {
    const transaction = ownTransaction("t", { purpose: "convert", paysToAddressBalance: true, expirationEpoch: 6n });
    const store = storeOf(coin(1, { state: "spending", heldByDigest: transaction.digest }));
    const evidenceIn = (epoch: bigint) => [
      { coins: seenCoins([], { epoch }), miss: seen(null, { epoch, timestampMs: NOW.nowMs }) },
    ];
    const early = proveOver(store, transaction, evidenceIn(6n), NOW.nowMs);
    expect(early).toMatchObject({ error: { reason: "bad_params" } });
    expect(proveOver(store, transaction, evidenceIn(7n), NOW.nowMs)).toMatchObject({ ok: true });
  });
});

describe("missing money of the address balance", () => {
  const one = sponsorship("one", { gasObjectId: null });
  const other = sponsorship("other", { gasObjectId: null });
  const ofOne = { sponsorships: [one], own: [] };

  test("may be the cost of another sponsorship whose last epoch is over", () => {
    const store = storeOf();
    for (const row of [one, other]) store.putSponsorship(row);
    const epoch = one.expirationEpoch + 1n;
    expect(canHaveTaken(store, [one], epoch)).toBe(true);
    expect(canHaveTaken(store, [one, other], epoch)).toBe(false);
    expect(canHaveTaken(store, [one], one.expirationEpoch)).toBe(false);
  });

  test("is not that of another one without gas, however many there are", () => {
    const store = storeOf();
    for (const row of [one, { ...other, gasBudgetAtoms: 0n }]) store.putSponsorship(row);
    expect(canHaveTaken(store, [one], one.expirationEpoch + 1n)).toBe(false);
  });

  test("is doubted anew only if more is missing, or more than the sponsorships can have cost", () => {
    const doubt = (booked: string) => ({ booked, sinceMs: 0, bookedByMs: 0, endpoint: "node.test", missedAtMs: null });
    expect(doubtedMist(null, ofOne, 5n)).toBe(5n);
    expect(doubtedMist(doubt(""), ofOne, 5n)).toBe(5n);
    expect(doubtedMist(doubt("6"), ofOne, 5n)).toBe(6n);
    expect(doubtedMist(doubt("4"), ofOne, 5n)).toBe(5n);
    expect(doubtedMist(doubt(String(one.gasBudgetAtoms + 1n)), ofOne, 5n)).toBe(5n);
  });
});

test("force-close takes no balance of a coin over that two hosts show differently", () => {
  const store = heldBy(expired);
  const nowMs = expired.expiresAtMs + 3_600_000;
  const shows = (change: Partial<ObservedCoin>) => {
    const coins = seenCoins([observed(1, 4n, change), observed(2, 1n)], { ...OVER, timestampMs: nowMs });
    return { coins, miss: withoutHistory(coins) };
  };
  const now = { address: FUND_ADDRESS, nowMs };
  const differing = [shows({ balanceMist: 999_000_000_000n }), shows({})];
  expect(forceClose(store, expired, differing, now)).toMatchObject({ error: { reason: "node_unavailable" } });
  expect(forceClose(store, expired, [shows({}), shows({})], now)).toMatchObject({ ok: true });
});
