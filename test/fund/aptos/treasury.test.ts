import { describe, expect, test } from "vitest";
import type { AptosExecution } from "../../../shared/chain/aptos/node.ts";
import { adoptBalance, type BalanceReading, unsettledIds } from "../../../shared/fund/aptos/adopt.ts";
import { settle } from "../../../shared/fund/aptos/settle.ts";
import type { AptosSponsorship } from "../../../shared/fund/aptos/store.ts";
import {
  type AptosTreasuryDraft,
  beginTreasury,
  recordTreasurySubmitAttempt,
  withdrawableOctas,
} from "../../../shared/fund/aptos/treasury.ts";
import { closeTreasuryByEvidence, settleTreasury } from "../../../shared/fund/aptos/treasury-settle.ts";
import { availableOctas, maintenanceReserveOctas } from "../../../shared/fund/ledger/available.ts";
import { addReserveEntry } from "../../../shared/fund/ledger/entries.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { aptosSeen, sequenceSeen } from "../../support/seen.ts";
import { addressOf, FUND } from "../simulation/aptos-world.ts";

const HASH = addressOf("1");
const NOTHING = { addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };

function storeWith(octas: bigint, accruedFeesAtoms = 0n): MemoryAptosFundStore {
  const store = new MemoryAptosFundStore();
  const change = { ...NOTHING, balanceAtoms: octas, accruedFeesAtoms };
  store.addLedger({ atMs: 0, kind: "deposit", reference: "", keyId: null, ...change });
  return store;
}

function draft(change: Partial<AptosTreasuryDraft> = {}): AptosTreasuryDraft {
  return {
    hash: HASH,
    signedTransaction: Uint8Array.of(1),
    sequenceNumber: 3n,
    gasBudgetAtoms: 200_000n,
    expiresAtMs: 60_000,
    amountAtoms: 5_000_000n,
    collectedFeesAtoms: 0n,
    ...change,
  };
}

function execution(change: Partial<AptosExecution> = {}): AptosExecution {
  return {
    hash: HASH,
    version: 12n,
    success: true,
    vmStatus: "Executed successfully",
    sender: FUND,
    sequenceNumber: 3n,
    nonce: null,
    maxGasUnits: 2_000n,
    gasUnitPriceOctas: 100n,
    expirationSecs: 60n,
    feePayer: null,
    secondarySigners: [],
    gasUsedUnits: 100n,
    storageRefundOctas: 0n,
    timestampMs: 5_000,
    ...change,
  };
}

/** What one endpoint shows of the fund's balance, and what is open after that. */
function reading(octas: bigint, version: bigint, open: readonly string[] = []): BalanceReading {
  return { balance: aptosSeen(octas, { version }), open };
}

function live(store: MemoryAptosFundStore, id: string): void {
  const row: AptosSponsorship = {
    id,
    state: "signed",
    sender: addressOf("a"),
    sequenceNumber: 0n,
    nonce: null,
    sinceVersion: null,
    rawTransaction: Uint8Array.of(1),
    secondaryAddresses: [],
    authenticators: null,
    hash: null,
    keyId: "key",
    gasBudgetAtoms: 200_000n,
    feeAtoms: 0n,
    createdAtMs: 0,
    expiresAtMs: 60_000,
    chargedAtoms: null,
    rebateAtoms: null,
    committedVersion: null,
    submitCount: 0,
  };
  store.putSponsorship(row);
  addReserveEntry(store, id, row, 0);
}

