/* Sui only: a node on Aptos answers a submission with the pending transaction, which is not booked. */

import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { lookUpOutcome } from "../../../chain/sui/outcome.ts";
import { signTransaction } from "../../../chain/sui/transaction.ts";
import type { Deadline } from "../../../deadline.ts";
import type { GroupCommit } from "../../../durable/group-commit.ts";
import { done, type Outcome, refuse, STORAGE_FAILED } from "../../../errors.ts";
import { isIrrevocable } from "../payment.ts";
import { settle, showsEnd } from "../settle.ts";
import { isOver } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence } from "./evidence.ts";
import type { Call, Executed } from "./execution.ts";
import { lookUpBatch } from "./look-up-batch.ts";
import type { Finding, SuiLookUps } from "./look-ups.ts";

/** Reads a look-up. Null if no node shows the transaction, or if none answers. */
function foundOf<T>(looked: Outcome<T | null>): T | null {
  return looked.ok ? looked.value : null;
}

/** Books executions that nodes show of sponsorships, and makes the answers to their callers. */
export class ExecutionAnswers {
  readonly #core: SuiFundCore;
  readonly #commits: GroupCommit;
  readonly #lookUp: (digest: string) => Promise<Outcome<Finding>>;

  constructor(core: SuiFundCore, lookUps: SuiLookUps, commits: GroupCommit) {
    this.#core = core;
    this.#commits = commits;
    this.#lookUp = lookUpBatch((digests) => lookUps.find(digests, "full"));
  }

  /** Completes an answer to a submission. A node that executed it before leaves the balance changes out. */
  async whole(answered: SuiExecution, deadline: Deadline): Promise<SuiExecution> {
    const { digest, balanceChanges } = answered;
    if (balanceChanges.length > 0 || this.#core.store.answers.get(digest) !== null) return answered;
    return (await this.lookUpPatiently(digest, deadline)) ?? answered;
  }

  /**
   * Settles the sponsorship by its effects.
   *
   * @returns the execution as a repeat of the call will receive it. Null, with a log line, if these cannot be the
   * effects of the bytes that the fund signed.
   */
  book(execution: SuiExecution, detail: "charge" | "full"): SuiExecution | null {
    return this.#noted(
      execution,
      this.#core.commit(() => this.#settle(execution, detail)),
    );
  }

