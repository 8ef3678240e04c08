import { bcs } from "@mysten/sui/bcs";
import { toBase58, toBase64 } from "@mysten/sui/utils";
import { blake2b } from "@noble/hashes/blake2.js";
import { concatBytes, toHex, utf8 } from "../../bytes.ts";
import type { Signer } from "../../custody/signer.ts";
import type { ObjectRef } from "./node.ts";

const TRANSACTION_DATA_V1 = Uint8Array.of(0);
const ED25519_FLAG = Uint8Array.of(0);
/** Intent scope TransactionData, version V0, app Sui. */
const TRANSACTION_INTENT = Uint8Array.of(0, 0, 0);
/** Domain of object ids derived from a transaction digest (`HashingIntentScope::RegularObjectId`). */
const OBJECT_ID_INTENT = Uint8Array.of(0xf1);

const afterKind = bcs.struct("TransactionDataV1AfterKind", {
  sender: bcs.Address,
  gasData: bcs.GasData,
  expiration: bcs.TransactionExpiration,
});

function blake2b256(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(blake2b(concatBytes(...parts), { dkLen: 32 }));
}

export interface GasTerms {
  readonly owner: string;
  /** Empty only for dry runs, where the node mocks the payment. */
  readonly payment: readonly ObjectRef[];
  readonly priceMist: bigint;
  readonly budgetMist: bigint;
}

/**
 * Wraps a transaction kind into `TransactionData::V1`. The kind is spliced in byte for byte, so that what was
 * inspected is what is signed.
 *
 * @param expirationEpoch last epoch in which the chain accepts the transaction.
 */
export function wrapKind(kindBytes: Uint8Array, sender: string, gas: GasTerms, expirationEpoch: bigint): Uint8Array {
  const tail = afterKind
    .serialize({
      sender,
      gasData: {
        payment: gas.payment.map(({ objectId, version, digest }) => ({ objectId, version, digest })),
        owner: gas.owner,
        price: gas.priceMist,
        budget: gas.budgetMist,
      },
      expiration: { Epoch: expirationEpoch.toString() },
    })
    .toBytes();
  return concatBytes(TRANSACTION_DATA_V1, kindBytes, tail);
}

/** Base58 of `blake2b256("TransactionData::" ‖ bytes)` (sui-types, `TransactionDigest`). */
export function transactionDigest(transactionBytes: Uint8Array): string {
  return toBase58(blake2b256(utf8("TransactionData::"), transactionBytes));
}

/** The id of the n-th object that a transaction creates: `blake2b256(0xf1 ‖ digest ‖ u64le(n))` (`TxContext`). */
export function createdObjectId(digest: string, index: bigint): string {
  return `0x${toHex(blake2b256(OBJECT_ID_INTENT, bcs.ObjectDigest.serialize(digest).toBytes().slice(1), bcs.u64().serialize(index).toBytes()))}`;
}

/** `blake2b256(flag ‖ public key)` of an Ed25519 key, as `0x` and 64 hex digits. */
export function suiAddress(publicKey: Uint8Array): string {
  return `0x${toHex(blake2b256(ED25519_FLAG, publicKey))}`;
}

/** What a signature of a transaction signs: `blake2b256(intent ‖ bytes)` under the TransactionData intent. */
export function signingDigest(transactionBytes: Uint8Array): Uint8Array {
  return blake2b256(TRANSACTION_INTENT, transactionBytes);
}

/**
 * Signs under the TransactionData intent.
 *
 * @returns Base64 of `flag ‖ signature(64) ‖ public key(32)`, the chain's serialized signature.
 */
export async function signTransaction(signer: Signer, transactionBytes: Uint8Array): Promise<string> {
  const signature = await signer.sign(signingDigest(transactionBytes));
  return toBase64(concatBytes(ED25519_FLAG, signature, signer.publicKey));
}
