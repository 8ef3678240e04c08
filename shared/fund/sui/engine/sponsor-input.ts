/* Sui only: `gasless.ts` and `reserve.ts` share it. On Aptos `reserve.ts` has its own. */

import type { DryRun } from "../../../chain/sui/node.ts";
import type { Deadline } from "../../../deadline.ts";
import type { Refusal } from "../../../errors.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";
import type { FundPolicy } from "../../../policy/fund-policy.ts";
import type { Failure } from "../../../result.ts";

/** A request for gas for one transaction. */
export interface SponsorInput {
  readonly keyId: string;
  /** The access key's own policy, from admission. */
  readonly keyPolicy: FundPolicy;
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** Null if a dry run sets the budget. */
  readonly gasBudgetMist: bigint | null;
  /** The upper bound of a budget that a dry run sets. Null if only the chain's own limit applies. */
  readonly maxGasBudgetMist: bigint | null;
  /** Makes a dry run even if the budget is given. */
  readonly simulate?: boolean;
  /** Null for the reference gas price. */
  readonly gasPriceMist: bigint | null;
  /** The last epoch that the sender has named. Null if the fund sets it. */
  readonly lastEpoch: bigint | null;
  /** The rest of the call's time. Absent for all of it. */
  readonly leftMs?: number;
  /** The arrival of the request at the edge. Absent if the call is part of one that has begun. */
  readonly arrivedAtMs?: number;
  /** The `x-request-id` of the answer. Absent from an edge of an earlier build. */
  readonly requestId?: string;
}

/** One call, with its deadline. */
export interface Call extends SponsorInput {
  readonly deadline: Deadline;
  /** Receives the result of a dry run. */
  readonly heard: (dryRun: DryRun) => void;
  /**
   * Refuses a transaction that leaves the call's own bounds. Not called for a repeat, because the first call has passed
   * it.
   */
  readonly screen?: () => Failure<Refusal> | null;
}
