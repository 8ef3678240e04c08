/* Sui only: execute.ts holds these shapes on Aptos, where no other file needs them. */

import type { SuiExecution } from "../../../chain/sui/execution.ts";
import type { Deadline } from "../../../deadline.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";

/** A request for the execution of a sponsorship. */
export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** True if the answer waits until a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
  /** Parts of the answer that few callers request. Absent for neither. */
  readonly alsoShow?: { readonly signatures: boolean; readonly rawEffects: boolean };
  /** The rest of the call's time. Absent for all of it. */
  readonly leftMs?: number;
  /** The arrival of the request at the edge. Absent if the call is part of one that has begun. */
  readonly arrivedAtMs?: number;
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  /** The access key of the call. Absent from an edge of an earlier build. */
  readonly keyId?: string;
  /** The `x-request-id` of the answer. Absent from an edge of an earlier build. */
  readonly requestId?: string;
}

/** An execution, as its caller receives it. */
export interface Executed {
  readonly execution: SuiExecution;
  readonly sender: string;
  /** Null if it was not requested. */
  readonly confirmedLocalExecution: boolean | null;
  /**
   * The sender's and the fund's, in the order in which they were submitted. Null if not requested, or if the bytes are
   * dropped.
   */
  readonly signatures: readonly string[] | null;
  /** BCS of `TransactionEffects`. Null if not requested, or if no node shows it. */
  readonly rawEffects: Uint8Array | null;
}

/** One call of `execute`. */
export interface Call extends ExecuteInput {
  readonly deadline: Deadline;
}
