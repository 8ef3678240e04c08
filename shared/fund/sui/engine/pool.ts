/* Sui only: An Aptos fund has no coins. */

import { MAX_U64 } from "../../../amounts.ts";
import { MAX_GAS_PAYMENT_OBJECTS } from "../../../chain/sui/limits.ts";
import {
  redeemKind,
  splitKind,
  splitSweepKind,
  sweepKind,
  takeInFundsKind,
  takeInKind,
} from "../../../chain/sui/treasury-kinds.ts";
import { WHOLE_FUND } from "../../ledger/books.ts";
import { planTakeIn, returnPartyCoins } from "../party-coins.ts";
import { GAS_PER_COIN_MIST, HELD_COUNT_LIMIT, maintenancePayment, planSplit } from "../refill-plan.ts";
import type { FundCoin } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { CONVERT_FROM_MIST, type Conversion } from "./conversion.ts";
import { Pause } from "./pause.ts";
import type { TreasuryEnd, TreasuryPlan, TreasuryRunner } from "./treasury.ts";

const REFILLS_AT_ONCE = 8;
/** The longest cause of a node that is kept. */
const MAX_CAUSE_CHARACTERS = 500;
const NOTHING_ELSE = { bumpedCoins: [], takesIn: [], paysToAddressBalance: false, collectedFeesMist: 0n } as const;
const MOVES_NOTHING = { createdMist: [], fromAddressBalanceMist: 0n, paidOutMist: 0n } as const;

/**
 * Keeps the fund's money in the form that pays: coins of the right sizes, or the address balance. Works ahead of need.
 * Runs one treasury transaction at a time.
 */
export class SuiPool {
  readonly #core: SuiFundCore;
  readonly #own: TreasuryRunner;
  /** Budgets of the calls that wait for a coin. */
  readonly waiting = new Set<{ readonly budgetMist: bigint }>();
  /** Withdrawals that wait for coins. While there are any, coins are neither split nor reserved. */
  withdrawing = 0;
  #refilling: Promise<boolean> | null = null;
  readonly #conversion: Conversion;
  /** The cause of the last failed take-in. Null if it succeeded, or if this instance has not tried. */
  readonly #takingIn = new Pause();
  /** The cause why the last take-in failed. Null if it did not, or if this instance has not tried. */
  #takeInCause: string | null = null;

  constructor(core: SuiFundCore, own: TreasuryRunner, conversion: Conversion) {
    this.#core = core;
    this.#own = own;
    this.#conversion = conversion;
  }

  /** Refills until there is nothing left to do, at most `REFILLS_AT_ONCE` times. */
  async stock(): Promise<void> {
    for (let round = 0; round < REFILLS_AT_ONCE; round++) if (!(await this.refill())) return;
  }

  /** Splits, merges or converts once, for all waiting callers. True if there is something new to pay with. */
  refill(): Promise<boolean> {
    this.#refilling ??= this.#refillOnce()
      .catch((error: unknown) => {
        this.#core.deps.log("fund.refill_failed", { fund: this.#core.record.fundId, error: String(error) });
        return false;
      })
      .finally(() => {
        this.#refilling = null;
      });
    return this.#refilling;
  }

  async #refillOnce(): Promise<boolean> {
    const { address, record, mode } = this.#core;
    if (address === null || this.withdrawing > 0) return false;
    const makers =
      mode === "coin"
        ? [this.#splitPlan, this.#redeemPlan, this.#takeInPlan]
        : [this.#sweepPlan, this.#splitSweepPlan, this.#takeInFundsPlan];
    for (const makePlan of makers) {
      const plan = makePlan.call(this, address);
      if (plan === null) continue;
      const begun = await this.#own.begin(plan);
      if (begun.ok) {
        const end = await this.#own.submit(begun.value.digest);
        if (plan.takesIn.length > 0)
          this.#noteTakeIn(end === "executed" ? null : `the chain did not execute the transaction: ${end}`);
        if (plan.purpose === "convert") this.#noteConversion(begun.value.digest, end);
        return end === "executed";
      }
      const { reason, details } = begun.error;
      if (plan.purpose === "convert" && reason === "dry_run_failed")
        this.#conversion.failed(plan.paysToAddressBalance, details);
      else this.#core.deps.log("fund.refill_refused", { fund: record.fundId, purpose: plan.purpose, reason, details });
      if (plan.takesIn.length > 0) this.#putBack(plan, reason === "dry_run_failed", details);
    }
    return false;
  }

  /** Records a failed conversion. An open one proves nothing yet. An executed one is recorded at its settlement. */
  #noteConversion(digest: string, end: TreasuryEnd): void {
    if (end === "executed" || end === "open") return;
    const { deps, record } = this.#core;
    deps.log("fund.conversion_ended", { fund: record.fundId, digest, end });
    // The cause omits the digest, because each try has another digest.
    this.#conversion.failed(false, `the chain did not execute it: ${end}`);
  }

