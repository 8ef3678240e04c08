import { bcs } from "@mysten/bcs";
import { equalBytes } from "../../bytes.ts";
import { addressBytes } from "./address.ts";
import { type TransactionPayload, transactionPayload } from "./payload.ts";

/**
 * The payloads that the service itself makes: functions of `0x1::aptos_account` (aptos-framework,
 * `aptos_account.move`).
 */

const FRAMEWORK = `0x${"1".padStart(64, "0")}`;
/** BCS of a vector without elements. */
const EMPTY_VECTOR = Uint8Array.of(0);

function call(name: string, args: readonly Uint8Array[]): TransactionPayload {
  const module = { address: FRAMEWORK, name: "aptos_account" };
  return { $kind: "EntryFunction", EntryFunction: { module, function: name, typeArguments: [], arguments: [...args] } };
}

/**
 * Builds `transfer(to, amount)`, which sends APT from the primary fungible store. An address without an account gets
 * one.
 */
export function transferPayload(to: string, amountOctas: bigint): TransactionPayload {
  return call("transfer", [addressBytes(to), bcs.u64().serialize(amountOctas).toBytes()]);
}

/**
 * Builds `batch_transfer([], [])`, which moves and writes nothing. As a sender's first transaction it creates its
 * account.
 */
export function noOpPayload(): TransactionPayload {
  return call("batch_transfer", [EMPTY_VECTOR, EMPTY_VECTOR]);
}

/** Returns true if a payload is `noOpPayload`, byte for byte. */
export function isNoOp(payload: TransactionPayload): boolean {
  const bytesOf = (one: TransactionPayload) => transactionPayload.serialize(one).toBytes();
  return payload.$kind === "EntryFunction" && equalBytes(bytesOf(payload), bytesOf(noOpPayload()));
}
