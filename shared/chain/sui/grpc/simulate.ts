import type { GrpcTypes } from "@mysten/sui/grpc";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { faultText } from "../../failover.ts";
import type { DryRun } from "../node.ts";
import { givenStatus } from "./bounded-fetch.ts";
import { type EndpointCall, flat, type GrpcConnection } from "./connection.ts";
import { readDryRun } from "./replies.ts";

const DRY_RUN_MASK = ["transaction.effects.status", "transaction.effects.gas_used", "transaction.balance_changes"];

/**
 * gRPC codes with which an endpoint declines to simulate, now or at all. With every other code a node judges the
 * transaction, also with INTERNAL (`sui-rpc-api`, `simulate.rs`).
 */
const NO_SIMULATION_CODES = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "UNAUTHENTICATED",
  "UNAVAILABLE",
  "UNIMPLEMENTED",
]);

/** Implements `SuiNode.dryRun`. */
export async function dryRun(connection: GrpcConnection, transactionBytes: Uint8Array): Promise<Outcome<DryRun>> {
  return flat(await connection.read("dryRun", (call) => dryRunAt(call, transactionBytes)));
}

async function dryRunAt(
  { client: { transactionExecutionService }, abort }: EndpointCall,
  transactionBytes: Uint8Array,
): Promise<Outcome<DryRun>> {
  const request: GrpcTypes.SimulateTransactionRequest = {
    transaction: { bcs: { value: transactionBytes } },
    doGasSelection: false,
    readMask: { paths: DRY_RUN_MASK },
  };
  try {
    return done(readDryRun(await transactionExecutionService.simulateTransaction(request, { abort }).response));
  } catch (error) {
    const status = givenStatus(error);
    if (status === null || NO_SIMULATION_CODES.has(status)) throw error;
    const text = faultText(error);
    return refuse("dry_run_failed", text, { node: { status, text } });
  }
}
