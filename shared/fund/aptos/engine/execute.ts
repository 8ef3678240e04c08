import { assembleSponsored, refuseOtherFeePayer, verifyCoSignatures } from "../../../chain/aptos/fee-payer.ts";
import type { PendingTransaction } from "../../../chain/aptos/pending-transaction.ts";
import { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { UNRESOLVABLE } from "../../views.ts";
import { isSignedAs, recordHash, recordSubmitted, releaseIfDead } from "../sponsorships.ts";
import type { AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";
import {
  type AptosReservation,
  type AptosSponsorInput,
  refuseWithoutAddress,
  repeatOf,
  signAsFeePayer,
} from "./reserve.ts";
import type { AptosSubmission } from "./submit.ts";

/** A transaction to execute, with the signatures of all signers but the fund. */
export interface AptosExecuteInput extends AptosSponsorInput {
  /** BCS account authenticators, over the fund's address or the zero address as fee payer. */
  readonly senderAuthenticator: Uint8Array;
  /** Authenticators in the order of the secondary addresses. */
  readonly secondaryAuthenticators: readonly Uint8Array[];
  /** The fee payer that the caller's transaction names. Absent if its form names none, or from an earlier build. */
  readonly namedFeePayer?: string;
}

/** The transaction as a node shows it. */
export interface AptosExecuted {
  readonly pendingTransaction: PendingTransaction;
}

/** Executes a sponsorship once all others have signed. It judges, reserves, signs and submits. */
export class AptosSponsorshipExecution {
  readonly #core: AptosFundCore;
  readonly #reservation: AptosReservation;
  readonly #submission: AptosSubmission;

  constructor(core: AptosFundCore, reservation: AptosReservation, submission: AptosSubmission) {
    this.#core = core;
    this.#reservation = reservation;
    this.#submission = submission;
  }

  /**
   * Signs as fee payer and submits. A repeat submits the same bytes, or answers with their outcome.
   * Refusals: see `FundObject.aptosExecute`.
   */
  async execute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>> {
    const { address } = this.#core;
    if (address === null) return refuseWithoutAddress();
    const deadline = new Deadline(input.leftMs);
    const authenticators = { sender: input.senderAuthenticator, secondary: input.secondaryAuthenticators };
    const refused =
      refuseOtherFeePayer(input.namedFeePayer, address) ??
      (await verifyCoSignatures({ ...input, feePayer: address }, authenticators));
    if (refused !== null) return refused;
    const reserved = await this.#reservation.reserveOnce(
      input,
      repeatOf(input, authenticators, input.idempotency),
      deadline,
    );
    if (!reserved.ok) return reserved;
    const row = reserved.value;
    if (row.state === "complete") return this.#submission.answerCommitted(row, deadline);
    await this.#core.durable();
    const submitted = await this.submit(row, address, deadline);
    if (submitted.ok || submitted.error.reason === "outcome_unknown") return submitted;
    const isNodes = submitted.error.reason === "node_refused";
    const explained = isNodes ? await this.#reservation.explainRefusal(row, deadline) : null;
    const { store } = this.#core;
    this.#core.commitIfTaken(() => releaseIfDead(store, input.idempotency, row.id, this.#core.nowMs()));
    return explained ?? submitted;
  }

  /** Submits with the row's own signatures, which arrived first. */
  async submit(row: AptosSponsorship, address: string, deadline: Deadline): Promise<Outcome<AptosExecuted>> {
    const core = this.#core;
    const { authenticators } = row;
    if (authenticators === null) throw new Error(`sponsorship ${row.id} has no authenticators`);
    const feePayer = await signAsFeePayer(core, row, address);
    const assembled = assembleSponsored({ ...row, feePayer: address }, { ...authenticators, feePayer });
    const record = () => {
      // The chain may have shown an outcome while the fund signed. Other signatures may also have replaced these.
      const now = core.store.sponsorship(row.id);
      if (now === null || !isSignedAs(now, authenticators)) return done({ now });
      recordHash(core.store, row.id, assembled.hash);
      recordSubmitted(core.store, row.id, core.nowMs());
      return done(null);
    };
    const grouped = await this.#reservation.commits.run(record);
    // A reservation that has begun continues, because its budget is already withheld.
    const isLate = !grouped.ok && grouped.error.reason === "overloaded";
    const recorded = isLate ? core.commitOrRefuse(record) : grouped;
    if (!recorded.ok) return recorded;
    const changed = recorded.value;
    if (changed?.now?.state === "complete") return this.#submission.answerCommitted(changed.now, deadline);
    if (changed !== null) return this.#answerChanged(row);
    await core.durable();
    return this.#submission.submit(row.id, assembled, deadline);
  }

  /** Answers for a row that changed while the fund signed. */
  #answerChanged({ id }: AptosSponsorship): Outcome<never> {
    const state = this.#core.store.sponsorship(id)?.state;
    if (state === "signed")
      return refuse("sequence_conflict", "the same transaction is already being submitted: look its hash up");
    return state === UNRESOLVABLE
      ? refuse(
          "outcome_unknown",
          "the sender's sequence number is used, and no node shows the transaction: look up the sender's transactions",
        )
      : refuse("expired", "the transaction can never execute any more: build a new one");
  }
}
