// Sui only (failedDryRun): an Aptos fund makes no dry run.

import { type InspectedKind, inspectKind } from "../../../chain/sui/kind.ts";
import { DRY_RUN_BUDGET_MIST } from "../../../chain/sui/limits.ts";
import type { DryRun } from "../../../chain/sui/node.ts";
import { shownAbort } from "../../../chain/sui/shown-abort.ts";
import { wrapKind } from "../../../chain/sui/transaction.ts";
import { orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import type { Deadline } from "../../../deadline.ts";
import { GroupCommit } from "../../../durable/group-commit.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, type Refusal, refuse } from "../../../errors.ts";
import { refuseLate } from "../../../http/overload.ts";
import { compilePolicy } from "../../../policy/compile-fund-policy.ts";
import type { Failure } from "../../../result.ts";
import { inTime, sleep } from "../../../timing.ts";
import type { Shortage } from "../../shortage.ts";
import {
  expirationEpoch,
  precheck,
  type SuiFundContext,
  type SuiSponsorRequest,
  type SuiSponsorTerms,
} from "../checks.ts";
import { automaticBudgetMist } from "../gas.ts";
import { type findByIdempotencyKey, noCoinRefusal, reserve } from "../reserve.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { isGaslessNow, NO_GAS, RefusedSenders } from "./gasless.ts";
import type { SuiPool } from "./pool.ts";
import type { Call } from "./sponsor-input.ts";

const COIN_WAIT_MS = 5_000;
const COIN_POLL_MS = 250;
/** The pool is checked after this many reservations, so that it is refilled ahead of need. */
const RESERVATIONS_PER_POOL_CHECK = 32;

/** Refuses a sponsorship whose dry run failed, with the node's own text and the place of an abort. */
export function failedDryRun({ error, abort }: Pick<DryRun, "error" | "abort">): Failure<Refusal> {
  const text = error ?? "the dry run failed, and the node gives no reason: check the transaction";
  const node = { status: "failure", text: error };
  return refuse("dry_run_failed", text, { node, ...(abort && { abort: shownAbort(abort) }) });
}

/** The function that answers a repeat with the same Idempotency-Key. */
export type Replay = typeof findByIdempotencyKey;

/**
 * Reserves gas for a sponsorship. Gathers the input that needs I/O, and leaves the decision to `reserve` of the state
 * machine.
 */
export class SuiReservation {
  readonly #core: SuiFundCore;
  readonly #pool: SuiPool;
  readonly #shortage: Shortage;
  /** Keeps the object alive for work that continues after the answer. */
  readonly #afterAnswer: (work: Promise<unknown>) => void;
  /** The commits of calls of about the same time. The execution of a sponsorship joins them, too. */
  readonly commits: GroupCommit;
  /** The senders whose transactions without gas were refused. The execution of a sponsorship notes them. */
  readonly refused = new RefusedSenders();
  readonly #turns: KeyedMutex;
  #reservations = 0;

  constructor(
    core: SuiFundCore,
    pool: SuiPool,
    shortage: Shortage,
    turns: KeyedMutex,
    afterAnswer: (work: Promise<unknown>) => void,
  ) {
    this.#core = core;
    this.#pool = pool;
    this.#shortage = shortage;
    this.#turns = turns;
    this.#afterAnswer = afterAnswer;
    this.commits = new GroupCommit(
      (transition) => core.commit(transition),
      // This clock steps with the wall clock on workerd. A step forward refuses waiting calls as overloaded before they
      // run.
      () => performance.now(),
    );
  }

  /**
   * Reserves gas. With an Idempotency-Key, a repeat waits for the first call and gets its result.
   *
   * @param release when a held coin may be recycled at its expiry: see `reserve` of the state machine.
   * @returns the refusals of `sponsor`, in `shared/bindings/fund.ts`.
   */
  reserveOnce(input: Call, release: "at_once" | "after_sender", replayed: Replay): Promise<Outcome<SuiSponsorship>> {
    const { idempotency } = input;
    const late = refuseLate(input.arrivedAtMs, this.#core.nowMs());
    if (late !== null) return Promise.resolve(late);
    if (idempotency === null) return this.#reserve(input, release);
    return this.#turns.run(idempotency.scope, async () => {
      const core = this.#core;
      return replayed(core.store, idempotency, core.nowMs()) ?? this.#reserve(input, release);
    });
  }

  /** Looks for new deposits before it refuses for lack of money. */
  async #reserve(input: Call, release: "at_once" | "after_sender"): Promise<Outcome<SuiSponsorship>> {
    const { deadline, screen } = input;
    const screened = screen?.() ?? null;
    if (screened !== null) return screened;
    // A coin pays for nothing in that mode before its conversion.
    const convert = this.#core.mode === "address_balance" ? () => this.#pool.refill() : undefined;
    return this.#shortage.retry(() => this.#reserveNow(input, release), { deadline, convert });
  }

  async #reserveNow(input: Call, release: "at_once" | "after_sender"): Promise<Outcome<SuiSponsorship>> {
    const core = this.#core;
    const inspected = inspectKind(input.kindBytes);
    if (!inspected.ok) return inspected;
    const { address } = core;
    if (address === null)
      return refuse(
        "balance_too_low",
        "the fund has no deposit address yet, so it holds nothing: have the operator make one",
      );
    // A fund that cannot sign must not hold coins for signatures that it will never make.
    const signer = await orKeyServiceRefusal(core.signer());
    if (!signer.ok) return signer;
    const facts = await core.factsForSigning(input.deadline);
    if (!facts.ok) return facts;
    const terms: SuiSponsorTerms = {
      sender: input.sender,
      kind: inspected.value,
      keyPolicy: compilePolicy(input.keyPolicy, "sui"),
      gasPriceMist: input.gasPriceMist ?? facts.value.referenceGasPriceMist,
      gasBudgetAtoms: input.gasBudgetMist,
      lastEpoch: input.lastEpoch,
      isGasless: false,
    };
    const context = () => core.context(address, facts.value);
    const { keyId, idempotency, requestId = null } = input;
    const named = { keyId, idempotency, requestId, kind: inspected.value };
    if (await isGaslessNow(core, input, this.refused, { ...terms, kind: inspected.value }, context)) {
      const request = { ...terms, ...NO_GAS, ...named };
      return this.commits.run(() => reserve(core.store, request, context(), release));
    }
    const budget = await this.#budget(input, inspected.value, terms, context);
    if (!budget.ok) return budget;

    const asked = { ...terms, ...named, ...budget.value };
    const reserved = await this.#withCoin(asked.gasBudgetAtoms, input.deadline, async () => {
      // An epoch may have ended while the call waited for a coin, and the price with it.
      const current = await core.factsForSigning(input.deadline);
      if (!current.ok) return current;
      const request = { ...asked, gasPriceMist: input.gasPriceMist ?? current.value.referenceGasPriceMist };
      return this.commits.run(() => reserve(core.store, request, core.context(address, current.value), release));
    });
    if (++this.#reservations % RESERVATIONS_PER_POOL_CHECK === 0) this.#afterAnswer(this.#pool.refill());
    return reserved;
  }

  /**
   * Returns the given budget, or one from a dry run: at most one upstream call for a sponsorship. A refusal that needs
   * no dry run comes first.
   */
  async #budget(
    { gasBudgetMist, maxGasBudgetMist, simulate = false, deadline, heard }: Call,
    kind: InspectedKind,
    terms: SuiSponsorTerms,
    contextNow: () => SuiFundContext,
  ): Promise<Outcome<Pick<SuiSponsorRequest, "gasBudgetAtoms" | "storageCostAtoms">>> {
    if (gasBudgetMist !== null && !simulate) return done({ gasBudgetAtoms: gasBudgetMist, storageCostAtoms: null });
    const context = contextNow();
    const screened = precheck(this.#core.store, terms, context);
    if (!screened.ok) return screened;
    const { address: owner, facts } = context;
    const gas = { owner, payment: [], priceMist: terms.gasPriceMist, budgetMist: gasBudgetMist ?? DRY_RUN_BUDGET_MIST };
    const expiration = { kind: "epoch", epoch: expirationEpoch(facts) } as const;
    const trial = wrapKind(kind.bytes, terms.sender, gas, expiration);
    const dryRun = await deadline.asking(() => this.#core.node.within(deadline).dryRun(trial));
    if (!dryRun.ok) return dryRun;
    const { success, gasUsed } = dryRun.value;
    if (!success) return failedDryRun(dryRun.value);
    heard(dryRun.value);
    if (gasBudgetMist !== null)
      return done({ gasBudgetAtoms: gasBudgetMist, storageCostAtoms: gasUsed.storageCostMist });
    const automaticMist = automaticBudgetMist(gasUsed, terms.gasPriceMist, kind.usesSharedObjects);
    return maxGasBudgetMist === null || automaticMist <= maxGasBudgetMist
      ? done({ gasBudgetAtoms: automaticMist, storageCostAtoms: gasUsed.storageCostMist })
      : refuse(
          "gas_budget_out_of_range",
          `the dry run needs ${automaticMist} MIST, above maxGasBudget ${maxGasBudgetMist}: raise it`,
        );
  }

  /** Tries once. While the fund has money but no fitting coin, waits for the pool and tries again. */
  async #withCoin(
    budgetMist: bigint,
    deadline: Deadline,
    attempt: () => Promise<Outcome<SuiSponsorship>>,
  ): Promise<Outcome<SuiSponsorship>> {
    const tryOnce = async () => (this.#pool.withdrawing > 0 ? noCoinRefusal() : attempt());
    let reserved = await tryOnce();
    if (reserved.ok || reserved.error.reason !== "no_gas_object") return reserved;
    const deadlineMs = this.#core.nowMs() + Math.min(COIN_WAIT_MS, deadline.leftMs());
    const waiter = { budgetMist };
    this.#pool.waiting.add(waiter);
    try {
      while (!reserved.ok && reserved.error.reason === "no_gas_object" && this.#core.nowMs() < deadlineMs) {
        const leftMs = Math.max(deadlineMs - this.#core.nowMs(), 0);
        const refilled = await inTime(
          leftMs,
          deadline.asking(() => this.#pool.refill()),
        );
        if (refilled !== true) await sleep(Math.min(COIN_POLL_MS, leftMs));
        reserved = await tryOnce();
      }
      return reserved;
    } finally {
      this.#pool.waiting.delete(waiter);
    }
  }
}
