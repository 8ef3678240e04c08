import { OTHER_CHAIN, type SubmitOutcome } from "../../../chain/sui/node.ts";
import { signTransaction } from "../../../chain/sui/transaction.ts";
import { mayHaveBeenSent, orKeyServiceRefusal } from "../../../crypto/key-service.ts";
import { Deadline } from "../../../deadline.ts";
import type { GroupCommit } from "../../../durable/group-commit.ts";
import type { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { type Outcome, refuse } from "../../../errors.ts";
import { refuseLate } from "../../../http/overload.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import { UNRESOLVABLE } from "../../views.ts";
import { decodeSponsorship } from "../archived.ts";
import { isGasless, isIrrevocable } from "../payment.ts";
import { findByIdempotencyKey } from "../reserve.ts";
import { giveUp, markSigned, outlivesRefusal } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import type { ExecutionAnswers } from "./answer.ts";
import type { SuiFundCore } from "./chain.ts";
import type { Call, Executed, ExecuteInput } from "./execution.ts";
import type { RefusedSenders } from "./gasless.ts";
import { refuseUnshown } from "./irrevocable.ts";
import { SuiSubmission } from "./submit.ts";

/** A call whose sender's signature was checked as far as that is possible without the chain. */
interface Judged extends Call {
  readonly isUnjudged: boolean;
}

/** The parts of the engine that an execution shares. */
interface ExecutionParts {
  readonly answers: ExecutionAnswers;
  readonly commits: GroupCommit;
  readonly refused: RefusedSenders;
}

/** Builds the refusal of a sponsorship that can never execute. */
function refuseDead() {
  return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
}

/** Executes a sponsorship once its sender has signed. Judges the signature, approves, signs and submits. */
export class SuiSponsorshipExecution {
  readonly #core: SuiFundCore;
  readonly #rows: ArchiveReader;
  readonly #turns: KeyedMutex;
  readonly #submission: SuiSubmission;
  readonly #answers: ExecutionAnswers;
  readonly #commits: GroupCommit;
  readonly #refused: RefusedSenders;

  /** Keeps the object alive for work after the answer. */
  readonly #afterAnswer: (work: Promise<unknown>) => void;

  constructor(
    core: SuiFundCore,
    rows: ArchiveReader,
    { answers, commits, refused }: ExecutionParts,
    turns: KeyedMutex,
    afterAnswer: (work: Promise<unknown>) => void,
  ) {
    this.#core = core;
    this.#rows = rows;
    this.#commits = commits;
    this.#turns = turns;
    this.#afterAnswer = afterAnswer;
    this.#submission = new SuiSubmission(core);
    this.#answers = answers;
    this.#refused = refused;
  }

  /**
   * Approves, signs and submits a sponsorship. If it was executed before, answers what the chain shows. With an
   * Idempotency-Key, a second call waits for the first: the digest makes both the same execution. Ends at the call's
   * deadline.
   *
   * @returns refusals before anything was sent: `overloaded`, `idempotency_conflict`, `unknown_sponsorship`,
   * `sponsorship_expired`, `bad_signature`, `bad_key`, `fund_paused`, `node_unavailable`, `storage`, `storage_budget`,
   * `key_service`. After that:
   * `node_refused`, or `outcome_unknown` with the digest. A refusal that it outlives is `outcome_unknown`, too.
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
      // Only the refusals of a repeat count. The digest shows how far the first call has come.
      return replayed === null || replayed.ok ? this.#execute(input) : replayed;
    });
  }

  async #execute(input: Call): Promise<Outcome<Executed>> {
    const core = this.#core;
    const row = core.store.sponsorship(input.digest);
    if (row === null) return this.#archived(input);
    if (row.state === "dead") return refuseDead();
    if (row.state === UNRESOLVABLE) return this.#answers.expiredBefore(row, input);
    // The bytes are gone, so no signature can be compared with them. The chain's executions are public.
    if (row.state === "complete" && row.transactionBytes.length === 0) return this.#answers.completeBefore(row, input);
    const { senderSignature, deadline, digest } = input;
    // A fund that cannot sign must not commit to signing. A key service takes its time before nodes take the rest.
    const signer = await orKeyServiceRefusal(core.signer());
    const opened = this.#answerOver(digest, input);
    if (opened !== null) return opened;
    if (!signer.ok) {
      // The refusal says that nothing was sent. A signed row may have been sent before, so that only a fault is true.
      if (core.store.stateOf(digest) === "signed") throw mayHaveBeenSent(signer.error);
      return signer;
    }
    const node = core.node.within(deadline);
    const judged = await node.verifySignature(row.transactionBytes, senderSignature, row.sender);
    if (!judged.ok) return judged;
    if (judged.value === "invalid")
      return refuse(
        "bad_signature",
        "senderSignature is not the sender's signature over the sponsored bytes: have the sender sign txBytes",
      );
    const withholds = isIrrevocable(row) && !isGasless(row);
    const isLeftToNode = judged.value === "unjudged";
    // A signed row withholds its budget already, and an earlier call may have sent it. So no answer of ours is final.
    const asks = isLeftToNode && withholds && row.state === "prepared";
    const unshown = asks ? await refuseUnshown(node, row, senderSignature) : null;
    if (unshown !== null) return unshown;
    const isUnjudged = isLeftToNode && !withholds;
    const verified = this.#answerOver(digest, input);
    if (verified !== null) return verified;

    const approved = await this.#approve(input, isUnjudged);
    // Another call may have ended the row while this one waited for its commit. That call may have sent it.
    if (!approved.ok) return this.#answerOver(digest, input) ?? approved;
    await core.durable();
    const sponsorSignature = await signTransaction(signer.value, row.transactionBytes);
    const signed = this.#answerOver(digest, input);
    return signed ?? this.#submit(row, [senderSignature, sponsorSignature], { ...input, isUnjudged });
  }

  /** Commits to the fund's signature, together with other calls. Notes that nothing with this digest has been sent. */
  async #approve({ digest, idempotency }: Call, isUnjudged: boolean): Promise<Outcome<unknown>> {
    const core = this.#core;
    let isNew = false;
    const approve = () => {
      isNew = core.store.stateOf(digest) === "prepared";
      const fund = { ...core.sponsoringState(), nowMs: core.nowMs(), isUnjudged };
      return markSigned(core.store, digest, fund, idempotency);
    };
    const grouped = await this.#commits.run(approve);
    // An execution that has begun continues however many calls wait, because its budget is already withheld.
    const isLate = !grouped.ok && grouped.error.reason === "overloaded";
    const approved = isLate ? core.commitOrRefuse(approve) : grouped;
    if (approved.ok && isNew) this.#submission.noteUnsent(digest);
    return approved;
  }

  /** Answers for a digest that only an archive may know. */
  async #archived(input: Call): Promise<Outcome<Executed>> {
    const archived = await this.#rows.sponsorship(input.digest);
    if (!archived.ok) return archived;
    if (archived.value === null)
      return refuse(
        "unknown_sponsorship",
        "this fund has no sponsorship with that digest: use the digest that prepare or sponsor answered",
      );
    const row = decodeSponsorship(archived.value.record);
    return row.state === "complete" ? this.#answers.completeBefore(row, input) : refuseDead();
  }

  /**
   * Answers for a row that must not be submitted any more. Null if it may be submitted. Another call may have ended the
   * row during any await.
   */
  #answerOver(digest: string, input: Call): Promise<Outcome<Executed>> | null {
    const { store } = this.#core;
    const state = store.stateOf(digest);
    // The row is nearly always in one of these states, and is then not read again.
    if (state === "prepared" || state === "signed") return null;
    const row = store.sponsorship(digest);
    switch (row?.state) {
      case "complete":
        return this.#answers.completeBefore(row, input);
      case "expired":
      case UNRESOLVABLE:
        return this.#answers.expiredBefore(row, input);
      case "dead":
        return Promise.resolve(refuseDead());
      default:
        return null;
    }
  }

  /** Submits. From here on a transaction may have been sent, so every refusal names the digest. */
  async #submit(row: SuiSponsorship, signatures: readonly string[], input: Judged): Promise<Outcome<Executed>> {
    const { deps, record } = this.#core;
    try {
      const { outcome, isFirst } = await this.#submission.submit(row, signatures, input);
      return outcome.kind === "executed"
        ? await this.#answers.executed(row, await this.#answers.whole(outcome.execution, input.deadline), input)
        : await this.#unsettled(row, input, outcome, isFirst);
    } catch (error) {
      deps.log("fund.execution_failed", { fund: record.fundId, digest: row.digest, error: String(error) });
      const details = "the service failed after the transaction was sent: look up the digest before you retry";
      return refuse("outcome_unknown", details, { digest: row.digest });
    }
  }

  /** Answers after a refusal, or after no answer. The digest shows whether it was executed nevertheless. */
  async #unsettled(
    row: SuiSponsorship,
    input: Judged,
    outcome: Exclude<SubmitOutcome, { readonly kind: "executed" }>,
    isFirst: boolean,
  ): Promise<Outcome<Executed>> {
    const { digest } = row;
    const refused = outcome.kind === "refused";
    // An earlier submission may have been executed although no node shows it yet.
    const found =
      refused && isFirst
        ? await this.#answers.lookUpOnce(digest, input.deadline)
        : await this.#answers.lookUpPatiently(digest, input.deadline);
    if (found !== null) return this.#answers.executed(row, found, input);
    // The refusal of a stranger's signature proves nothing about the sender's. That may still come, and its time is
    // short.
    if (!input.isUnjudged) this.#afterAnswer(this.#giveUpRefused(row, outcome));
    if (!refused)
      return refuse("outcome_unknown", "the node did not answer: look up the digest before you retry", { digest });
    const { status, text } = outcome;
    const told = { node: { status, text }, digest };
    if (!outlivesRefusal(row)) return refuse("node_refused", text, told);
    // Another node may still execute it. A caller who takes it for refused would pay again.
    const end = isIrrevocable(row) ? `epoch ${row.expirationEpoch}` : "its hour";
    const details = `a node refused it (${text}), but it may still execute until ${end} is over: repeat the call`;
    return refuse("outcome_unknown", details, told);
  }

  /**
   * Gives up a sponsorship that no node would execute. Otherwise anybody could hold the fund's coins for the hour at no
   * cost. If the node gives no answer, a dry run decides. If that gets no answer either, nothing is proved. If the
   * transaction was to execute without gas, the fund pays for the sender's next one.
   */
  async #giveUpRefused(row: SuiSponsorship, outcome: SubmitOutcome): Promise<void> {
    const core = this.#core;
    const { digest, transactionBytes } = row;
    if (outcome.kind === "refused" && outcome.status === OTHER_CHAIN) return;
    if (outcome.kind === "refused" && isGasless(row)) this.#refused.note(row.sender, core.nowMs());
    try {
      const trial = outcome.kind === "refused" ? null : await core.node.dryRun(transactionBytes);
      if (trial === null || (!trial.ok && trial.error.reason === "dry_run_failed"))
        core.commit(() => giveUp(core.store, digest, core.nowMs()));
    } catch (error) {
      core.deps.log("fund.give_up_failed", { fund: core.record.fundId, digest, error: String(error) });
    }
  }
}
