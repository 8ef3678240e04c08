import type { GrpcTypes } from "@mysten/sui/grpc";
import { InvalidReplyError } from "../../failover.ts";
import type { GasUsed, SuiExecution } from "../execution.ts";
import { failureText, readAbort } from "../execution-failure.ts";

/** A time as `google.protobuf.Timestamp` has it. */
export type Timestamp = NonNullable<GrpcTypes.GetServiceInfoResponse["timestamp"]>;

/** A JSON value as `google.protobuf.Value` has it. */
export type Value = NonNullable<GrpcTypes.Event["json"]>;

const OBJECT_ID = /^0x[0-9a-f]{64}$/;

/** A base58 digest of 32 bytes, by its characters and its length. */
export const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** `google.rpc.Code.NOT_FOUND`, inside a batch reply. */
export const GRPC_NOT_FOUND = 5;

/** Requires a field. @throws InvalidReplyError that names the field if it is missing. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new InvalidReplyError(`the node's reply lacks ${name}`);
  return value;
}

/** Requires an object id of full length. @throws InvalidReplyError if it is missing or malformed. */
export function objectId(value: string | undefined, name: string): string {
  const id = required(value, name);
  if (!OBJECT_ID.test(id)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return id;
}

/** Requires a base58 digest. @throws InvalidReplyError if it is missing or malformed. */
export function digestOf(value: string | undefined, name: string): string {
  const digest = required(value, name);
  if (!DIGEST.test(digest)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return digest;
}

/** Turns a bigint into an exact number. @throws InvalidReplyError if it is negative or above 2^53 - 1. */
export function safeNumber(value: bigint, name: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidReplyError(`the node's reply has an absurd ${name}`);
  return number;
}

/** Reads a time in whole milliseconds since 1970. @throws InvalidReplyError if it has no seconds. */
export function readTimestampMs({ seconds, nanos }: Timestamp): number {
  // A message without them reads as zero, and no chain began in 1970.
  if (seconds === 0n) throw new InvalidReplyError("the node's reply lacks the seconds of a timestamp");
  return safeNumber(seconds * 1_000n + BigInt(Math.floor(nanos / 1_000_000)), "timestamp");
}

/** The greatest believed gas of a node: about nine million SUI. A larger amount would overflow the sums of a fund. */
const MOST_GAS_MIST = BigInt(Number.MAX_SAFE_INTEGER);

/** Reads the gas of a transaction, in MIST. @throws InvalidReplyError if an amount is missing or absurd. */
export function readGasUsed(summary: GrpcTypes.GasCostSummary | undefined): GasUsed {
  const gas = required(summary, "gas_used");
  return {
    computationCostMist: gasMist(gas.computationCost, "computation_cost"),
    storageCostMist: gasMist(gas.storageCost, "storage_cost"),
    storageRebateMist: gasMist(gas.storageRebate, "storage_rebate"),
    nonRefundableStorageFeeMist: gasMist(gas.nonRefundableStorageFee, "non_refundable_storage_fee"),
  };
}

function gasMist(value: bigint | undefined, name: string): bigint {
  const mist = required(value, name);
  if (mist > MOST_GAS_MIST) throw new InvalidReplyError(`the node's reply has an absurd ${name}`);
  return mist;
}

/** Reads the end of an execution. The error has the words of a full node's JSON-RPC. */
export function readStatus(
  status: GrpcTypes.ExecutionStatus | undefined,
): Pick<SuiExecution, "success" | "error" | "abort"> {
  const { success, error } = required(status, "status");
  if (required(success, "success")) return { success: true, error: null, abort: null };
  return { success: false, error: failureText(error), abort: readAbort(error) };
}
