import { MAX_U64 } from "../../../amounts.ts";
import { redeemKind, splitKind } from "../../../chain/sui/treasury-kinds.ts";
import { Deadline } from "../../../deadline.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import type { Withdrawal, WithdrawInput } from "../../engine.ts";
import type { IdempotencyRecord } from "../../ledger/books.ts";
import type { Shortage } from "../../shortage.ts";
import { mostAfterGas } from "../../withdrawal-gas.ts";
import { guardWithdrawal } from "../../withdrawal-guard.ts";
import type { FundCoin } from "../store.ts";
import { withdrawableMist, withdrawalRefusal } from "../treasury.ts";
import type { SuiFundCore } from "./chain.ts";
import type { PaymentCheck } from "./payment-check.ts";
import { type SuiPool, sumMist } from "./pool.ts";
import type { TreasuryPlan, TreasuryRunner } from "./treasury.ts";

/** The time that a withdrawal waits for held coins to be freed, while no new ones are reserved. */
const COIN_WAIT_MS = 8_000;
const COIN_POLL_MS = 500;
const MAX_PAYMENT_COINS = 255;
/** An operator may repeat a withdrawal after days. It must never be paid twice, however late the repeat is. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** The parts that withdrawals need. */
export interface WithdrawalParts {
  readonly own: TreasuryRunner;
  readonly pool: SuiPool;
  readonly shortage: Shortage;
  readonly turns: KeyedMutex;
  readonly check: PaymentCheck;
}

/** Pays money out of the fund, at most once for each Idempotency-Key. */
export class SuiWithdrawals {
  readonly #core: SuiFundCore;
  readonly #own: TreasuryRunner;
  readonly #pool: SuiPool;
  readonly #shortage: Shortage;
  readonly #turns: KeyedMutex;
  readonly #check: PaymentCheck;

  constructor(core: SuiFundCore, parts: WithdrawalParts) {
    this.#core = core;
    this.#own = parts.own;
    this.#pool = parts.pool;
    this.#shortage = parts.shortage;
    this.#turns = parts.turns;
    this.#check = parts.check;
  }

