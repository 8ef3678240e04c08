import type { SubmitOutcome, SuiExecution } from "../../chain/sui/node.ts";
import { signTransaction } from "../../chain/sui/transaction.ts";
import { done, type Outcome, refuse, STORAGE_FAILED } from "../../errors.ts";
import type { Sponsorship } from "../../fund/fund-store.ts";
import { approve, recordMiss, releasePrepared, replay, settle } from "../../fund/sui-fund.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import { sleep } from "../../timing.ts";
import type { Turns } from "../turns.ts";
import type { SuiFundCore } from "./core.ts";
import { type Finding, lookUpBatch } from "./look-up-batch.ts";

/** How long an execution without an answer is looked up before the caller is told that its outcome is unknown. */
const OUTCOME_LOOK_UPS_MS = [250, 500, 1_000, 2_000] as const;

export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** Answer only once a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

export interface Executed {
  readonly execution: SuiExecution;
  readonly sender: string;
  /** Null where it was not asked for. */
  readonly confirmedLocalExecution: boolean | null;
}

export type SponsorshipStatus = "IN_FLIGHT" | "COMPLETE" | "INVALID";

/** What happens to a sponsorship once its sender has signed, and what its caller may believe about it. */
export class FundExecution {
  readonly #core: SuiFundCore;
  readonly #lookUp: (digest: string) => Promise<Outcome<Finding>>;

  readonly #turns: Turns;

  constructor(core: SuiFundCore, turns: Turns) {
    this.#core = core;
    this.#turns = turns;
    this.#lookUp = lookUpBatch((digests) => core.node.lookUp(digests, "full"));
  }

