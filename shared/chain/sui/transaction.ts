import { bcs } from "@mysten/sui/bcs";
import { blake2b } from "@noble/hashes/blake2.js";
import { MAX_U64 } from "../../amounts.ts";
import { concatBytes, fromHex, toHex, utf8 } from "../../bytes.ts";
import { toBase64 } from "../../crypto/base64.ts";
import type { Signer } from "../../crypto/signer.ts";
import type { ObjectRef } from "./coins.ts";
import { digestBytes, digestText } from "./digest.ts";

const TRANSACTION_DATA_V1 = Uint8Array.of(0);
const ED25519_FLAG = Uint8Array.of(0);
/** Intent scope TransactionData, version V0, app Sui. */
const TRANSACTION_INTENT = Uint8Array.of(0, 0, 0);
/** Intent scope PersonalMessage, version V0, app Sui. */
const PERSONAL_MESSAGE_INTENT = Uint8Array.of(3, 0, 0);
/** Domain of object ids derived from a transaction digest (`HashingIntentScope::RegularObjectId`). */
const OBJECT_ID_INTENT = Uint8Array.of(0xf1);

/** `TransactionExpiration::Epoch`. */
const EPOCH_VARIANT = Uint8Array.of(1);
const ADDRESS_HEX = 64;
const ADDRESS_BYTES = 32;
const U64_BYTES = 8;
const DIGEST_BYTES = 32;

function blake2b256(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(blake2b(concatBytes(...parts), { dkLen: 32 }));
}

/** The payer, the payment, the price and the budget of a transaction's gas. Amounts are MIST. */
export interface GasTerms {
  readonly owner: string;
  /** Empty if the owner's address balance pays. In a dry run the node then mocks the payment. */
  readonly payment: readonly ObjectRef[];
  readonly priceMist: bigint;
  readonly budgetMist: bigint;
}

/**
 * The end of the time in which the chain accepts a transaction. `epoch`: through that epoch. `window`: `ValidDuring`,
 * at most two epochs, which a transaction without any coin needs. The nonce distinguishes two that are otherwise equal.
 */
export type Expiration =
  | { readonly kind: "epoch"; readonly epoch: bigint }
  | {
      readonly kind: "window";
      readonly from: bigint;
      readonly to: bigint;
      readonly chainIdentifier: string;
      /** Below 2^32. */
      readonly nonce: number;
    };

function addressBcs(address: string): Uint8Array {
  return fromHex(address.slice(2).padStart(ADDRESS_HEX, "0"));
}

