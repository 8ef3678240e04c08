import { fromBase58, fromHex, toBase58, toHex } from "@mysten/sui/utils";
import { type Account, accumulatorId } from "./accounts.ts";
import type { ObjectRef } from "./transaction.ts";

const AMOUNT_BYTES = 8;
const EPOCH_BYTES = 4;
const DIGEST_BYTES = 32;
const MAGIC_BYTE = 0xac;

/** An amount of an address balance that is written as the reference of a coin, for callers that know coins only. */
export interface CoinReservation {
  readonly accumulatorId: string;
  readonly amount: bigint;
  readonly epoch: bigint;
}

/**
 * Reads a coin reservation, or gives undefined for the reference of an object. The digest holds the amount, the epoch
 * and twenty bytes 0xac; the id is masked with the chain's, so that it cannot be replayed elsewhere
 * (sui-types coin_reservation.rs).
 */
export function parseCoinReservation({ objectId, digest }: ObjectRef, chainId: string): CoinReservation | undefined {
  if (!isCoinReservation({ digest })) return undefined;
  const bytes = fromBase58(digest);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    accumulatorId: maskId(objectId, chainId),
    amount: view.getBigUint64(0, true),
    epoch: BigInt(view.getUint32(AMOUNT_BYTES, true)),
  };
}

export function isCoinReservation({ digest }: Pick<ObjectRef, "digest">): boolean {
  return fromBase58(digest)
    .subarray(AMOUNT_BYTES + EPOCH_BYTES)
    .every((byte) => byte === MAGIC_BYTE);
}

export function createCoinReservationRef(account: Account, amount: bigint, epoch: bigint, chainId: string): ObjectRef {
  const digest = new Uint8Array(DIGEST_BYTES).fill(MAGIC_BYTE);
  const view = new DataView(digest.buffer);
  view.setBigUint64(0, amount, true);
  view.setUint32(AMOUNT_BYTES, Number(epoch), true);
  return { objectId: maskId(accumulatorId(account), chainId), version: "0", digest: toBase58(digest) };
}

/** Masks an id with the chain's, or takes the mask off again. */
function maskId(id: string, chainId: string): string {
  const mask = fromBase58(chainId);
  return `0x${toHex(fromHex(id).map((byte, index) => byte ^ (mask[index] ?? 0)))}`;
}
