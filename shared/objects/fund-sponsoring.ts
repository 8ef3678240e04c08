import { type InspectedKind, inspectKind } from "../chain/sui/kind.ts";
import { DRY_RUN_BUDGET_MIST } from "../chain/sui/limits.ts";
import type { ChainFacts } from "../chain/sui/node.ts";
import { signTransaction, wrapKind } from "../chain/sui/transaction.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { automaticBudgetMist } from "../fund/budget.ts";
import type { Sponsorship } from "../fund/coin-store.ts";
import { expirationEpoch, reserve, screen } from "../fund/sui-fund.ts";
import { sleep } from "../timing.ts";
import type { FundCore } from "./fund-core.ts";
import type { FundPool } from "./fund-pool.ts";

const COIN_WAIT_MS = 5_000;
const COIN_POLL_MS = 250;
/** The pool is checked after this many reservations, so that it is refilled ahead of need. */
const RESERVATIONS_PER_POOL_CHECK = 8;

export interface SponsorInput {
  readonly keyId: string;
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** Null: from a dry run. */
  readonly gasBudgetMist: bigint | null;
  /** What a dry run's budget may come to; null: whatever the chain allows. */
  readonly maxGasBudgetMist: bigint | null;
  /** Null: the reference gas price. */
  readonly gasPriceMist: bigint | null;
}

export interface Prepared {
  readonly txBytes: Uint8Array;
  readonly digest: string;
  readonly expiresAtMs: number;
}

export interface Sponsored extends Prepared {
  /** The fund's, Base64 of `flag ‖ signature ‖ public key`. */
  readonly signature: string;
}

/** How a fund comes to lend: gathers what needs I/O, has the machine decide, and signs only what is on disk. */
export class FundSponsoring {
  readonly #core: FundCore;
  readonly #pool: FundPool;
  /** Keeps the object alive for work that goes on after the answer. */
  readonly #afterAnswer: (work: Promise<unknown>) => void;
  #reservations = 0;

  constructor(core: FundCore, pool: FundPool, afterAnswer: (work: Promise<unknown>) => void) {
    this.#core = core;
    this.#pool = pool;
    this.#afterAnswer = afterAnswer;
  }

  /** Lends coins, signs, and hands the signature out. */
  async sponsor(input: SponsorInput): Promise<Outcome<Sponsored>> {
    const reserved = await this.#reserve(input, "at_once");
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    await this.#core.durable();
    const signature = await signTransaction(await this.#core.signer(), transactionBytes);
    return done({ txBytes: transactionBytes, digest, expiresAtMs, signature });
  }

  /** Lends coins; nothing is signed. */
  async prepare(input: SponsorInput): Promise<Outcome<Prepared>> {
    const reserved = await this.#reserve(input, "after_sender");
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    return done({ txBytes: transactionBytes, digest, expiresAtMs });
  }

  async #reserve(input: SponsorInput, release: "at_once" | "after_sender"): Promise<Outcome<Sponsorship>> {
    const core = this.#core;
    const inspected = inspectKind(input.kindBytes);
    if (!inspected.ok) return inspected;
    const { address } = core;
    if (address === null) return refuse("balance_too_low", "the fund has no deposit address yet, so it holds nothing");
    // A fund that cannot sign must not hold coins for signatures that never come to be.
    await core.signer();
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const screened = screen(core.store, input, core.context(address, facts.value));
    if (!screened.ok) return screened;
    const kind = inspected.value;
    const gasPriceMist = screened.value;
    const budget = await this.#budget(input, kind, address, gasPriceMist, facts.value);
    if (!budget.ok) return budget;

    const request = { keyId: input.keyId, kind, sender: input.sender, gasPriceMist, gasBudgetMist: budget.value };
    const reserved = await this.#withCoin(budget.value, () =>
      core.commit(() => reserve(core.store, request, core.context(address, facts.value), release)),
    );
    if (++this.#reservations % RESERVATIONS_PER_POOL_CHECK === 0) this.#afterAnswer(this.#pool.refill());
    return reserved;
  }

  /** The budget as given, or by a dry run: the one upstream call of a sponsorship. */
  async #budget(
    { gasBudgetMist, maxGasBudgetMist, sender }: SponsorInput,
    kind: InspectedKind,
    owner: string,
    priceMist: bigint,
    facts: ChainFacts,
  ): Promise<Outcome<bigint>> {
    if (gasBudgetMist !== null) return done(gasBudgetMist);
    const gas = { owner, payment: [], priceMist, budgetMist: DRY_RUN_BUDGET_MIST };
    const dryRun = await this.#core.node.dryRun(wrapKind(kind.bytes, sender, gas, expirationEpoch(facts)));
    if (!dryRun.ok) return dryRun;
    const { success, error, gasUsed } = dryRun.value;
    if (!success)
      return refuse("dry_run_failed", error ?? "the dry run failed", { node: { status: "failure", text: error } });
    const automaticMist = automaticBudgetMist(gasUsed, priceMist, kind.usesSharedObjects);
    return maxGasBudgetMist === null || automaticMist <= maxGasBudgetMist
      ? done(automaticMist)
      : refuse(
          "gas_budget_out_of_range",
          `by a dry run the gas budget is ${automaticMist} MIST, above the maxGasBudget of ${maxGasBudgetMist}`,
        );
  }

  /** Tries, and while the fund has money but no fitting coin, waits for the pool. */
  async #withCoin(budgetMist: bigint, attempt: () => Outcome<Sponsorship>): Promise<Outcome<Sponsorship>> {
    let reserved = attempt();
    if (reserved.ok || reserved.refusal.reason !== "no_gas_object") return reserved;
    const deadlineMs = this.#core.nowMs() + COIN_WAIT_MS;
    const waiter = { budgetMist };
    this.#pool.waiting.add(waiter);
    try {
      while (!reserved.ok && reserved.refusal.reason === "no_gas_object" && this.#core.nowMs() < deadlineMs) {
        const leftMs = Math.max(deadlineMs - this.#core.nowMs(), 0);
        const refilled = await Promise.race([this.#pool.refill(), sleep(leftMs)]);
        if (refilled !== true) await sleep(Math.min(COIN_POLL_MS, leftMs));
        reserved = attempt();
      }
      return reserved;
    } finally {
      this.#pool.waiting.delete(waiter);
    }
  }
}
