import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import type { Fault } from "../control.ts";
import { MAX_HANG_MS, pause } from "../pause.ts";
import { cutResponse, type GrpcWebFormat, messageResponse } from "./grpc-web.ts";
import { lockConflict, rejected } from "./lock-conflict.ts";
import { GrpcCode, GrpcStatus, invalidArgument } from "./status.ts";
import { decodeTransaction, type ObjectRef } from "./transaction.ts";

const DIGEST_BYTES = 32;

/** One call on its way to its method. */
export interface Call {
  readonly format: GrpcWebFormat;
  readonly message: Uint8Array;
  readonly signal: AbortSignal;
  /** Carries the method out and gives its response messages. */
  answer(): Promise<readonly Uint8Array[]>;
}

/**
 * Serves a call the way an ordered fault has it. The method is carried out, and a transaction committed, by
 * `drop_after_commit`, `delay` and `half_body` only.
 */
export async function serveFaulty({ mode, delayMs }: Fault, call: Call): Promise<Response> {
  switch (mode) {
    case "drop_after_commit":
      await call.answer();
      await pause(delayMs);
      throw unavailable("timed-out before finality could be reached");
    case "half_body": {
      const answer = await call.answer();
      await pause(delayMs);
      return cutResponse(call.format, ...answer);
    }
    case "delay": {
      // The method comes first, so that what a caller does not wait for has happened nevertheless.
      const answer = await call.answer().finally(() => pause(delayMs));
      return messageResponse(call.format, ...answer);
    }
    case "hang":
      await pause(MAX_HANG_MS, call.signal);
      throw unavailable("the service is currently unavailable");
    default:
      await pause(delayMs);
      return refuse(mode, call.message);
  }
}

type Refusing = Exclude<Fault["mode"], "drop_after_commit" | "half_body" | "delay" | "hang">;

function refuse(mode: Refusing, message: Uint8Array): Response {
  switch (mode) {
    case "unavailable":
    case "unavailable_before_commit":
      throw unavailable("the service is currently unavailable");
    case "lock_conflict":
      throw unknownConflict(message);
    case "stale_version":
      throw invalidArgument(rejected(staleVersion(message)));
    case "http_500":
      return new Response("Internal Server Error", { status: 500, statusText: "Internal Server Error" });
    case "garbage":
      return new Response("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } });
  }
}

/** A conflict with a transaction that nobody knows. */
function unknownConflict(message: Uint8Array): GrpcStatus {
  return lockConflict(firstOwnedInput(message), toBase58(crypto.getRandomValues(new Uint8Array(DIGEST_BYTES))));
}

/** sui-types error.rs: `ObjectVersionUnavailableForConsumption`. */
function staleVersion(message: Uint8Array): string {
  const { objectId, version } = firstOwnedInput(message);
  const hex = (number: bigint) => `0x${number.toString(16)}`;
  return (
    `Transaction needs to be rebuilt because object ${objectId} version ${hex(BigInt(version))} is unavailable for ` +
    `consumption, current version: ${hex(BigInt(version) + 1n)}`
  );
}

/** The first object by version that a transaction would consume, gas first. */
function firstOwnedInput(message: Uint8Array): ObjectRef {
  const bytes = GrpcTypes.ExecuteTransactionRequest.fromBinary(message).transaction?.bcs?.value;
  if (bytes === undefined) throw invalidArgument("missing transaction");
  const { data, programmable } = decodeTransaction(bytes);
  const inputs = programmable.inputs.flatMap((input) => input.Object?.ImmOrOwnedObject ?? []);
  const [first] = [...data.gasData.payment, ...inputs];
  if (first === undefined) throw invalidArgument("this fault is for transactions that consume an object");
  return first;
}

function unavailable(message: string): GrpcStatus {
  return new GrpcStatus(GrpcCode.UNAVAILABLE, message);
}
