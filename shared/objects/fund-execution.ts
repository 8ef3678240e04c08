import type { SubmitOutcome, SuiExecution } from "../chain/sui/node.ts";
import { signTransaction } from "../chain/sui/transaction.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { Sponsorship } from "../fund/coin-store.ts";
import { approve, recordMiss, releasePrepared, settle } from "../fund/sui-fund.ts";
import { sleep } from "../timing.ts";
import type { FundCore } from "./fund-core.ts";
import { type Finding, lookUpBatch } from "./look-up-batch.ts";

/** How long an execution without an answer is looked up before the caller is told that its outcome is unknown. */
const OUTCOME_LOOK_UPS_MS = [250, 500, 1_000, 2_000] as const;

export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** Answer only once a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
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
  readonly #core: FundCore;
  readonly #lookUp: (digest: string) => Promise<Outcome<Finding>>;

  constructor(core: FundCore) {
    this.#core = core;
    this.#lookUp = lookUpBatch((digests) => core.node.lookUp(digests, "full"));
  }

  /** Approves, signs and submits; or, for what has been executed before, answers what the chain shows. */
  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
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
      approve(core.store, input.digest, { pausedCause: core.record.pausedCause, nowMs: core.nowMs() }),
    );
    if (!approved.ok) return approved;
    await core.durable();
    const sponsorSignature = await signTransaction(signer, row.transactionBytes);
    const signatures = [input.senderSignature, sponsorSignature];
    const outcome = await core.node.submit(row.transactionBytes, signatures, input.digest);
    return outcome.kind === "executed"
      ? this.#executed(row, outcome.execution, input)
      : this.#unsettled(row, input, outcome);
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
    const pending = core.nowMs() < row.expiresAtMs;
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

  async #executedBefore(row: Sponsorship, input: ExecuteInput): Promise<Outcome<Executed>> {
    const looked = await this.#lookUp(row.digest);
    if (!looked.ok) return looked;
    const { execution } = looked.value;
    if (execution !== null) return this.#executed(row, execution, input);
    return this.#core.store.sponsorship(row.digest)?.state === "complete"
      ? refuse("node_unavailable", "the transaction was executed; the node does not show it right now")
      : refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  }

  async #executed(row: Sponsorship, execution: SuiExecution, input: ExecuteInput): Promise<Outcome<Executed>> {
    const { sender, digest } = row;
    if (!this.#book(execution))
      return refuse("outcome_unknown", "the node's answer does not fit the sponsored bytes", { digest });
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
