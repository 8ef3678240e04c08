import { fromBase58, toBase58, toHex } from "@mysten/sui/utils";
import { blake2b } from "@noble/hashes/blake2.js";

const HASH_BYTES = 32;
/** Separates derived object ids from addresses (sui-types base_types.rs: `HashingIntentScope::RegularObjectId`). */
const OBJECT_ID_SCOPE = 0xf1;
const DIGEST_BYTES = 32;
const COUNTER_BYTES = 8;

const encoder = new TextEncoder();

export function blake2b256(data: Uint8Array): Uint8Array {
  return blake2b(data, { dkLen: HASH_BYTES });
}

/** blake2b256("<name>::" ‖ bcs): the digest rule of every BCS structure that the chain commits to. */
export function taggedHash(name: string, bytes: Uint8Array): Uint8Array {
  const prefix = encoder.encode(`${name}::`);
  const message = new Uint8Array(prefix.length + bytes.length);
  message.set(prefix);
  message.set(bytes, prefix.length);
  return blake2b256(message);
}

export function taggedDigest(name: string, bytes: Uint8Array): string {
  return toBase58(taggedHash(name, bytes));
}

/** The id of the `index`-th object that a transaction creates. */
export function derivedObjectId(transactionDigest: string, index: bigint): string {
  const preimage = new Uint8Array(1 + DIGEST_BYTES + COUNTER_BYTES);
  preimage[0] = OBJECT_ID_SCOPE;
  preimage.set(fromBase58(transactionDigest), 1);
  new DataView(preimage.buffer).setBigUint64(1 + DIGEST_BYTES, index, true);
  return `0x${toHex(blake2b256(preimage))}`;
}