  /**
   * Journals the withdrawal, sends it, and answers with its digest. A repeat always answers with the same digest, even
   * after its death. Nodes prove a death, and no lie of a node may have money paid twice.
   *
   * @returns `idempotency_conflict`, `bad_params` for the fund's own address, `balance_too_low`, `no_gas_object` while
   * too many coins are held, `fund_paused` if the state is older than the chain, `node_unavailable`.
   */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    return this.#turns.run(input.idempotency.scope, () => this.#withdraw(input));
  }

  async #withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    const { store, address } = this.#core;
    const earlier = store.idempotency(input.idempotency.scope);
    if (earlier !== null) {
      if (earlier.fingerprint !== input.idempotency.fingerprint)
        return refuse("idempotency_conflict", "this Idempotency-Key was used for another withdrawal: use a new key");
      if (store.treasuryTransaction(earlier.reference)?.state === "pending") await this.#own.submit(earlier.reference);
      return done(this.#answer(earlier.reference));
    }
    const refused = guardWithdrawal(this.#core.record, input);
    if (refused !== null) return refused;
    if (input.to === address) return refuse("bad_params", "a fund cannot withdraw to itself: name another address");
    const convert = () => this.#pool.stock();
    const begun = await this.#shortage.retry(() => this.#begin(input, address ?? ""), { convert });
    if (!begun.ok) return begun;
    await this.#own.submit(begun.value);
    return done(this.#answer(begun.value));
  }

  #answer(digest: string): Withdrawal {
    return { digest, state: this.#core.store.treasuryTransaction(digest)?.state ?? "pending" };
  }

  /**
   * Journals the withdrawal. If there is enough money and too much of it is held, waits, and no new coin is reserved.
   */
  async #begin(input: WithdrawInput, address: string): Promise<Outcome<string>> {
    const core = this.#core;
    const { mode, store } = core;
    const terms = mode === "coin" ? this.#fromCoins(input) : this.#fromAddressBalance(input, address);
    // A recovery may begin and end during the check.
    const refusal = () => guardWithdrawal(core.record, input);
    let gasMist = 0n;
    const choose = (budgetMist: bigint) => {
      gasMist = budgetMist;
      return terms.choose(budgetMist);
    };
    const plan: TreasuryPlan = { ...terms, choose, refusal };
    if (input.amountAtoms > withdrawableMist(store, plan, mode)) return withdrawalRefusal(store, plan, mode);
    const checked = await new Deadline().within(this.#check.run(address));
    if (!checked.ok) return checked;
    const recordOf = (digest: string): IdempotencyRecord => ({
      ...input.idempotency,
      reference: digest,
      expiresAtMs: NEVER_MS,
    });
    let begun = await this.#own.begin(plan, recordOf);
    const deadlineMs = core.nowMs() + COIN_WAIT_MS;
    if (!begun.ok && begun.error.reason === "no_gas_object") this.#pool.withdrawing += 1;
    else return begun.ok ? done(begun.value.digest) : begun;
    try {
      while (!begun.ok && begun.error.reason === "no_gas_object" && core.nowMs() < deadlineMs) {
        if (!this.#isWorthWaiting()) return this.#refuseGas(gasMist);
        await sleep(COIN_POLL_MS);
        begun = await this.#own.begin(plan, recordOf);
      }
    } finally {
      this.#pool.withdrawing -= 1;
    }
    if (begun.ok) return done(begun.value.digest);
    return begun.error.reason === "no_gas_object" ? this.#refuseLent() : begun;
  }

  /**
   * Checks for a sponsorship or a treasury transaction that may free coins. Nothing else frees coins. A sponsorship
   * without coins frees none.
   */
  #isWorthWaiting(): boolean {
    const { store } = this.#core;
    const isTaken = store.countTaken("held", 1) + store.countTaken("quarantined", 1) > 0;
    return isTaken || store.pendingTreasury().length > 0;
  }

  /**
   * Refuses an amount that leaves nothing for the gas. The payment takes any maintenance reserve that could cover it,
   * so none is left.
   */
  #refuseGas(gasMist: bigint) {
    const mostMist = mostAfterGas({ payableAtoms: this.#freeMist(), reserveAtoms: 0n }, gasMist);
    const details = `the gas of a withdrawal comes out of the same coins: withdraw less at once, at most ${mostMist} MIST`;
    return refuse("balance_too_low", details);
  }

  #freeMist(): bigint {
    return sumMist(this.#core.store.largestFree(MAX_U64, MAX_PAYMENT_COINS));
  }

  #refuseLent() {
    const freeMist = this.#freeMist();
    const details = `the free coins hold ${freeMist} MIST, gas included, the others are held: withdraw less, or retry later`;
    return refuse("no_gas_object", details);
  }

  #fromCoins({ to, amountAtoms: amountMist, from }: WithdrawInput): TreasuryPlan {
    const kind = splitKind([amountMist], to);
    return {
      purpose: "withdraw",
      paysToAddressBalance: false,
      collectedFeesMist: from === "fees" ? amountMist : 0n,
      bumpedCoins: [],
      takesIn: [],
      // The amount does not change the cost. The coin that a node makes up for a dry run is not endless.
      trialKind: splitKind([1n], to),
      choose: (budgetMist) => {
        const payment = this.#payment(amountMist, budgetMist);
        return payment && { kind, payment, createdMist: [], fromAddressBalanceMist: 0n, paidOutMist: amountMist };
      },
    };
  }

  /**
   * Picks the largest free coins. A maintenance coin joins them only if they cover the amount but not the gas. It comes
   * first, so that its rest stays set aside. Null if the coins do not cover the amount.
   */
  #payment(amountMist: bigint, budgetMist: bigint): readonly FundCoin[] | null {
    const { store } = this.#core;
    const payment: FundCoin[] = [];
    for (const coin of store.largestFree(MAX_U64, MAX_PAYMENT_COINS)) {
      if (sumMist(payment) >= amountMist + budgetMist) break;
      payment.push(coin);
    }
    const sum = sumMist(payment);
    if (sum >= amountMist + budgetMist) return payment;
    if (sum < amountMist) return null;
    const aside = store.maintenanceCoins().find((coin) => coin.state === "free" && coin.balanceMist >= budgetMist);
    return aside === undefined ? null : [aside, ...payment];
  }

  #fromAddressBalance({ to, amountAtoms: amountMist, from }: WithdrawInput, address: string): TreasuryPlan {
    const kind = redeemKind(amountMist, to);
    return {
      purpose: "withdraw",
      paysToAddressBalance: false,
      collectedFeesMist: from === "fees" ? amountMist : 0n,
      bumpedCoins: [],
      takesIn: [],
      trialKind: redeemKind(1n, address),
      choose: () => ({
        kind,
        payment: [],
        createdMist: [],
        fromAddressBalanceMist: amountMist,
        paidOutMist: amountMist,
      }),
    };
  }
}
