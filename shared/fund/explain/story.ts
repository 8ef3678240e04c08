import type { Network } from "../../networks.ts";
import type { LedgerRow } from "../ledger/books.ts";
import type { SponsorshipView } from "../views.ts";
import type { RefusedCall } from "./refused-call.ts";
import type { Trace, TracedAbort } from "./trace.ts";

/** A sponsorship with the facts of its row and its bytes that lists leave out. */
export interface ExplainedSponsorship extends SponsorshipView {
  /** The name of the row in the ledger. */
  readonly reference: string;
  /** The time of the fund's approval. Null while it is prepared, and always on Aptos, which signs at once. */
  readonly signedAtMs: number | null;
  /** The gas coin. Null if no coin pays. */
  readonly gasObjectId: string | null;
  /** The Move targets. Null if the bytes were dropped by an earlier build. */
  readonly targets: readonly string[] | null;
  /**
   * The stored facts of its kind and its end. Null for a row of an earlier build. Absent only in that build's answer.
   */
  readonly trace?: Trace | null;
  /** The checkpoint on Sui, the version on Aptos, as it is stored. Null if it is not known. Absent as `trace`. */
  readonly ledgerPlace?: string | null;
}

/** An execution as a node shows it now. */
export interface ExplainedExecution {
  readonly success: boolean;
  /** Null on success. */
  readonly failure: string | null;
  /** Null if no Move code aborted. */
  readonly abort: TracedAbort | null;
  /** The parts of the gas by their names on the chain, MIST, octas or units. */
  readonly gas: Readonly<Record<string, string>>;
  /** The checkpoint on Sui, the ledger version on Aptos. Null if none holds it yet. */
  readonly ledgerPlace: string | null;
  readonly atMs: number | null;
}

/** The look-ups of one digest that have failed alone, since this fund's object was last loaded. */
export interface LookUpFailures {
  /** So many in a row. */
  readonly inARow: number;
  /** The cause of the last one. */
  readonly why: string;
}

/** The answer of the nodes about a digest or a hash. */
export interface OnChain {
  /** The host of the node. Null if none answered. */
  readonly endpoint: string | null;
  /** Null if the node does not show it, or if none answered. */
  readonly execution: ExplainedExecution | null;
  /** Absent if the last look-up was good, and on Aptos. */
  readonly failures?: LookUpFailures;
}

/** A question about the past of a fund: by digest or hash, by request, or by sender and time. */
export type StoryQuery =
  | {
      readonly by: "digest";
      readonly digest: string;
      /** True if the nodes are called, too. Their answer books nothing. */
      readonly askNodes: boolean;
    }
  | { readonly by: "request"; readonly requestId: string }
  | { readonly by: "sender"; readonly sender: string; readonly fromMs: number; readonly toMs: number };

/** Everything that a fund knows about a question. */
export interface FundStory {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  readonly sponsorships: readonly ExplainedSponsorship[];
  readonly refusals: readonly RefusedCall[];
  /** The ledger rows of the sponsorships or of the digest, oldest first. */
  readonly ledger: readonly LedgerRow[];
  /** Null if the nodes were not called. */
  readonly chain: OnChain | null;
}

/** The most sponsorships and the most refusals of one answer. */
export const MAX_STORY_ROWS = 20;