describe("withdrawals", () => {
  test("2,000,000 octas are kept for the fund's own gas, or all that there is", () => {
    expect(maintenanceReserveOctas(storeWith(10_000_000n))).toBe(2_000_000n);
    expect(maintenanceReserveOctas(storeWith(7n))).toBe(7n);
    expect(availableOctas(storeWith(10_000_000n, 1_000_000n))).toBe(7_000_000n);
  });

  test("take at most what is available, and fees at most what was earned", () => {
    const refused = { error: { reason: "balance_too_low" } };
    const store = storeWith(10_000_000n, 1_000_000n);
    expect(beginTreasury(store, draft({ amountAtoms: 7_000_001n }), 0)).toMatchObject(refused);
    const fees = { amountAtoms: 1_000_001n, collectedFeesAtoms: 1_000_001n };
    expect(beginTreasury(store, draft(fees), 0)).toMatchObject(refused);
    expect(beginTreasury(store, draft({ gasBudgetAtoms: 2_000_001n }), 0)).toMatchObject(refused);
    expect(store.ownTransactions.size + store.due.size).toBe(0);
    expect(beginTreasury(store, draft({ amountAtoms: 7_000_000n }), 0).ok).toBe(true);
    expect(availableOctas(store)).toBe(0n);
  });

  test("guarantee 1: one at a time, because the next one needs the sequence number after it", () => {
    const store = storeWith(10_000_000n);
    beginTreasury(store, draft({ amountAtoms: 1n }), 0);
    expect(beginTreasury(store, draft({ hash: addressOf("2"), amountAtoms: 1n }), 0)).toMatchObject({
      error: { reason: "sequence_conflict", data: { expiresAtMs: 60_000 } },
    });
  });

  test.each([
    [true, "complete", 8_990_000n, 0n],
    [false, "failed", 9_990_000n, 1_000_000n],
  ] as const)("guarantee 5: executed with success %s it is %s", (success, state, balanceAtoms, accruedFeesAtoms) => {
    const store = storeWith(10_000_000n, 1_000_000n);
    beginTreasury(store, draft({ collectedFeesAtoms: 1_000_000n, amountAtoms: 1_000_000n }), 0);
    expect(settleTreasury(store, execution({ success }), FUND, 0)).toBe(true);
    expect(store.treasuryTransaction(HASH)).toMatchObject({ state, chargedAtoms: 10_000n, committedVersion: 12n });
    expect(store.totals()).toMatchObject({ balanceAtoms, accruedFeesAtoms });
    expect(store.due.size).toBe(0);
    expect(settleTreasury(store, execution({ success }), FUND, 0)).toBe(true);
    expect(store.totals().balanceAtoms).toBe(balanceAtoms);
  });

  test("guarantee 4: it is dead once its number is used, or a ledger is past its expiration", () => {
    const unusedAt = (timestampMs: number) => sequenceSeen({ kind: "unused" }, { timestampMs });
    const begun = () => {
      const store = storeWith(10_000_000n);
      beginTreasury(store, draft(), 0);
      return store;
    };
    const other = sequenceSeen({ kind: "shown", execution: execution({ hash: addressOf("2") }) });
    expect(closeTreasuryByEvidence(begun(), HASH, other, FUND, 0)).toBe("dead");
    const store = begun();
    expect(closeTreasuryByEvidence(store, HASH, unusedAt(59_999), FUND, 99_999)).toBe("pending");
    expect(availableOctas(store)).toBe(3_000_000n);
    expect(closeTreasuryByEvidence(store, HASH, unusedAt(60_000), FUND, 0)).toBe("dead");
    expect(availableOctas(store)).toBe(8_000_000n);
    expect(settleTreasury(store, execution(), FUND, 0)).toBe(false);
  });

  test("the same bytes are due again after a miss", () => {
    const store = storeWith(10_000_000n);
    beginTreasury(store, draft(), 0);
    recordTreasurySubmitAttempt(store, HASH, 2_000);
    expect(store.treasuryTransaction(HASH)).toMatchObject({ submitCount: 1 });
    expect(store.due.get(`own ${HASH}`)).toBe(5_000);
  });
});