function u64Bcs(value: bigint): Uint8Array {
  if (value < 0n || value > MAX_U64) throw new RangeError(`${value} is not a u64`);
  const bytes = new Uint8Array(U64_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

/** ULEB128, the shortest form. */
function lengthBcs(length: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.of(...bytes, rest);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function digestBcs(digest: string): Uint8Array {
  const bytes = digestBytes(digest);
  if (bytes === null) throw new RangeError(`a digest is base58 of ${DIGEST_BYTES} bytes`);
  return concatBytes(Uint8Array.of(DIGEST_BYTES), bytes);
}

/** Encodes the BCS of `GasData` (sui-types, `transaction.rs`) by hand. The SDK's codec takes ten times as long. */
function gasDataBcs({ owner, payment, priceMist, budgetMist }: GasTerms): Uint8Array {
  return concatBytes(
    lengthBcs(payment.length),
    ...payment.flatMap(({ objectId, version, digest }) => [addressBcs(objectId), u64Bcs(version), digestBcs(digest)]),
    addressBcs(owner),
    u64Bcs(priceMist),
    u64Bcs(budgetMist),
  );
}

/** Encodes the BCS of `TransactionExpiration`. Almost all have the one form that is written by hand here. */
function expirationBcs(expiration: Expiration): Uint8Array {
  if (expiration.kind === "epoch") return concatBytes(EPOCH_VARIANT, u64Bcs(expiration.epoch));
  const { from, to, chainIdentifier, nonce } = expiration;
  const window = {
    minEpoch: from.toString(),
    maxEpoch: to.toString(),
    minTimestamp: null,
    maxTimestamp: null,
    chain: chainIdentifier,
    nonce,
  };
  return bcs.TransactionExpiration.serialize({ ValidDuring: window }).toBytes();
}

/**
 * Wraps a transaction kind into `TransactionData::V1`. Splices the kind in byte for byte, so that exactly the inspected
 * bytes are signed.
 */
export function wrapKind(kindBytes: Uint8Array, sender: string, gas: GasTerms, expiration: Expiration): Uint8Array {
  return concatBytes(TRANSACTION_DATA_V1, kindBytes, addressBcs(sender), gasDataBcs(gas), expirationBcs(expiration));
}

/** The bytes beside the kind: version, sender, the length of an empty payment, owner, price and budget. */
const FRAME_BYTES = 1 + ADDRESS_BYTES + 1 + ADDRESS_BYTES + U64_BYTES + U64_BYTES;
/**
 * The bytes of `TransactionExpiration` with its variant. A window has two optional epochs and times, chain and nonce.
 */
const EXPIRATION_BYTES: Readonly<Record<Expiration["kind"], number>> = {
  epoch: 1 + U64_BYTES,
  window: 1 + 2 * (1 + U64_BYTES) + 2 + (1 + DIGEST_BYTES) + 4,
};

/** Computes the length of a kind that is wrapped without a payment. Each coin of a payment adds to it. */
export function unpaidLength(kindBytes: Uint8Array, expiration: Expiration["kind"]): number {
  return FRAME_BYTES + kindBytes.length + EXPIRATION_BYTES[expiration];
}

/**
 * Computes the digest of a transaction: base58 of `blake2b256("TransactionData::" ‖ bytes)` (sui-types,
 * `TransactionDigest`).
 */
export function transactionDigest(transactionBytes: Uint8Array): string {
  return digestText(blake2b256(utf8("TransactionData::"), transactionBytes));
}

/**
 * Computes the id of the n-th object that a transaction creates: `blake2b256(0xf1 ‖ digest ‖ u64le(n))` (`TxContext`).
 */
export function createdObjectId(digest: string, index: bigint): string {
  return `0x${toHex(blake2b256(OBJECT_ID_INTENT, bcs.ObjectDigest.serialize(digest).toBytes().slice(1), bcs.u64().serialize(index).toBytes()))}`;
}

/** Derives the Sui address: `blake2b256(flag ‖ public key)` of an Ed25519 key, as `0x` and 64 hex digits. */
export function suiAddress(publicKey: Uint8Array): string {
  return `0x${toHex(blake2b256(ED25519_FLAG, publicKey))}`;
}

/**
 * Computes the digest that a signature of a transaction signs: `blake2b256(intent ‖ bytes)` under the TransactionData
 * intent.
 */
export function signingDigest(transactionBytes: Uint8Array): Uint8Array {
  return blake2b256(TRANSACTION_INTENT, transactionBytes);
}

/**
 * Computes the digest that a signature of a personal message signs: `blake2b256(intent ‖ bytes)` under the
 * PersonalMessage intent, which no transaction has.
 *
 * @param messageBcs the result of `personalMessageBcs`. Verifiers put the length before the message themselves.
 */
export function personalMessageDigest(messageBcs: Uint8Array): Uint8Array {
  return blake2b256(PERSONAL_MESSAGE_INTENT, messageBcs);
}

/** Encodes the BCS of `PersonalMessage` (sui-types, `intent.rs` of shared-crypto): the message after its length. */
export function personalMessageBcs(message: Uint8Array): Uint8Array {
  return concatBytes(bcs.uleb128().serialize(message.length).toBytes(), message);
}

/**
 * Signs under the TransactionData intent.
 *
 * @returns the serialized signature.
 */
export async function signTransaction(signer: Signer, transactionBytes: Uint8Array): Promise<string> {
  const signature = await signer.sign(signingDigest(transactionBytes));
  return serializedSignature(signature, signer.publicKey);
}

/** Encodes an Ed25519 signature as the chain accepts it: base64 of `flag ‖ signature(64) ‖ public key(32)`. */
export function serializedSignature(signature: Uint8Array, publicKey: Uint8Array): string {
  return toBase64(concatBytes(ED25519_FLAG, signature, publicKey));
}
