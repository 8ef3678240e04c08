import { describe, expect, test } from "vitest";
import {
  availableMist,
  maintenanceReserveMist,
  sponsorableMist,
  unconvertedMist,
} from "../../../shared/fund/ledger/available.ts";
import { beginTreasury, type SuiTreasuryDraft } from "../../../shared/fund/sui/treasury.ts";
import { settleTreasury } from "../../../shared/fund/sui/treasury-settle.ts";
import { coin, deposit, digestOf, execution, FUND_ADDRESS, ownTransaction, storeOf } from "../simulation/rows.ts";

const SUI = 1_000_000_000n;

/** A fund with coins of 10 SUI, one of them set aside; promised 2 SUI, and earned 1 SUI in fees. */
function coinFund() {
  const store = storeOf(coin(1, { balanceMist: 9n * SUI }), coin(2, { balanceMist: SUI, maintenance: true }));
  const change = { inFlightAtoms: 2n * SUI, accruedFeesAtoms: SUI, balanceAtoms: 0n, addressBalanceAtoms: 0n };
  store.addLedger({ atMs: 0, kind: "charge", reference: "", keyId: null, ...change });
  return store;
}

/** A fund with 10 SUI in its address balance and a coin of 5 SUI; promised 2 SUI, and earned 1 SUI in fees. */
function balanceFund() {
  const store = storeOf(coin(1, { balanceMist: 5n * SUI }));
  deposit(store, 10n * SUI, 10n * SUI);
  const change = { inFlightAtoms: 2n * SUI, accruedFeesAtoms: SUI, balanceAtoms: 0n, addressBalanceAtoms: 0n };
  store.addLedger({ atMs: 0, kind: "charge", reference: "", keyId: null, ...change });
  return store;
}

function draft(change: Partial<SuiTreasuryDraft>): SuiTreasuryDraft {
  const { state: _, gasObjectId: __, createdAtMs: ___, unansweredSends: ____, ...rest } = ownTransaction("w");
  return { ...rest, purpose: "withdraw", payment: [], bumpedCoins: [], takesIn: [], ...change };
}

describe("with coins", () => {
  test("available is the balance less what is promised, earned and set aside", () => {
    expect(availableMist(coinFund(), "coin")).toBe(6n * SUI);
    expect(sponsorableMist(coinFund(), "coin")).toBe(6n * SUI);
  });

  test("an address balance is unconverted, and not available", () => {
    const store = coinFund();
    deposit(store, 4n * SUI, 4n * SUI);
    expect(unconvertedMist(store, "coin")).toBe(4n * SUI);
    expect(availableMist(store, "coin")).toBe(6n * SUI);
  });

  test("the maintenance coins are the reserve, in use or not", () => {
    const store = coinFund();
    store.putCoin(coin(2, { balanceMist: SUI, maintenance: true, state: "spending", heldByDigest: digestOf("r") }));
    expect(maintenanceReserveMist(store, "coin")).toBe(SUI);
  });

  test("a withdrawal under way is no longer available, so that a second one cannot take the same money", () => {
    const store = coinFund();
    store.putTreasuryTransaction(ownTransaction("w", { purpose: "withdraw", paidOutMist: 4n * SUI }));
    expect(availableMist(store, "coin")).toBe(2n * SUI);
    const context = { mode: "coin", nowMs: 0 } as const;
    const payment = [coin(1, { balanceMist: 9n * SUI })];
    expect(beginTreasury(store, draft({ payment, paidOutMist: 2n * SUI + 1n }), context)).toMatchObject({
      error: { reason: "balance_too_low" },
    });
    expect(beginTreasury(store, draft({ payment, paidOutMist: 2n * SUI }), context).ok).toBe(true);
  });
});

