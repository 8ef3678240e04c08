import { GrpcTypes } from "@mysten/sui/grpc";
import { alteration } from "../byzantine-node/altered-sui-node.ts";
import { LOOK_UP } from "./sui-chain.ts";

/** Makes the node show every execution as failed. */
export function failing(error: NonNullable<GrpcTypes.ExecutionStatus["error"]>) {
  return alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, (reply) => {
    for (const { result } of reply.transactions)
      if (result.oneofKind === "transaction" && result.transaction.effects?.status)
        result.transaction.effects.status = { success: false, error };
  });
}