  /** Writes the rows of an execution, within a commit. Null if the effects do not fit the signed bytes. */
  #settle(execution: SuiExecution, detail: "charge" | "full"): SuiExecution | null {
    const core = this.#core;
    const { store } = core;
    // An answer is kept in the commit that completes its row, or after it.
    const state = store.stateOf(execution.digest);
    const isFirst = state !== null && state !== "complete";
    // Only an archived row is missing. It was booked before it left.
    if (state !== null && !settle(store, execution, core.nowMs())) return null;
    return detail === "full"
      ? store.answers.keep(execution, core.nowMs(), isFirst, core.record.limits.fundBytes)
      : execution;
  }

  #noted({ digest }: SuiExecution, booked: SuiExecution | null): SuiExecution | null {
    if (booked === null) this.#core.deps.log("fund.effects_refused", { fund: this.#core.record.fundId, digest });
    return booked;
  }

  /**
   * Books after a submission, together with other calls. If the commit fails, it throws an error that says that nothing
   * was sent. A caller must not get that error after a submission.
   */
  async #bookSubmitted(execution: SuiExecution): Promise<SuiExecution | null | "storage_failed"> {
    const grouped = await this.#commits.run(() => done(this.#settle(execution, "full")));
    if (grouped.ok) return this.#noted(execution, grouped.value);
    if (grouped.error.reason === "storage") return "storage_failed";
    // The chain has executed it, so it is booked however many calls wait.
    try {
      return this.book(execution, "full");
    } catch (error) {
      if (error instanceof Error && error.message === STORAGE_FAILED) return "storage_failed";
      throw error;
    }
  }

  /**
   * Answers for a completed sponsorship. The books show that the chain has executed it, so the answer needs no
   * agreement of a node.
   *
   * @returns `outcome_unknown` if the fund cannot get its effects.
   */
  async completeBefore(row: SuiSponsorship, input: Call): Promise<Outcome<Executed>> {
    const { digest } = row;
    const execution = this.#core.store.answers.get(digest) ?? (await this.lookUpPatiently(digest, input.deadline));
    return execution === null
      ? refuse("outcome_unknown", "the transaction was executed, but no node shows its effects now: repeat the call", {
          digest,
        })
      : this.executed(row, execution, input);
  }

  /**
   * Answers for an expired sponsorship, which may have been executed.
   *
   * @returns `sponsorship_expired` once a node shows its end without it, and `outcome_unknown` until then. An irrevocable
   * one ends with its last epoch.
   */
  async expiredBefore(row: SuiSponsorship, input: Call): Promise<Outcome<Executed>> {
    const { digest } = row;
    const believed = believedEpoch(this.#core);
    const looked = await input.deadline.within(this.#lookUp(digest));
    // An earlier call or the user may have sent it. A caller who believes it unsent would pay again.
    if (!looked.ok) return refuse("outcome_unknown", looked.error.details, { digest });
    const finding = looked.value;
    if (finding.value !== null) return this.executed(row, finding.value, input);
    const executed = this.#core.store.sponsorship(digest)?.state === "complete";
    if (!executed && showsEnd(row, deathEvidence(believed, null, finding)))
      return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
    const whyNot =
      isIrrevocable(row) && !isOver(row)
        ? `it may still execute until epoch ${row.expirationEpoch} is over: look up the digest before you ask for a new one`
        : "the node does not show the outcome yet: look up the digest before you retry";
    return refuse("outcome_unknown", whyNot, { digest });
  }

  /** Books an execution and answers with it. Refuses with `outcome_unknown` if it cannot be booked. */
  async executed(row: SuiSponsorship, execution: SuiExecution, input: Call): Promise<Outcome<Executed>> {
    const { sender, digest } = row;
    const booked = await this.#bookSubmitted(execution);
    if (booked === "storage_failed")
      return refuse("outcome_unknown", "the service could not store the node's answer: repeat the call", {
        digest,
      });
    if (booked === null)
      return refuse(
        "outcome_unknown",
        "the node's answer does not fit the sponsored bytes: look up the digest at another node",
        { digest },
      );
    const confirmed = input.waitForLocalExecution
      ? await this.#confirmed(booked, input.deadline)
      : { execution: booked, confirmedLocalExecution: null };
    return done({ ...confirmed, sender, ...(await this.#alsoShown(row, input)) });
  }

  /** Waits until a node shows the digest in a read, too. */
  async #confirmed(
    answer: SuiExecution,
    deadline: Deadline,
  ): Promise<Pick<Executed, "execution" | "confirmedLocalExecution">> {
    if (answer.checkpoint !== null) return { execution: answer, confirmedLocalExecution: true };
    const seen = await this.lookUpPatiently(answer.digest, deadline);
    if (seen !== null) await this.#bookSubmitted(seen);
    const { checkpoint, timestampMs } = seen ?? answer;
    return { execution: { ...answer, checkpoint, timestampMs }, confirmedLocalExecution: seen !== null };
  }

  /**
   * Gathers the parts of an answer that few callers request. The signatures are already public on the chain. Ed25519
   * makes the same signature again from the same bytes. Once the bytes are dropped, the answer has no signatures.
   */
  async #alsoShown(
    { digest, transactionBytes }: SuiSponsorship,
    { alsoShow, senderSignature, deadline }: Call,
  ): Promise<Pick<Executed, "signatures" | "rawEffects">> {
    return {
      signatures:
        alsoShow?.signatures && transactionBytes.length > 0
          ? [senderSignature, await signTransaction(await this.#core.signer(), transactionBytes)]
          : null,
      rawEffects: alsoShow?.rawEffects
        ? foundOf(await lookUpOutcome(deadline, () => this.#core.node.within(deadline).rawEffects(digest)))
        : null,
    };
  }

  async #found(digest: string): Promise<Outcome<SuiExecution | null>> {
    const looked = await this.#lookUp(digest);
    return looked.ok ? done(looked.value.value) : looked;
  }

  /** Looks a digest up once. Null if no node shows it, or if none answers in time. */
  async lookUpOnce(digest: string, deadline: Deadline): Promise<SuiExecution | null> {
    return foundOf(await deadline.within(this.#found(digest)));
  }

  /** Looks a digest up until a node shows it. Null if none has in time. */
  async lookUpPatiently(digest: string, deadline: Deadline): Promise<SuiExecution | null> {
    return foundOf(await lookUpOutcome(deadline, () => this.#found(digest)));
  }
}