  /**
   * Returns party coins. They wait longer after each failure, because assets from strangers must not block other work.
   */
  #putBack({ takesIn }: TreasuryPlan, isTheirs: boolean, cause: string): void {
    const { store } = this.#core;
    this.#noteTakeIn(cause);
    if (isTheirs) this.#core.commit(() => returnPartyCoins(store, takesIn));
  }

  /** @param cause null if the coins were taken in. */
  #noteTakeIn(cause: string | null): void {
    this.#takingIn.note(cause === null, this.#core.nowMs());
    this.#takeInCause = cause?.slice(0, MAX_CAUSE_CHARACTERS) ?? null;
  }

  /** Returns the cause that keeps waiting party coins from being taken in. Null if this instance has met none. */
  takeInHindrance(): string | null {
    return this.#canPayForTakeIn() ? this.#takeInCause : "the fund has nothing free that could pay for it";
  }

  #canPayForTakeIn(): boolean {
    const { store, mode } = this.#core;
    return mode === "coin" ? maintenancePayment(store, 1n) !== null : store.totals().addressBalanceAtoms > 0n;
  }

  #splitPlan(address: string): TreasuryPlan | null {
    const { store } = this.#core;
    // Another split would make the same coins again while the outcome of an earlier one is unknown.
    if (store.pendingTreasury().some(({ createdMist }) => createdMist.length > 0)) return null;
    const waitingBudgetsMist = Array.from(this.waiting, ({ budgetMist }) => budgetMist);
    const planFor = (heldCount: number) =>
      planSplit(store, { waitingBudgetsMist, heldCount, gasPerCoinMist: GAS_PER_COIN_MIST });
    // Held coins are counted one by one. Nearly each sponsorship in flight holds one, and the counter has their number.
    const inFlightCount = Math.min(store.usage(WHOLE_FUND).inFlightCount, HELD_COUNT_LIMIT);
    if (planFor(inFlightCount) === null) return null;
    const plan = planFor(store.countTaken("held", HELD_COUNT_LIMIT));
    if (plan === null) return null;
    const { purpose, sources, createdMist } = plan;
    const kind = splitKind(createdMist, address);
    const createdSumMist = createdMist.reduce((sum, amountMist) => sum + amountMist, 0n);
    return {
      ...NOTHING_ELSE,
      purpose,
      trialKind: kind,
      choose: (budgetMist) =>
        sumMist(sources) < createdSumMist + budgetMist
          ? null
          : { ...MOVES_NOTHING, kind, payment: sources, createdMist },
    };
  }

  /** Plans to turn an address balance into a coin. Its own gas comes from the same balance. */
  #redeemPlan(address: string): TreasuryPlan | null {
    const { store } = this.#core;
    const { addressBalanceAtoms: addressBalanceMist } = store.totals();
    const underWay = store.pendingTreasury().some(({ fromAddressBalanceMist }) => fromAddressBalanceMist > 0n);
    if (addressBalanceMist < CONVERT_FROM_MIST || underWay) return null;
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      trialKind: redeemKind(1n, address),
      choose: (budgetMist) => {
        const amountMist = addressBalanceMist - budgetMist;
        if (amountMist <= 0n) return null;
        const kind = redeemKind(amountMist, address);
        return { kind, payment: [], createdMist: [amountMist], fromAddressBalanceMist: amountMist, paidOutMist: 0n };
      },
    };
  }

  /** Plans to merge party coins into the coin that pays for it. */
  #takeInPlan(): TreasuryPlan | null {
    const { store } = this.#core;
    const takesIn = this.#takingIn.isOver(this.#core.nowMs()) ? planTakeIn(store) : [];
    if (takesIn.length === 0 || !this.#canPayForTakeIn()) return null;
    const kind = takeInKind(takesIn);
    return {
      ...NOTHING_ELSE,
      purpose: "take_in",
      takesIn,
      trialKind: kind,
      choose: (budgetMist) => {
        const gasCoin = maintenancePayment(store, budgetMist);
        return gasCoin && { ...MOVES_NOTHING, kind, payment: [gasCoin] };
      },
    };
  }

  /** Plans to merge party coins into the address balance, which pays for it. */
  #takeInFundsPlan(address: string): TreasuryPlan | null {
    const { store } = this.#core;
    const takesIn = this.#takingIn.isOver(this.#core.nowMs()) ? planTakeIn(store) : [];
    if (takesIn.length === 0 || !this.#canPayForTakeIn()) return null;
    const kind = takeInFundsKind(takesIn, address);
    return {
      ...NOTHING_ELSE,
      purpose: "take_in",
      takesIn,
      trialKind: kind,
      choose: (budgetMist) =>
        store.totals().addressBalanceAtoms < budgetMist
          ? null
          : { ...MOVES_NOTHING, kind, payment: [], fromAddressBalanceMist: -sumMist(takesIn) },
    };
  }

  /** Plans to send deposited coins to the address balance. */
  #sweepPlan(address: string): TreasuryPlan | null {
    const coins = this.#convertibleCoins();
    if (coins.length === 0 || this.#conversion.sendsWhatIsSplit) return null;
    const kind = sweepKind(address);
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      paysToAddressBalance: true,
      trialKind: kind,
      choose: (budgetMist) => (sumMist(coins) < budgetMist ? null : { ...MOVES_NOTHING, kind, payment: coins }),
    };
  }

  /** Plans the same if the gas coin itself cannot be sent. Its rest pays for the next conversion. */
  #splitSweepPlan(address: string): TreasuryPlan | null {
    const coins = this.#convertibleCoins();
    if (coins.length === 0 || !this.#conversion.sendsWhatIsSplit) return null;
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      trialKind: splitSweepKind(1n, address),
      choose: (budgetMist) => {
        const amountMist = sumMist(coins) - budgetMist;
        if (amountMist <= 0n) return null;
        const kind = splitSweepKind(amountMist, address);
        return { ...MOVES_NOTHING, kind, payment: coins, fromAddressBalanceMist: -amountMist };
      },
    };
  }

  #convertibleCoins(): readonly FundCoin[] {
    const coins = this.#core.store.largestFree(MAX_U64, MAX_GAS_PAYMENT_OBJECTS);
    return sumMist(coins) < CONVERT_FROM_MIST ? [] : coins;
  }
}

/** Sums balances, MIST. */
export function sumMist(coins: readonly Pick<FundCoin, "balanceMist">[]): bigint {
  return coins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
}