describe("guarantee 3: the balance on chain against the books", () => {
  const unused = (...at: (readonly [string, bigint])[]) => ({
    unusedAt: new Map(at.map(([reference, version]) => [reference, sequenceSeen({ kind: "unused" }, { version })])),
    usedAt: new Map<string, bigint>(),
  });
  const nothing = unused();

  test("more than the books say is a deposit, less an adjustment, the same is nothing", () => {
    const store = storeWith(10n);
    expect(adoptBalance(store, reading(15n, 1n), nothing, 0)).toBe(5n);
    expect(adoptBalance(store, reading(12n, 2n), nothing, 0)).toBe(-3n);
    expect(adoptBalance(store, reading(12n, 3n), nothing, 0)).toBe(0n);
    expect(store.ledger.map(({ kind, balanceAtoms }) => [kind, balanceAtoms])).toEqual([
      ["deposit", 10n],
      ["deposit", 5n],
      ["adjustment", -3n],
    ]);
  });

  test("what later versions have changed is not what an older one shows", () => {
    const store = storeWith(10_000_000n);
    beginTreasury(store, draft(), 0);
    settleTreasury(store, execution(), FUND, 0);
    expect(adoptBalance(store, reading(10_000_000n, 11n), nothing, 0)).toBe(0n);
    expect(adoptBalance(store, reading(4_990_000n, 12n), nothing, 0)).toBe(0n);
  });

  test("a reading older than one that was compared is not taken: it would undo what that one has found", () => {
    const store = storeWith(10n);
    adoptBalance(store, reading(15n, 5n), nothing, 0);
    expect(adoptBalance(store, reading(10n, 4n), nothing, 0)).toBe(null);
    expect(store.totals().balanceAtoms).toBe(15n);
  });

  test("while an open row may have been committed by then, nothing is compared", () => {
    const store = storeWith(10_000_000n);
    live(store, "s");
    beginTreasury(store, draft(), 0);
    const open = unsettledIds(store);
    expect(open).toEqual(["s", HASH]);
    const shown = reading(9_990_000n, 12n, open);
    const absent = (s: bigint, own: bigint) => unused(["s", s], [HASH, own]);
    expect(adoptBalance(store, shown, absent(12n, 11n), 0)).toBe(null);
    expect(adoptBalance(store, shown, absent(11n, 12n), 0)).toBe(null);
    expect(adoptBalance(store, shown, nothing, 0)).toBe(null);
    expect(store.ledger).toHaveLength(2);
    const sponsored = { sender: addressOf("a"), sequenceNumber: 0n, feePayer: FUND };
    expect(settle(store, "s", execution(sponsored), FUND, 0)).toBe(true);
    expect(adoptBalance(store, shown, unused([HASH, 12n]), 0)).toBe(0n);
  });

  test.each([
    ["less", 4_000_000n, -6_000_000n],
    ["more", 11_000_000n, 1_000_000n],
  ])(
    "what no endpoint shows is closed by the reading that it has changed: %s than booked is no deposit",
    (_, octas, differenceOctas) => {
      const store = storeWith(10_000_000n);
      live(store, "s");
      beginTreasury(store, draft(), 0);
      const shown = reading(octas, 12n, unsettledIds(store));
      const used = (own: bigint) => ({
        unusedAt: new Map(),
        usedAt: new Map([
          ["s", 12n],
          [HASH, own],
        ]),
      });
      expect(adoptBalance(store, shown, used(13n), 0), "the withdrawal may be later than the reading").toBe(null);
      expect(store.treasuryTransaction(HASH)?.state).toBe("pending");
      expect(adoptBalance(store, shown, used(12n), 0)).toBe(differenceOctas);
      expect([store.sponsorship("s")?.state, store.treasuryTransaction(HASH)?.state]).toEqual([
        "unresolvable",
        "unresolvable",
      ]);
      expect(unsettledIds(store)).toEqual([]);
      expect(store.totals().balanceAtoms).toBe(octas);
      expect(store.ledger.at(-1)).toMatchObject({ kind: "adjustment", balanceAtoms: differenceOctas });
    },
  );

  test("fees that a withdrawal which no endpoint shows was to collect are collected no second time", () => {
    const store = storeWith(10_000_000n, 400n);
    const fees = draft({ amountAtoms: 400n, collectedFeesAtoms: 400n });
    expect(beginTreasury(store, fees, 0).ok).toBe(true);
    const used = { unusedAt: new Map(), usedAt: new Map([[HASH, 12n]]) };
    expect(adoptBalance(store, reading(9_999_000n, 12n, unsettledIds(store)), used, 0)).toBe(-1_000n);
    expect(store.treasuryTransaction(HASH)?.state).toBe("unresolvable");
    expect(store.totals()).toMatchObject({ accruedFeesAtoms: 0n, balanceAtoms: 9_999_000n });
    expect(withdrawableOctas(store, fees)).toBe(0n);
  });

  test("what was used later than the reading is left open by it", () => {
    const store = storeWith(10_000_000n);
    live(store, "s");
    beginTreasury(store, draft(), 0);
    const shown = reading(9_000_000n, 12n, unsettledIds(store));
    const usedAt = new Map([
      ["s", 12n],
      [HASH, 13n],
    ]);
    expect(adoptBalance(store, shown, { ...unused([HASH, 12n]), usedAt }, 0)).toBe(-1_000_000n);
    expect(unsettledIds(store)).toEqual([HASH]);
  });
});