describe("from the address balance", () => {
  test("the gas of many withdrawals at once takes no more than the balance", () => {
    const store = storeOf();
    deposit(store, SUI, SUI);
    const gasBudgetAtoms = 3_000_000n;
    const begin = (name: string, paidOutMist: bigint) => {
      const terms = { digest: digestOf(name), paidOutMist, fromAddressBalanceMist: paidOutMist, gasBudgetAtoms };
      return beginTreasury(store, draft(terms), { mode: "address_balance", nowMs: 0 });
    };
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) expect(begin(name, SUI / 10n).ok).toBe(true);
    const restMist = SUI / 2n - 6n * gasBudgetAtoms;
    expect(begin("f", restMist + 1n)).toMatchObject({ error: { reason: "balance_too_low" } });
    expect(begin("f", restMist).ok).toBe(true);
    for (const name of [...names, "f"]) {
      const gas = { computationCostMist: gasBudgetAtoms, storageCostMist: 0n, storageRebateMist: 0n };
      const gasUsed = { ...gas, nonRefundableStorageFeeMist: 0n };
      const executed = execution(digestOf(name), { gasObjectId: null, gasUsed });
      expect(settleTreasury(store, executed, FUND_ADDRESS, 0)).toBe(true);
    }
    expect(store.totals()).toMatchObject({ balanceAtoms: 0n, addressBalanceAtoms: 0n });
  });

  test("the gas of fee withdrawals takes nothing that is withheld", () => {
    const store = storeOf();
    deposit(store, SUI, SUI);
    const change = {
      inFlightAtoms: 490_000_000n,
      accruedFeesAtoms: SUI / 2n,
      balanceAtoms: 0n,
      addressBalanceAtoms: 0n,
    };
    store.addLedger({ atMs: 0, kind: "charge", reference: "", keyId: null, ...change });
    const begin = (name: string) => {
      const paidOutMist = 50_000_000n;
      const terms = { digest: digestOf(name), paidOutMist, collectedFeesMist: paidOutMist };
      const gas = { fromAddressBalanceMist: paidOutMist, gasBudgetAtoms: 3_000_000n };
      return beginTreasury(store, draft({ ...terms, ...gas }), { mode: "address_balance", nowMs: 0 });
    };
    for (const name of ["a", "b", "c"]) expect(begin(name).ok).toBe(true);
    expect(begin("d")).toMatchObject({ error: { reason: "balance_too_low" } });
    expect(sponsorableMist(store, "address_balance")).toBeGreaterThanOrEqual(0n);
  });

  test("10,000,000 MIST of it are kept for the fund's own gas, or all that there is", () => {
    expect(maintenanceReserveMist(balanceFund(), "address_balance")).toBe(10_000_000n);
    const poor = storeOf();
    deposit(poor, 7n, 7n);
    expect(maintenanceReserveMist(poor, "address_balance")).toBe(7n);
  });

  test("coins are unconverted, and neither available nor to be promised", () => {
    expect(unconvertedMist(balanceFund(), "address_balance")).toBe(5n * SUI);
    expect(availableMist(balanceFund(), "address_balance")).toBe(7n * SUI - 10_000_000n);
    expect(sponsorableMist(balanceFund(), "address_balance")).toBe(7n * SUI - 10_000_000n);
  });

  test("what own transactions may still take out of it cannot be promised again", () => {
    const store = balanceFund();
    const taking = {
      purpose: "withdraw",
      gasObjectId: null,
      fromAddressBalanceMist: 3n * SUI,
      paidOutMist: 3n * SUI,
    } as const;
    store.putTreasuryTransaction(ownTransaction("w", taking));
    expect(sponsorableMist(store, "address_balance")).toBe(4n * SUI - 10_000_000n);
  });

  test("a withdrawal of what is only in coins is refused", () => {
    const store = balanceFund();
    const amountMist = 8n * SUI;
    const context = { mode: "address_balance", nowMs: 0 } as const;
    const withdrawal = draft({ fromAddressBalanceMist: amountMist, paidOutMist: amountMist });
    expect(amountMist).toBeLessThan(store.totals().balanceAtoms);
    expect(beginTreasury(store, withdrawal, context)).toMatchObject({ error: { reason: "balance_too_low" } });
  });
});

describe.each(["coin", "address_balance"] as const)("fees on their way to the operator, mode %s", (mode) => {
  const fees = { purpose: "withdraw", paidOutMist: SUI, collectedFeesMist: SUI } as const;
  const paid = mode === "coin" ? {} : { gasObjectId: null, fromAddressBalanceMist: SUI };

  test("change neither what is available nor what can be promised: they were neither before", () => {
    const store = mode === "coin" ? coinFund() : balanceFund();
    const before = [availableMist(store, mode), sponsorableMist(store, mode)];
    store.putTreasuryTransaction(ownTransaction("w", { ...fees, ...paid }));
    expect([availableMist(store, mode), sponsorableMist(store, mode)]).toEqual(before);
  });

  test("cannot be collected a second time", () => {
    const store = mode === "coin" ? coinFund() : balanceFund();
    store.putTreasuryTransaction(ownTransaction("w", { ...fees, ...paid }));
    const payment = mode === "coin" ? [coin(1, { balanceMist: 9n * SUI })] : [];
    const again = draft({
      payment,
      paidOutMist: 1n,
      collectedFeesMist: 1n,
      fromAddressBalanceMist: mode === "coin" ? 0n : 1n,
    });
    expect(beginTreasury(store, again, { mode, nowMs: 0 })).toMatchObject({ error: { reason: "balance_too_low" } });
  });
});
