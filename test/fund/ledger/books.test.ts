import { describe, expect, test } from "vitest";
import { WHOLE_FUND } from "../../../shared/fund/ledger/books.ts";
import { addUsage, spentAtoms, usageToday, utcDay } from "../../../shared/fund/ledger/usage.ts";
import { closeRecycled, recordNotFound, settle } from "../../../shared/fund/sui/settle.ts";
import { revoke } from "../../../shared/fund/sui/sponsorships.ts";
import { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";
import { coin, digestOf, execution, objectId, seen, sponsorship, storeOf, written } from "../simulation/rows.ts";

const DAY_MS = 86_400_000;
/** The last and the first millisecond of two days. */
const LATE_MS = 100 * DAY_MS - 1;
const NEXT_DAY_MS = 100 * DAY_MS;

const SPENT = { inFlightCount: 1, inFlightAtoms: 5n, spentTodayAtoms: 7n, abandonCostTodayAtoms: 3n };

describe("a UTC day", () => {
  test("ends at midnight, wherever the service runs", () => {
    expect([utcDay(LATE_MS), utcDay(NEXT_DAY_MS)]).toEqual([99, 100]);
    expect(utcDay(Date.UTC(2026, 0, 1))).toBe(utcDay(Date.UTC(2025, 11, 31, 23, 59, 59, 999)) + 1);
  });

  test("takes what was spent with it, and leaves what is in flight", () => {
    const store = new MemoryFundStore();
    addUsage(store, "key", LATE_MS, SPENT);
    expect(usageToday(store, "key", LATE_MS)).toEqual({ day: 99, ...SPENT });
    const next = { day: 100, ...SPENT, spentTodayAtoms: 0n, abandonCostTodayAtoms: 0n };
    expect(usageToday(store, "key", NEXT_DAY_MS)).toEqual(next);
    addUsage(store, "key", NEXT_DAY_MS, { spentTodayAtoms: 2n });
    expect(usageToday(store, "key", NEXT_DAY_MS)).toEqual({ ...next, spentTodayAtoms: 2n });
  });

  test("does not begin anew where a clock steps back over midnight, and does where it was wrong by days", () => {
    const store = new MemoryFundStore();
    addUsage(store, "key", NEXT_DAY_MS, SPENT);
    addUsage(store, "key", LATE_MS, { spentTodayAtoms: 2n });
    const kept = { day: 100, ...SPENT, spentTodayAtoms: 9n };
    expect(usageToday(store, "key", LATE_MS)).toEqual(kept);
    expect(usageToday(store, "key", NEXT_DAY_MS)).toEqual(kept);
    expect(usageToday(store, "key", LATE_MS - DAY_MS)).toMatchObject({ day: 98, spentTodayAtoms: 0n });
  });

  test("is counted for the key, for the whole fund, and for no other key", () => {
    const store = new MemoryFundStore();
    addUsage(store, "one", LATE_MS, SPENT);
    addUsage(store, "other", LATE_MS, SPENT);
    expect(usageToday(store, "one", LATE_MS)).toEqual({ day: 99, ...SPENT });
    expect(usageToday(store, WHOLE_FUND, LATE_MS)).toMatchObject({ inFlightCount: 2, spentTodayAtoms: 14n });
    expect(usageToday(store, "third", LATE_MS)).toMatchObject({ inFlightCount: 0, spentTodayAtoms: 0n });
  });
});

describe("what a sponsorship has spent", () => {
  test.each([
    ["its charge and its fee", 2n, 1n, 3n],
    ["its fee, where the rebate was larger than the cost: that is the fund's gain", -2n, 1n, 1n],
    ["nothing, where it never executed", null, 1n, 0n],
  ])("is %s", (_, chargedAtoms, feeAtoms, expected) => {
    expect(spentAtoms({ chargedAtoms: chargedAtoms, feeAtoms: feeAtoms })).toBe(expected);
  });
});

/** Lent at its budget and a fee of 100,000 MIST in the last millisecond of a day. */
function lent() {
  const row = sponsorship("s", { createdAtMs: LATE_MS, signedAtMs: LATE_MS, expiresAtMs: LATE_MS, feeAtoms: 100_000n });
  const store = storeOf(coin(1, { state: "held", heldByDigest: row.digest }));
  store.putSponsorship(row);
  const lentAtoms = row.gasBudgetAtoms + row.feeAtoms;
  store.addLedger({
    atMs: LATE_MS,
    kind: "reserve",
    reference: row.digest,
    keyId: "key",
    balanceAtoms: 0n,
    addressBalanceAtoms: 0n,
    inFlightAtoms: lentAtoms,
    accruedFeesAtoms: 0n,
  });
  addUsage(store, "key", LATE_MS, { inFlightCount: 1, inFlightAtoms: lentAtoms, spentTodayAtoms: lentAtoms });
  return store;
}

const charged = execution(digestOf("s"), { gasObjectId: objectId(1), changedObjects: [written(1, 2n)] });

describe("what a sender has done", () => {
  const SENDER = objectId(99);
  const stored = (storageCostMist: bigint) => ({ ...charged, gasUsed: { ...charged.gasUsed, storageCostMist } });

  test("is corrected on the day on which it was lent, whenever it is known", () => {
    const store = lent();
    store.addSenderSpend(SENDER, "key", 99, 3_100_000n);
    expect(settle(store, charged, NEXT_DAY_MS)).toBe(true);
    expect(store.senderUsage(SENDER, "key", 99)).toEqual({ spentAtoms: 1_100_000n, stopped: false });
    expect(store.senderUsage(SENDER, "other", 99).spentAtoms).toBe(0n);
    expect(store.senderUsage(SENDER, null, 100).spentAtoms).toBe(0n);
  });

  test.each([
    ["stops the sender for the day on which that is known", 500_001n, true],
    ["is nothing, where the limit covers it", 500_000n, false],
  ])("in storage beyond what the limit allows %s", (_, storageCostMist, stopped) => {
    const store = lent();
    store.putSponsorship({ ...sponsorshipOf(store), maxStorageMist: 500_000n });
    expect(settle(store, stored(storageCostMist), NEXT_DAY_MS)).toBe(true);
    expect(store.senderUsage(SENDER, null, 100).stopped).toBe(stopped);
    expect(store.senderUsage(SENDER, null, 99).stopped).toBe(false);
  });
});

function sponsorshipOf(store: MemoryFundStore) {
  const row = store.sponsorship(digestOf("s"));
  if (row === null) throw new Error("it was not lent");
  return row;
}

describe("the spend of a day", () => {
  test("is corrected to the charge and the fee while the day lasts", () => {
    const store = lent();
    expect(settle(store, charged, LATE_MS)).toBe(true);
    expect(usageToday(store, "key", LATE_MS)).toMatchObject({
      inFlightCount: 0,
      inFlightAtoms: 0n,
      spentTodayAtoms: 1_100_000n,
    });
  });

  test("is not corrected on the next day, whose spend it was not", () => {
    const store = lent();
    expect(settle(store, charged, NEXT_DAY_MS)).toBe(true);
    expect(usageToday(store, "key", NEXT_DAY_MS)).toMatchObject({
      inFlightCount: 0,
      inFlightAtoms: 0n,
      spentTodayAtoms: 0n,
    });
  });

  test("gets the cost of an abandoned signature on the day on which it is recycled", () => {
    const store = lent();
    expect(revoke(store, digestOf("s"), LATE_MS)).toBe("to_recycle");
    closeRecycled(store, digestOf("s"), 1_009_880n, NEXT_DAY_MS);
    const cost = { spentTodayAtoms: 1_009_880n, abandonCostTodayAtoms: 1_009_880n };
    expect(usageToday(store, "key", NEXT_DAY_MS)).toMatchObject({ inFlightCount: 0, inFlightAtoms: 0n, ...cost });
    expect(usageToday(store, WHOLE_FUND, NEXT_DAY_MS)).toMatchObject(cost);
    expect(store.ledger.at(-2)).toMatchObject({ kind: "recycle", keyId: "key", balanceAtoms: -1_009_880n });
  });

  test("keeps what has expired and may still execute", () => {
    const store = lent();
    recordNotFound(store, digestOf("s"), seen(null, { timestampMs: LATE_MS }), LATE_MS, "by_schedule");
    expect(store.sponsorship(digestOf("s"))?.state).toBe("expired");
    expect(usageToday(store, "key", LATE_MS)).toMatchObject({ inFlightCount: 1, spentTodayAtoms: 3_100_000n });
  });
});
