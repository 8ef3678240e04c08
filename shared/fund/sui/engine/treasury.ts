/* Sui only: A withdrawal is the only treasury transaction on Aptos. */

import type { ObjectRef } from "../../../chain/sui/coins.ts";
import { DRY_RUN_BUDGET_MIST } from "../../../chain/sui/limits.ts";
import type { SubmitOutcome } from "../../../chain/sui/node.ts";
import { type Expiration, signTransaction, transactionDigest, wrapKind } from "../../../chain/sui/transaction.ts";
import { orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import type { IdempotencyRecord } from "../../ledger/books.ts";
import { isClosed } from "../../recovery.ts";
import { pausedRefusal } from "../../refusals.ts";
import { RECOVERING } from "../../views.ts";
import type { ChainFacts } from "../chain-facts.ts";
import { automaticBudgetMist } from "../gas.ts";
import type { SuiTreasuryTransaction } from "../store.ts";
import { beginTreasury, recordTreasuryUnanswered, type SuiTreasuryDraft } from "../treasury.ts";
import { closeTreasuryByEvidence, settleTreasury } from "../treasury-settle.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence, observeCoins } from "./evidence.ts";
import type { SuiLookUps } from "./look-ups.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/**
 * The waits before a transaction that a node refuses is tried again, each counted from the last try. A node refuses it
 * at once for a coin that a user has used. It shows 0.2 to 1 s later which transaction that was. Until then it cannot
 * simulate with new coins.
 */
export const TRIED_AGAIN_MS = [250, 500, 1_000] as const;

/** The plan of a treasury transaction, before its gas is known. */
export interface TreasuryPlan
  extends Pick<SuiTreasuryDraft, "purpose" | "paysToAddressBalance" | "collectedFeesMist" | "takesIn"> {
  /** The kind for the dry run, of the same size and cost as the kind itself. */
  readonly trialKind: Uint8Array;
  /** Chooses the rest of the plan once the gas budget is known. Null if the coins at hand do not cover the budget. */
  choose(budgetMist: bigint): Chosen | null;
  readonly bumpedCoins: readonly ObjectRef[];
  /**
   * Refuses the plan in the commit that journals it, because the fund can change in any await. Absent if the plan needs
   * no such check.
   */
  readonly refusal?: () => (Outcome<never> & { readonly ok: false }) | null;
}

interface Chosen extends Pick<SuiTreasuryDraft, "createdMist" | "fromAddressBalanceMist" | "paidOutMist"> {
  readonly kind: Uint8Array;
  /** Empty if the address balance pays. */
  readonly payment: readonly ObjectRef[];
}

/**
 * The end of a submission. `refused`: the transaction is open, and a node has given a reason for not executing it now.
 */
export type TreasuryEnd = "executed" | "failed" | "dead" | "open" | "refused";

/** Drafts, journals, signs and sends the fund's treasury transactions, and settles their outcomes. */
export class TreasuryRunner {
  readonly #core: SuiFundCore;
  readonly #lookUps: SuiLookUps;
  readonly #watch: SuiStateWatch;

  constructor(core: SuiFundCore, lookUps: SuiLookUps, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
    this.#lookUps = lookUps;
  }

  /**
   * Journals a plan. Nothing is signed yet.
   *
   * @param idempotencyOf returns the record to write beside it, in the same commit.
   * @returns `fund_paused` if the state may be older than the chain, `node_unavailable`, `dry_run_failed`, `no_gas_object` if no coin is free to pay for it, and the refusals
   * of `beginTreasury`.
   */
  async begin(
    plan: TreasuryPlan,
    idempotencyOf: (digest: string) => IdempotencyRecord | null = () => null,
  ): Promise<Outcome<SuiTreasuryTransaction>> {
    const core = this.#core;
    const { address, record } = core;
    if (isClosed(record) && plan.purpose !== "recover") return pausedRefusal(record.pausedCause ?? RECOVERING);
    if (address === null)
      return refuse(
        "balance_too_low",
        "the fund has no deposit address yet, so it holds nothing: have the operator make one",
      );
    // A fund that cannot sign must not journal a transaction that it could never send.
    const signer = await orKeyServiceRefusal(core.signer());
    if (!signer.ok) return signer;
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const budget = await this.#budget(plan, address, facts.value);
    if (!budget.ok) return budget;
    const chosen = plan.choose(budget.value);
    if (chosen === null) return refuse("no_gas_object", "no free coin covers the gas now: repeat shortly");
    return core.commitOrRefuse(() => {
      // A recovery may have begun during the await.
      if (isClosed(core.record) && plan.purpose !== "recover") return pausedRefusal(RECOVERING);
      const refused = plan.refusal?.() ?? null;
      if (refused !== null) return refused;
      const draft = this.#draft(plan, chosen, budget.value, address, facts.value);
      const context = { mode: core.mode, nowMs: core.nowMs() };
      return beginTreasury(core.store, draft, context, idempotencyOf(draft.digest));
    });
  }

  async #budget(plan: TreasuryPlan, owner: string, facts: ChainFacts): Promise<Outcome<bigint>> {
    const priceMist = facts.referenceGasPriceMist;
    const gas = { owner, payment: [], priceMist, budgetMist: DRY_RUN_BUDGET_MIST };
    const expiration: Expiration = { kind: "epoch", epoch: facts.epoch };
    const dryRun = await this.#core.node.dryRun(wrapKind(plan.trialKind, owner, gas, expiration));
    if (!dryRun.ok) return dryRun;
    const { success, error, gasUsed } = dryRun.value;
    return success
      ? done(automaticBudgetMist(gasUsed, priceMist, false))
      : refuse("dry_run_failed", `the treasury transaction would fail: ${error ?? "no reason given"}`);
  }

  #draft(
    plan: TreasuryPlan,
    { kind, ...chosen }: Chosen,
    budgetMist: bigint,
    owner: string,
    facts: ChainFacts,
  ): SuiTreasuryDraft {
    const { epoch, chainIdentifier, referenceGasPriceMist: priceMist } = facts;
    const expiration: Expiration =
      chosen.payment.length > 0
        ? { kind: "epoch", epoch }
        : { kind: "window", from: epoch, to: epoch, chainIdentifier, nonce: this.#core.store.takeNonce() };
    const transactionBytes = wrapKind(
      kind,
      owner,
      { owner, payment: chosen.payment, priceMist, budgetMist },
      expiration,
    );
    const { purpose, paysToAddressBalance, collectedFeesMist, bumpedCoins, takesIn } = plan;
    return {
      purpose,
      transactionBytes,
      digest: transactionDigest(transactionBytes),
      gasBudgetAtoms: budgetMist,
      expirationEpoch: epoch,
      sinceCheckpoint: facts.checkpoint,
      ...chosen,
      bumpedCoins,
      takesIn,
      paysToAddressBalance,
      collectedFeesMist,
    };
  }

  /**
   * Sends a journaled transaction, for the first time or again. The bytes are the same, so it executes at most once.
   */
  async submit(digest: string): Promise<TreasuryEnd> {
    const core = this.#core;
    const { address } = core;
    const transaction = core.store.treasuryTransaction(digest);
    if (address === null || transaction === null || transaction.state !== "pending") return endOf(transaction);
    await core.durable();
    const outcome = await this.#send(transaction);
    let isRefused = false;
    if (outcome.kind === "executed") {
      const { execution } = outcome;
      if (core.commit(() => settleTreasury(core.store, execution, address, core.nowMs())))
        return execution.success ? "executed" : "failed";
      core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest });
    } else {
      isRefused = outcome.kind === "refused";
      const { fundId } = core.record;
      core.deps.log("fund.own_unsettled", { fund: fundId, digest, outcome: outcome.kind, text: outcome.text });
      // The evidence is also read if no answer came. One dead endpoint before the others must not keep the row open.
      if (await this.#closedByEvidence(transaction)) return endOf(core.store.treasuryTransaction(digest));
    }
    core.commit(() => recordTreasuryUnanswered(core.store, digest, core.nowMs()));
    const end = endOf(core.store.treasuryTransaction(digest));
    return end === "open" && isRefused ? "refused" : end;
  }

  /** Signs and sends. Without a key there is no answer either: an earlier call may have sent it. */
  async #send({ transactionBytes, digest }: SuiTreasuryTransaction): Promise<SubmitOutcome> {
    const core = this.#core;
    const signer = await orKeyServiceRefusal(core.signer());
    if (!signer.ok) return { kind: "unknown", text: signer.error.details };
    return core.node.submit(transactionBytes, [await signTransaction(signer.value, transactionBytes)], digest);
  }

  /**
   * Submits a few times. Otherwise the holder of leaked signatures could delay their revocation with one execution for
   * each attempt.
   */
  async submitPatiently(digest: string): Promise<TreasuryEnd> {
    let end = await this.submit(digest);
    for (const waitMs of TRIED_AGAIN_MS) {
      if (end !== "refused") return end;
      await sleep(waitMs);
      end = await this.submit(digest);
    }
    return end;
  }

  /** Closes the transaction if its epoch is over, or if another digest moved an input to a higher version. */
  async #closedByEvidence({ digest, purpose, bumpedCoins }: SuiTreasuryTransaction): Promise<boolean> {
    const core = this.#core;
    // A refusal may mean that an epoch has just begun.
    const facts = await core.refreshFacts();
    if (!facts.ok) return false;
    const ids = [...core.store.coinsHeldBy(digest), ...bumpedCoins].map(({ objectId }) => objectId);
    const believed = believedEpoch(core);
    const coins = await observeCoins(core, ids);
    if (coins === "no_answer") return false;
    const { findings } = await this.#lookUps.find([digest], "effects");
    const finding = findings.get(digest);
    if (finding === undefined || finding.value !== null) return false;
    if (await this.#watch.isBehindCoins(coins)) return false;
    const evidence = deathEvidence(believed, coins, finding);
    return core.commit(() => {
      // A sweep of a recovery moves coins too. The recovery closes the other rows by stronger evidence.
      if (isClosed(core.record) && purpose !== "recover") return false;
      return closeTreasuryByEvidence(core.store, digest, evidence, core.nowMs());
    });
  }
}

function endOf(transaction: SuiTreasuryTransaction | null): TreasuryEnd {
  switch (transaction?.state) {
    case "pending":
      return "open";
    case "complete":
      return "executed";
    case "failed":
      return "failed";
    default:
      return "dead";
  }
}
