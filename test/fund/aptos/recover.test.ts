import { describe, expect, test } from "vitest";
import { seenIn } from "../../../shared/chain/one-reply.ts";
import { adoptBalance, type BalanceReading } from "../../../shared/fund/aptos/adopt.ts";
import { adoptCorrection, closedUntilMs, missingOctas } from "../../../shared/fund/aptos/recover.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";

const NO_EVIDENCE = { unusedAt: new Map(), usedAt: new Map() };
const HOUR_MS = 3_600_000;

function ledgerAt(timestampMs: number, version = 1n) {
  return { endpoint: "one.example", chain: 4, version, timestampMs, lowestAvailable: 0n };
}

function readingOf(octas: bigint, version: bigint): BalanceReading {
  return { balance: seenIn(ledgerAt(0, version), octas), open: [] };
}

function fundOf(octas: bigint): MemoryAptosFundStore {
  const store = new MemoryAptosFundStore();
  adoptBalance(store, readingOf(octas, 10n), NO_EVIDENCE, 0);
  return store;
}

describe("the end of the closure", () => {
  test("is an hour after the later of the ledger's time and our clock", () => {
    expect(closedUntilMs(seenIn(ledgerAt(5_000), null), 4_000)).toBe(5_000 + HOUR_MS);
    expect(closedUntilMs(seenIn(ledgerAt(5_000), null), 9_000)).toBe(9_000 + HOUR_MS);
  });

  test("does not follow a clock that is far ahead of the chain", () => {
    expect(closedUntilMs(seenIn(ledgerAt(0), null), 1_000 * HOUR_MS)).toBe(2 * HOUR_MS);
  });
});

describe("a balance that no row explains", () => {
  test("is missing money if it is lower, and none if it is higher or the same", () => {
    const store = fundOf(100n);
    expect(missingOctas(store, readingOf(93n, 11n), NO_EVIDENCE)).toBe(7n);
    for (const octas of [100n, 107n]) expect(missingOctas(store, readingOf(octas, 11n), NO_EVIDENCE)).toBe(0n);
  });

  test("proves nothing by a reading that is older than one compared: its endpoint lags", () => {
    expect(missingOctas(fundOf(100n), readingOf(0n, 9n), NO_EVIDENCE)).toBeNull();
  });

  test("is one correction of a recovery, in both directions, and never a deposit", () => {
    const store = fundOf(100n);
    expect(adoptCorrection(store, readingOf(93n, 11n), NO_EVIDENCE, 1)).toBe(-7n);
    expect(adoptCorrection(store, readingOf(95n, 12n), NO_EVIDENCE, 2)).toBe(2n);
    expect(adoptCorrection(store, readingOf(95n, 12n), NO_EVIDENCE, 3)).toBe(0n);
    expect(store.totals().balanceAtoms).toBe(95n);
  });
});
