import type { SubmitOutcome } from "../../../chain/sui/node.ts";
import { done } from "../../../errors.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import type { Call } from "./execution.ts";

/** The end of a submission. */
export interface Submitted {
  readonly outcome: SubmitOutcome;
  /** True if no other submission of this digest came before it or at the same time. */
  readonly isFirst: boolean;
}

/** A submission that is under way. */
interface Submission {
  readonly senderSignature: string;
  readonly outcome: Promise<SubmitOutcome>;
  /** True until another submission of the digest begins. */
  isFirst: boolean;
}

/** Submits transactions that the fund has signed, once for calls that have the same sender signature. */
export class SuiSubmission {
  readonly #core: SuiFundCore;
  /** Submissions that are under way, by digest. */
  readonly #submitting = new Map<string, readonly Submission[]>();
  /** Digests that were approved here and never sent. After a restart no digest counts as unsent. */
  readonly #unsent = new Set<string>();

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /** Records that nothing with this digest was sent yet. */
  noteUnsent(digest: string): void {
    this.#unsent.add(digest);
  }

  /**
   * Submits to a node. Calls with the same sender signature share one submission. Another signature over the same bytes
   * has a submission of its own. A node judges each of them, and the refusal of one proves nothing about the other.
   */
  async submit(
    { digest, transactionBytes }: SuiSponsorship,
    signatures: readonly string[],
    { deadline, senderSignature }: Call,
  ): Promise<Submitted> {
    const others = this.#submitting.get(digest) ?? [];
    const underWay = others.find((other) => other.senderSignature === senderSignature);
    if (underWay === undefined) {
      for (const other of others) other.isFirst = false;
      // The submission ends by itself at this call's deadline.
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
}
