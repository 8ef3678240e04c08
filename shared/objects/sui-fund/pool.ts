import { MAX_U64 } from "../../amounts.ts";
import { MAX_GAS_PAYMENT_OBJECTS } from "../../chain/sui/limits.ts";
import { redeemKind, splitKind, sweepKind } from "../../chain/sui/own-kinds.ts";
import { WHOLE_FUND } from "../../fund/fund-books.ts";
import type { FundCoin } from "../../fund/fund-store.ts";
import { COUNT_LENT_LIMIT, GAS_PER_COIN_MIST, planSplit } from "../../fund/refill-plan.ts";
import type { SuiFundCore } from "./core.ts";
import type { FundOwn, OwnPlan } from "./own.ts";

/** Less than this in the form that does not pay is not worth a transaction. */
const CONVERT_FROM_MIST = 20_000_000n;
const NOTHING_ELSE = { inputs: [], sweeps: false, collectedFeesMist: 0n } as const;
const MOVES_NOTHING = { createdMist: [], redeemedMist: 0n, paidOutMist: 0n } as const;

/**
 * Keeps the fund's money in the form that pays: coins of the right sizes, ahead of need, or the address balance. One
 * own transaction at a time.
 */
export class FundPool {
  readonly #core: SuiFundCore;
  readonly #own: FundOwn;
  /** Budgets of the calls that wait for a coin. */
  readonly waiting = new Set<{ readonly budgetMist: bigint }>();
  /** Withdrawals that wait for coins. While there are any, coins are neither split nor lent. */
  withdrawing = 0;
  #refilling: Promise<boolean> | null = null;

  constructor(core: SuiFundCore, own: FundOwn) {
    this.#core = core;
    this.#own = own;
  }

  /** Splits, merges or converts once, for all who ask meanwhile. True when there is something new to pay with. */
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
    const makers = mode === "coin" ? [this.#splitPlan, this.#redeemPlan] : [this.#sweepPlan];
    for (const makePlan of makers) {
      const plan = makePlan.call(this, address);
      if (plan === null) continue;
      const begun = await this.#own.begin(plan);
      if (begun.ok) return (await this.#own.submit(begun.value.digest)) === "executed";
      const { reason, details } = begun.refusal;
      this.#core.deps.log("fund.refill_refused", { fund: record.fundId, purpose: plan.purpose, reason, details });
    }
    return false;
  }

  #splitPlan(address: string): OwnPlan | null {
    const { store } = this.#core;
    // Until it is known what an earlier one has made, another one would make it again.
    if (store.pendingOwnTransactions().some(({ createdMist }) => createdMist.length > 0)) return null;
    const plan = planSplit(store, {
      waitingBudgetsMist: Array.from(this.waiting, ({ budgetMist }) => budgetMist),
      lentCount: Math.min(store.usage(WHOLE_FUND).inFlightCount, COUNT_LENT_LIMIT),
      gasPerCoinMist: GAS_PER_COIN_MIST,
    });
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

  /** A deposit into the address balance becomes a coin; its own gas comes from the same balance. */
  #redeemPlan(address: string): OwnPlan | null {
    const { store } = this.#core;
    const { addressBalanceAtoms: addressBalanceMist } = store.totals();
    const underWay = store.pendingOwnTransactions().some(({ redeemedMist }) => redeemedMist > 0n);
    if (addressBalanceMist < CONVERT_FROM_MIST || underWay) return null;
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      trialKind: redeemKind(1n, address),
      choose: (budgetMist) => {
        const amountMist = addressBalanceMist - budgetMist;
        if (amountMist <= 0n) return null;
        const kind = redeemKind(amountMist, address);
        return { kind, payment: [], createdMist: [amountMist], redeemedMist: amountMist, paidOutMist: 0n };
      },
    };
  }

  /** Coins deposited into a fund that pays from its address balance. */
  #sweepPlan(address: string): OwnPlan | null {
    const { store } = this.#core;
    const coins = store.largestFree(MAX_U64, MAX_GAS_PAYMENT_OBJECTS);
    if (sumMist(coins) < CONVERT_FROM_MIST) return null;
    const kind = sweepKind(address);
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      sweeps: true,
      trialKind: kind,
      choose: (budgetMist) => (sumMist(coins) < budgetMist ? null : { ...MOVES_NOTHING, kind, payment: coins }),
    };
  }
}

export function sumMist(coins: readonly Pick<FundCoin, "balanceMist">[]): bigint {
  return coins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
}
