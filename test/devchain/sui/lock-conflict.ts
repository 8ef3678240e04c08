import { GrpcCode, GrpcStatus } from "./status.ts";
import type { ObjectRef } from "./transaction.ts";

/** As sui-core's transaction_driver/error.rs words what more than a third of the validators refuse. */
export function rejected(reason: string): string {
  return (
    "Transaction is rejected as invalid by more than 1/3 of validators by stake (non-retriable). " +
    `Non-retriable errors: [${reason} with 10000 stake].`
  );
}

/**
 * Of two transactions that consume one version one wins, and the other learns this only after consensus
 * (sui-types error.rs: `ObjectLockConflict`).
 */
export function lockConflict({ objectId, version, digest }: ObjectRef, winner: string): GrpcStatus {
  const reason =
    `Object (${objectId}, SequenceNumber(${version}), o#${digest}) already locked by a different transaction: ` +
    `TransactionDigest(${winner})`;
  return new GrpcStatus(GrpcCode.FAILED_PRECONDITION, rejected(reason));
}
