/* Sui only: execute.ts holds these shapes on Aptos, where no other file needs them. */

import type { SuiExecution } from "../../../chain/sui/execution.ts";
import type { Deadline } from "../../../deadline.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";

/** Asks for the execution of a sponsorship. */
export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** Answer only once a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
  /** What few callers ask for; absent: neither. */
  readonly alsoShow?: { readonly signatures: boolean; readonly rawEffects: boolean };
  /** What is left of the call's time; absent: all of it. */
  readonly leftMs?: number;
  /** When the request arrived at the edge; absent: the call is part of one that has begun. */
  readonly arrivedAtMs?: number;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

/** An execution, as its caller is answered. */
export interface Executed {
  readonly execution: SuiExecution;
  readonly sender: string;
  /** Null: it was not asked for. */
  readonly confirmedLocalExecution: boolean | null;
  /** The sender's and the fund's, in the order in which they were submitted; null: not asked for. */
  readonly signatures: readonly string[] | null;
  /** BCS of `TransactionEffects`; null: not asked for, or no node shows it. */
  readonly rawEffects: Uint8Array | null;
}

/** One call of `execute`. */
export interface Call extends ExecuteInput {
  readonly deadline: Deadline;
}
