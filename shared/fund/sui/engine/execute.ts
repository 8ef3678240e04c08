import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { OTHER_CHAIN, type SubmitOutcome } from "../../../chain/sui/node.ts";
import { lookUpOutcome } from "../../../chain/sui/outcome.ts";
import { signTransaction } from "../../../chain/sui/transaction.ts";
import { Deadline } from "../../../deadline.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse, STORAGE_FAILED } from "../../../errors.ts";
import { refuseLate } from "../../../http/overload.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";
import { findByIdempotencyKey } from "../reserve.ts";
import { expirePrepared, giveUp, markSigned, recordNotFound, settle, showsExpiry } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { lookUpBatch } from "./look-up-batch.ts";
import type { Finding, FundLookUps } from "./look-ups.ts";

export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** Answer only once a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
  /** What few callers ask for; absent: neither. */
  readonly alsoShow?: { readonly signatures: boolean; readonly rawEffects: boolean };
  /** What is left of the call's time; absent: all of it. */
  readonly leftMs?: number;
  /** Of the request, at the edge; absent: the call is part of one that has begun. */
  readonly arrivedAtMs?: number;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

export interface Executed {
  readonly execution: SuiExecution;
  readonly sender: string;
  /** Null where it was not asked for. */
  readonly confirmedLocalExecution: boolean | null;
  /** The sender's and the fund's, in the order in which they were submitted; null where they were not asked for. */
  readonly signatures: readonly string[] | null;
  /** BCS of `TransactionEffects`; null where it was not asked for, and where no node shows it. */
  readonly rawEffects: Uint8Array | null;
}

export type SponsorshipStatus = "IN_FLIGHT" | "COMPLETE" | "INVALID";

/** One call of `execute`. */
interface Call extends ExecuteInput {
  readonly deadline: Deadline;
}

/** A call of which it is known whether its sender's signature could be judged. */
interface Judged extends Call {
  readonly isUnjudged: boolean;
}

interface Submitted {
  readonly outcome: SubmitOutcome;
  /** Nothing else with this digest was sent, before it or beside it. */
  readonly isFirst: boolean;
}

/** A submission that is under way. */
interface Submission {
  readonly senderSignature: string;
  readonly outcome: Promise<SubmitOutcome>;
  /** Until another one of the digest begins. */
  isFirst: boolean;
}

function refuseDead() {
  return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
}

/** Null: no node shows it, or none answers. */
function foundOf<T>(looked: Outcome<T | null>): T | null {
  return looked.ok ? looked.value : null;
}

/** What happens to a sponsorship once its sender has signed, and what its caller may believe about it. */
export class FundExecution {
  readonly #core: SuiFundCore;
  readonly #lookUp: (digest: string) => Promise<Outcome<Finding>>;
  /** For a status: nothing of what the sender has put into the transaction. */
  readonly #lookUpCharge: (digest: string) => Promise<Outcome<Finding>>;

  readonly #turns: KeyedMutex;
  /** What is under way, by digest. */
  readonly #submitting = new Map<string, readonly Submission[]>();
  /** Digests that have been approved here and never sent. After a restart nobody knows that of any. */
  readonly #unsent = new Set<string>();

  /** Keeps the object alive for work that goes on after the answer. */
  readonly #afterAnswer: (work: Promise<unknown>) => void;

  constructor(
    core: SuiFundCore,
    lookUps: FundLookUps,
    turns: KeyedMutex,
    afterAnswer: (work: Promise<unknown>) => void,
  ) {
    this.#core = core;
    this.#turns = turns;
    this.#afterAnswer = afterAnswer;
    this.#lookUp = lookUpBatch((digests) => lookUps.find(digests, "full"));
    this.#lookUpCharge = lookUpBatch((digests) => lookUps.settling(digests));
  }

