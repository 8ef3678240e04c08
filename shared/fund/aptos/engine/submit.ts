import type { AptosSubmitOutcome } from "../../../chain/aptos/node.ts";
import type { PendingTransaction } from "../../../chain/aptos/pending-transaction.ts";
import type { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { inTime, sleep } from "../../../timing.ts";
import { undoSubmitted } from "../sponsorships.ts";
import type { AptosSponsorship } from "../store.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosSettlement } from "./settle.ts";

/** The waits between look-ups of a submission without an answer. After them the caller gets `outcome_unknown`. */
const OUTCOME_LOOK_UPS_MS = [250, 500, 1_000, 2_000] as const;

interface Assembled {
  readonly signedTransaction: Uint8Array;
  readonly hash: string;
}

interface Submitted {
  readonly pendingTransaction: PendingTransaction;
}

/**
 * `SEQUENCE_NUMBER_TOO_OLD` (move-core-types, `vm_status.rs`). The very transaction that was sent may have used the
 * number.
 */
const SEQUENCE_NUMBER_TOO_OLD = 3;
/** Recognizes the same for a nonce, by name. Its code may still change, unlike older codes. */
const NONCE_ALREADY_USED = /\bNONCE_ALREADY_USED\b/;

type Refused = Extract<AptosSubmitOutcome, { readonly kind: "refused" }>;

/** Sends transactions that the fund has signed, and determines whether a node has them. */
export class AptosSubmission {
  readonly #core: AptosFundCore;
  readonly #settlement: AptosSettlement;

  constructor(core: AptosFundCore, settlement: AptosSettlement) {
    this.#core = core;
    this.#settlement = settlement;
  }

  /**
   * Sends a signed transaction.
   *
   * @param id the sponsorship, which was recorded as submitted.
   * @returns the transaction as a node shows it. `node_refused` if no node has accepted it, now or before. Once a node
   * may have it, any other failure is `outcome_unknown` with the hash.
   */
  async submit(id: string, { signedTransaction, hash }: Assembled, deadline: Deadline): Promise<Outcome<Submitted>> {
    const { node, deps, record } = this.#core;
    try {
      const outcome = await inTime(deadline.leftMs(), node.submit(signedTransaction, hash));
      if (outcome === null) return refuseLate(hash);
      switch (outcome.kind) {
        case "accepted":
          return done({ pendingTransaction: outcome.transaction });
        case "refused":
          return await this.#refused(id, hash, outcome, deadline);
        case "unknown": {
          const found = await this.#lookUp(hash, OUTCOME_LOOK_UPS_MS, deadline);
          return found === null ? refuseUnknown("the node did not answer", hash) : done({ pendingTransaction: found });
        }
      }
    } catch (error) {
      deps.log("fund.execution_failed", { fund: record.fundId, hash, error: String(error) });
      return refuseUnknown("the service failed after the transaction was sent", hash);
    }
  }

  /** Answers with a committed transaction in the form that it had while it waited. */
  async answerCommitted({ hash }: AptosSponsorship, deadline: Deadline): Promise<Outcome<Submitted>> {
    if (hash === null) throw new Error("a committed sponsorship has no hash");
    const found = await this.#lookUp(hash, [0], deadline);
    return found === null
      ? refuseUnknown("it is committed, and the node does not show it any more, or not yet", hash)
      : done({ pendingTransaction: found });
  }

  /**
   * Handles a refusal of this one call. An earlier call's transaction may be the cause of the refusal. Only the hash or
   * the sender's sequence number can show that.
   */
  async #refused(
    id: string,
    hash: string,
    { status, text, vmErrorCode }: Refused,
    deadline: Deadline,
  ): Promise<Outcome<Submitted>> {
    const core = this.#core;
    const found = await this.#lookUp(hash, [0], deadline);
    if (found !== null) return done({ pendingTransaction: found });
    const settled = await deadline.within(this.#settlement.settle([id]).then(() => done(null)));
    if (!settled.ok) return refuseLate(hash);
    const row = core.store.sponsorship(id);
    if (row?.state === "complete") return this.answerCommitted(row, deadline);
    const isTooOld = vmErrorCode === SEQUENCE_NUMBER_TOO_OLD || NONCE_ALREADY_USED.test(text);
    const others = isTooOld ? 1 : core.commit(() => undoSubmitted(core.store, id));
    const isOpen = row?.state === "signed" && others > 0;
    return isOpen
      ? refuseUnknown(`the node refuses what it may have taken before (${text})`, hash)
      : refuse("node_refused", text, { node: { status, text, vmErrorCode }, hash });
  }

  async #lookUp(hash: string, waitsMs: readonly number[], deadline: Deadline): Promise<PendingTransaction | null> {
    for (const waitMs of waitsMs) {
      const looked = await deadline.within(this.#core.node.lookUp(hash));
      if (looked.ok && looked.value.value.kind !== "missing") return looked.value.value.transaction;
      await sleep(Math.min(waitMs, deadline.leftMs()));
      if (deadline.leftMs() === 0) break;
    }
    return null;
  }
}

function refuseLate(hash: string) {
  return refuseUnknown("no node answered in time: repeat the call", hash);
}

function refuseUnknown(what: string, hash: string) {
  return refuse("outcome_unknown", `${what}: look up the hash before you retry`, { hash });
}