  /**
   * Approves, signs and submits; or, for what has been executed before, answers what the chain shows. With an
   * Idempotency-Key, a second call waits for the first: the digest makes both the same execution.
   */
  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    const { idempotency } = input;
    if (idempotency === null) return this.#execute(input);
    return this.#turns.take(idempotency.scope, async () => {
      const core = this.#core;
      const replayed = replay(core.store, idempotency, core.nowMs());
      // Of a repeat only the refusals count: where the first call stands, its digest tells.
      return replayed === null || replayed.ok ? this.#execute(input) : replayed;
    });
  }

  async #execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    const core = this.#core;
    const row = core.store.sponsorship(input.digest);
    if (row === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
    if (row.state === "dead") return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
    const valid = await core.node.verifySignature(row.transactionBytes, input.senderSignature, row.sender);
    if (!valid.ok) return valid;
    if (!valid.value)
      return refuse("bad_signature", "senderSignature is not the sender's signature over the sponsored bytes");
    if (row.state === "complete" || row.state === "expired") return this.#executedBefore(row, input);

    // Opened before the approval: a fund that cannot sign must not commit to signing.
    const signer = await core.signer();
    const approved = core.commit(() =>
      approve(
        core.store,
        input.digest,
        { pausedCause: core.record.pausedCause, nowMs: core.nowMs() },
        input.idempotency,
      ),
    );
    if (!approved.ok) return approved;
    await core.durable();
    const sponsorSignature = await signTransaction(signer, row.transactionBytes);
    return this.#submit(row, [input.senderSignature, sponsorSignature], input);
  }

  /** From here on something may have been sent: whatever fails, the digest is what the caller is left with. */
  async #submit(row: Sponsorship, signatures: readonly string[], input: ExecuteInput): Promise<Outcome<Executed>> {
    const { node, deps, record } = this.#core;
    try {
      const outcome = await node.submit(row.transactionBytes, signatures, row.digest);
      return outcome.kind === "executed"
        ? await this.#executed(row, outcome.execution, input)
        : await this.#unsettled(row, input, outcome);
    } catch (error) {
      deps.log("fund.execution_failed", { fund: record.fundId, digest: row.digest, error: String(error) });
      const details = "the service failed after the transaction was sent: look the digest up before anything else";
      return refuse("outcome_unknown", details, { digest: row.digest });
    }
  }

  /** A live row waits for one look-up, shared by concurrent calls. */
  async status(digest: string): Promise<Outcome<SponsorshipStatus>> {
    const core = this.#core;
    const row = core.store.sponsorship(digest);
    if (row === null || row.state === "dead") return done("INVALID");
    if (row.state === "complete") return done("COMPLETE");
    if (row.state === "prepared") {
      core.commit(() => releasePrepared(core.store, digest, core.nowMs()));
      return done(core.store.sponsorship(digest)?.state === "prepared" ? "IN_FLIGHT" : "INVALID");
    }
    const looked = await this.#lookUp(digest);
    const pending = row.state === "signed" && core.nowMs() < row.expiresAtMs;
    if (!looked.ok) return pending ? done("IN_FLIGHT") : looked;
    const { execution, checkpointTimeMs } = looked.value;
    if (execution !== null)
      return this.#book(execution)
        ? done("COMPLETE")
        : refuse("node_unavailable", "the node's answer does not fit the sponsored bytes");
    core.commit(() => recordMiss(core.store, digest, checkpointTimeMs, core.nowMs(), "by_caller"));
    switch (core.store.sponsorship(digest)?.state) {
      case "complete":
        return done("COMPLETE");
      case "signed":
        return pending ? done("IN_FLIGHT") : refuse("node_unavailable", "the node has not seen the expiry pass yet");
      case "expired":
        // A revocation calls it expired by our clock: only an endpoint that has seen that moment knows better.
        return checkpointTimeMs >= (core.store.sponsorship(digest)?.expiresAtMs ?? 0)
          ? done("INVALID")
          : refuse("node_unavailable", "the node has not seen the expiry pass yet");
      default:
        return done("INVALID");
    }
  }

  /** False, and a log line, where the effects cannot be those of what the fund signed: such a node is not believed. */
  #book(execution: SuiExecution): boolean {
    const core = this.#core;
    const booked = core.commit(() => settle(core.store, execution, core.nowMs()));
    if (!booked) core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest: execution.digest });
    return booked;
  }

  /** The error of a commit says that nothing was sent. Once something was, that must reach nobody. */
  #bookSubmitted(execution: SuiExecution): boolean | "storage_failed" {
    try {
      return this.#book(execution);
    } catch (error) {
      if (error instanceof Error && error.message === STORAGE_FAILED) return "storage_failed";
      throw error;
    }
  }

  async #executedBefore(row: Sponsorship, input: ExecuteInput): Promise<Outcome<Executed>> {
    const { digest } = row;
    const looked = await this.#lookUp(digest);
    // An earlier call has sent it, or the user has: whoever hears that nothing was sent would pay again.
    if (!looked.ok) return refuse("outcome_unknown", looked.refusal.details, { digest });
    const { execution, checkpointTimeMs } = looked.value;
    if (execution !== null) return this.#executed(row, execution, input);
    const executed = this.#core.store.sponsorship(digest)?.state === "complete";
    return executed || checkpointTimeMs < row.expiresAtMs
      ? refuse("outcome_unknown", "the node does not show yet what became of the transaction", { digest })
      : refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  }

  async #executed(row: Sponsorship, execution: SuiExecution, input: ExecuteInput): Promise<Outcome<Executed>> {
    const { sender, digest } = row;
    const booked = this.#bookSubmitted(execution);
    if (booked === "storage_failed")
      return refuse("outcome_unknown", "the service could not store what the node answered: repeat the call", {
        digest,
      });
    if (!booked) return refuse("outcome_unknown", "the node's answer does not fit the sponsored bytes", { digest });
    if (!input.waitForLocalExecution) return done({ execution, sender, confirmedLocalExecution: null });
    const seen = await this.#lookUpPatiently(digest);
    return done({ execution: seen ?? execution, sender, confirmedLocalExecution: seen !== null });
  }

  /** A refusal, or no answer: the digest decides which of them the caller hears of. */
  async #unsettled(
    row: Sponsorship,
    input: ExecuteInput,
    outcome: Exclude<SubmitOutcome, { readonly kind: "executed" }>,
  ): Promise<Outcome<Executed>> {
    const { digest } = row;
    const refused = outcome.kind === "refused";
    const found = refused ? await this.#lookUpOnce(digest) : await this.#lookUpPatiently(digest);
    if (found !== null) return this.#executed(row, found, input);
    return refused
      ? refuse("node_refused", outcome.text, { node: { status: outcome.status, text: outcome.text }, digest })
      : refuse("outcome_unknown", "the node did not answer: look the digest up before anything else", { digest });
  }

  async #lookUpOnce(digest: string): Promise<SuiExecution | null> {
    const looked = await this.#lookUp(digest);
    return looked.ok ? looked.value.execution : null;
  }

  async #lookUpPatiently(digest: string): Promise<SuiExecution | null> {
    for (const waitMs of OUTCOME_LOOK_UPS_MS) {
      const execution = await this.#lookUpOnce(digest);
      if (execution !== null) return execution;
      await sleep(waitMs);
    }
    return null;
  }
}