  /**
   * Approves, signs and submits; or, for what has been executed before, answers what the chain shows. With an
   * Idempotency-Key, a second call waits for the first: the digest makes both the same execution. Ends at the call's
   * deadline: with `outcome_unknown` from the moment on in which something was sent.
   */
  async execute(call: ExecuteInput): Promise<Outcome<Executed>> {
    const input = { ...call, deadline: new Deadline(call.leftMs) };
    const { idempotency } = input;
    const late = refuseLate(call.arrivedAtMs, this.#core.nowMs());
    if (late !== null) return late;
    if (idempotency === null) return this.#execute(input);
    return this.#turns.run(idempotency.scope, async () => {
      const core = this.#core;
      const replayed = findByIdempotencyKey(core.store, idempotency, core.nowMs());
      // Of a repeat only the refusals count: where the first call stands, its digest tells.
      return replayed === null || replayed.ok ? this.#execute(input) : replayed;
    });
  }

  async #execute(input: Call): Promise<Outcome<Executed>> {
    const core = this.#core;
    const row = core.store.sponsorship(input.digest);
    if (row === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
    if (row.state === "dead") return refuseDead();
    // Its bytes are gone, so no signature can be compared with them. What the chain has executed is public.
    if (row.state === "complete" && row.transactionBytes.length === 0) return this.#completeBefore(row, input);
    const { senderSignature, deadline, digest } = input;
    const node = core.node.within(deadline);
    const judged = await node.verifySignature(row.transactionBytes, senderSignature, row.sender);
    if (!judged.ok) return judged;
    if (judged.value === "invalid")
      return refuse("bad_signature", "senderSignature is not the sender's signature over the sponsored bytes");
    const isUnjudged = judged.value === "unjudged";
    // What is paid from an address balance cannot be taken back: it would be withheld for an epoch or two.
    if (isUnjudged && row.gasObjectId === null)
      return refuse(
        "bad_signature",
        "senderSignature is of a scheme or a key that this service cannot judge: its fund must be one of coins",
      );
    const verified = this.#answerOver(digest, input);
    if (verified !== null) return verified;

    // Opened before the approval: a fund that cannot sign must not commit to signing.
    const signer = await core.signer();
    const opened = this.#answerOver(digest, input);
    if (opened !== null) return opened;
    const isNew = core.store.stateOf(digest) === "prepared";
    const approved = core.commitOrRefuse(() =>
      markSigned(
        core.store,
        digest,
        { pausedCause: core.record.pausedCause, nowMs: core.nowMs(), isUnjudged },
        input.idempotency,
      ),
    );
    if (!approved.ok) return approved;
    if (isNew) this.#unsent.add(digest);
    await core.durable();
    const sponsorSignature = await signTransaction(signer, row.transactionBytes);
    const signed = this.#answerOver(digest, input);
    return signed ?? this.#submit(row, [senderSignature, sponsorSignature], { ...input, isUnjudged });
  }

  /** What is not to be submitted any more. Asked after each await, in which another call may have had the answer. */
  #answerOver(digest: string, input: Call): Promise<Outcome<Executed>> | null {
    const { store } = this.#core;
    const state = store.stateOf(digest);
    // So it nearly always is, and then the row is not read again.
    if (state === "prepared" || state === "signed") return null;
    const row = store.sponsorship(digest);
    switch (row?.state) {
      case "complete":
        return this.#completeBefore(row, input);
      case "expired":
        return this.#expiredBefore(row, input);
      case "dead":
        return Promise.resolve(refuseDead());
      default:
        return null;
    }
  }

  /** From here on something may have been sent: whatever fails, the digest is what the caller is left with. */
  async #submit(row: SuiSponsorship, signatures: readonly string[], input: Judged): Promise<Outcome<Executed>> {
    const { deps, record } = this.#core;
    try {
      const { outcome, isFirst } = await this.#submitOnce(row, signatures, input);
      return outcome.kind === "executed"
        ? await this.#executed(row, await this.#whole(outcome.execution, input.deadline), input)
        : await this.#unsettled(row, input, outcome, isFirst);
    } catch (error) {
      deps.log("fund.execution_failed", { fund: record.fundId, digest: row.digest, error: String(error) });
      const details = "the service failed after the transaction was sent: look the digest up before anything else";
      return refuse("outcome_unknown", details, { digest: row.digest });
    }
  }

  /** A node leaves the balance changes out of its answer where it had executed the transaction before. */
  async #whole(answered: SuiExecution, deadline: Deadline): Promise<SuiExecution> {
    const { digest, balanceChanges } = answered;
    if (balanceChanges.length > 0 || this.#core.store.answers.get(digest) !== null) return answered;
    return (await this.#lookUpPatiently(digest, deadline)) ?? answered;
  }

  /**
   * Calls with the same sender signature share the submission that is under way. Another signature over the same bytes is
   * submitted for itself: a node judges each of them, and the refusal of one says nothing about the other.
   */
  async #submitOnce(
    { digest, transactionBytes }: SuiSponsorship,
    signatures: readonly string[],
    { deadline, senderSignature }: Judged,
  ): Promise<Submitted> {
    const others = this.#submitting.get(digest) ?? [];
    const underWay = others.find((other) => other.senderSignature === senderSignature);
    if (underWay === undefined) {
      for (const other of others) other.isFirst = false;
      // Ends by itself at this call's deadline.
      const outcome = this.#core.node.within(deadline).submit(transactionBytes, signatures, digest);
      const submission: Submission = { senderSignature, outcome, isFirst: this.#unsent.delete(digest) };
      this.#submitting.set(digest, [...others, submission]);
      try {
        return { outcome: await outcome, isFirst: submission.isFirst };
      } finally {
        this.#ended(digest, submission);
      }
    }
    const submitted = await deadline.within(underWay.outcome.then(done));
    if (submitted.ok) return { outcome: submitted.value, isFirst: underWay.isFirst };
    return { outcome: { kind: "unknown", text: submitted.error.details }, isFirst: false };
  }

  #ended(digest: string, submission: Submission): void {
    const others = this.#submitting.get(digest)?.filter((other) => other !== submission) ?? [];
    if (others.length > 0) this.#submitting.set(digest, others);
    else this.#submitting.delete(digest);
  }

  /**
   * A live row waits for one look-up, shared by concurrent calls.
   *
   * @param leftMs of the call's time; absent: all of it.
   */
  async status(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>> {
    const core = this.#core;
    const row = core.store.sponsorship(digest);
    if (row === null || row.state === "dead") return done("INVALID");
    if (row.state === "complete") return done("COMPLETE");
    if (row.state === "prepared") {
      core.commit(() => expirePrepared(core.store, digest, core.nowMs()));
      return done(core.store.sponsorship(digest)?.state === "prepared" ? "IN_FLIGHT" : "INVALID");
    }
    const looked = await new Deadline(leftMs).within(this.#lookUpCharge(digest));
    // One that was given up is what it was until its coin has moved.
    const pending = core.nowMs() < row.expiresAtMs;
    if (!looked.ok) return pending ? done("IN_FLIGHT") : looked;
    const { value: execution } = looked.value;
    if (execution !== null)
      return this.#book(execution, "charge") !== null
        ? done("COMPLETE")
        : refuse("node_unavailable", "the node's answer does not fit the sponsored bytes");
    const miss = { ...looked.value, value: null };
    core.commit(() => recordNotFound(core.store, digest, miss, core.nowMs(), "by_caller"));
    const now = core.store.sponsorship(digest);
    switch (now?.state) {
      case "complete":
        return done("COMPLETE");
      case "signed":
        return pending ? done("IN_FLIGHT") : refuse("node_unavailable", "the node has not seen the expiry pass yet");
      case "expired":
        if (pending) return done("IN_FLIGHT");
        // A revocation calls it expired by our clock: only an endpoint that has seen that moment knows better.
        return showsExpiry(now, miss)
          ? done("INVALID")
          : refuse("node_unavailable", "the node has not seen the expiry pass yet");
      default:
        return done("INVALID");
    }
  }

  /**
   * Null, and a log line, where the effects cannot be those of what the fund signed: such a node is not believed.
   *
   * @returns what a repeat of the call will hear.
   */
  #book(execution: SuiExecution, detail: "charge" | "full"): SuiExecution | null {
    const core = this.#core;
    const { store } = core;
    const booked = core.commit(() => {
      // An answer is kept in the commit that completes its row, or after it.
      const isFirst = store.stateOf(execution.digest) !== "complete";
      if (!settle(store, execution, core.nowMs())) return null;
      return detail === "full" ? store.answers.keep(execution, core.nowMs(), isFirst) : execution;
    });
    if (booked === null) core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest: execution.digest });
    return booked;
  }

  /** The error of a commit says that nothing was sent. Once something was, that must reach nobody. */
  #bookSubmitted(execution: SuiExecution): SuiExecution | null | "storage_failed" {
    try {
      return this.#book(execution, "full");
    } catch (error) {
      if (error instanceof Error && error.message === STORAGE_FAILED) return "storage_failed";
      throw error;
    }
  }

  /** The books say that the chain has executed it, so whatever a node says now, that stands. */
  async #completeBefore(row: SuiSponsorship, input: Call): Promise<Outcome<Executed>> {
    const { digest } = row;
    const execution = this.#core.store.answers.get(digest) ?? (await this.#lookUpPatiently(digest, input.deadline));
    return execution === null
      ? refuse("outcome_unknown", "it was executed, and no node shows its effects now: repeat the call", { digest })
      : this.#executed(row, execution, input);
  }

  async #expiredBefore(row: SuiSponsorship, input: Call): Promise<Outcome<Executed>> {
    const { digest } = row;
    const looked = await input.deadline.within(this.#lookUp(digest));
    // An earlier call has sent it, or the user has: whoever hears that nothing was sent would pay again.
    if (!looked.ok) return refuse("outcome_unknown", looked.error.details, { digest });
    const { value: execution } = looked.value;
    if (execution !== null) return this.#executed(row, execution, input);
    const executed = this.#core.store.sponsorship(digest)?.state === "complete";
    return executed || !showsExpiry(row, { ...looked.value, value: null })
      ? refuse("outcome_unknown", "the node does not show yet what became of the transaction", { digest })
      : refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  }

  async #executed(row: SuiSponsorship, execution: SuiExecution, input: Call): Promise<Outcome<Executed>> {
    const { sender, digest } = row;
    const booked = this.#bookSubmitted(execution);
    if (booked === "storage_failed")
      return refuse("outcome_unknown", "the service could not store what the node answered: repeat the call", {
        digest,
      });
    if (booked === null)
      return refuse("outcome_unknown", "the node's answer does not fit the sponsored bytes", { digest });
    const confirmed = input.waitForLocalExecution
      ? await this.#confirmed(booked, input.deadline)
      : { execution: booked, confirmedLocalExecution: null };
    return done({ ...confirmed, sender, ...(await this.#alsoShown(row, input)) });
  }

  /** Waits until a node shows the digest too. */
  async #confirmed(
    answer: SuiExecution,
    deadline: Deadline,
  ): Promise<Pick<Executed, "execution" | "confirmedLocalExecution">> {
    if (answer.checkpoint !== null) return { execution: answer, confirmedLocalExecution: true };
    const seen = await this.#lookUpPatiently(answer.digest, deadline);
    if (seen !== null) this.#bookSubmitted(seen);
    const { checkpoint, timestampMs } = seen ?? answer;
    return { execution: { ...answer, checkpoint, timestampMs }, confirmedLocalExecution: seen !== null };
  }

  /**
   * The chain has these signatures by now. Over the same bytes, the fund's is the same one again (Ed25519); none are shown
   * where the bytes are gone.
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

  /** A refusal, or no answer: the digest decides which of them the caller hears of. */
  async #unsettled(
    row: SuiSponsorship,
    input: Judged,
    outcome: Exclude<SubmitOutcome, { readonly kind: "executed" }>,
    isFirst: boolean,
  ): Promise<Outcome<Executed>> {
    const { digest } = row;
    const refused = outcome.kind === "refused";
    // What an earlier call has sent may be executed, and not shown yet.
    const found =
      refused && isFirst
        ? await this.#lookUpOnce(digest, input.deadline)
        : await this.#lookUpPatiently(digest, input.deadline);
    if (found !== null) return this.#executed(row, found, input);
    // A refusal of somebody else's signature says nothing of the sender's, which may still come. Its time is short.
    if (!input.isUnjudged) this.#afterAnswer(this.#giveUpRefused(row, outcome));
    return refused
      ? refuse("node_refused", outcome.text, { node: { status: outcome.status, text: outcome.text }, digest })
      : refuse("outcome_unknown", "the node did not answer: look the digest up before anything else", { digest });
  }

  /**
   * A sponsorship that no node would execute does not keep its coin until its time is over: otherwise anybody could hold
   * the fund's coins at no cost. Without an answer, a simulation tells; a node that is silent there, too, says nothing.
   */
  async #giveUpRefused({ digest, transactionBytes }: SuiSponsorship, outcome: SubmitOutcome): Promise<void> {
    const core = this.#core;
    if (outcome.kind === "refused" && outcome.status === OTHER_CHAIN) return;
    try {
      const trial = outcome.kind === "refused" ? null : await core.node.dryRun(transactionBytes);
      if (trial === null || (!trial.ok && trial.error.reason === "dry_run_failed"))
        core.commit(() => giveUp(core.store, digest, core.nowMs()));
    } catch (error) {
      core.deps.log("fund.give_up_failed", { fund: core.record.fundId, digest, error: String(error) });
    }
  }

  async #found(digest: string): Promise<Outcome<SuiExecution | null>> {
    const looked = await this.#lookUp(digest);
    return looked.ok ? done(looked.value.value) : looked;
  }

  async #lookUpOnce(digest: string, deadline: Deadline): Promise<SuiExecution | null> {
    return foundOf(await deadline.within(this.#found(digest)));
  }

  /** Null: no node has shown it in time. */
  async #lookUpPatiently(digest: string, deadline: Deadline): Promise<SuiExecution | null> {
    return foundOf(await lookUpOutcome(deadline, () => this.#found(digest)));
  }
}
