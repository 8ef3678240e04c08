import { bcs } from "@mysten/sui/bcs";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromHex, toHex } from "@mysten/sui/utils";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, startsWith } from "./bytes.ts";

/**
 * The parts of Aptos that a page needs to sign with its own key. An Ed25519 key serves both chains. An app that does
 * more takes `@aptos-labs/ts-sdk`.
 */

/** The demo module of the development chain. Put your own module here, and into functions/policy.ts. */
const ACCOUNT = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** An entry function's call as nodes write it. */
export interface Payload {
  readonly function: string;
  readonly arguments: readonly string[];
}

/** Returns the call that mints a badge. */
export function mintPayload(name: string, to: string): Payload {
  return { function: `${ACCOUNT}::demo::mint`, arguments: [name, to] };
}

/** Returns a call that no rule of the policy allows. */
export function refusedPayload(to: string): Payload {
  return { function: "0x1::aptos_account::transfer", arguments: [to, "1"] };
}

/** Returns the address of an Ed25519 key: SHA3-256 over the key and its scheme. */
export function aptosAddress(keypair: Ed25519Keypair): string {
  return `0x${toHex(sha3_256(concat(keypair.getPublicKey().toRawBytes(), Uint8Array.of(0))))}`;
}

/** Returns the address of a badge. A named object's address follows from its creator and its name. */
export function badgeAddress(creator: string, name: string): string {
  return `0x${toHex(sha3_256(concat(fromHex(creator), utf8(name), Uint8Array.of(0xfe))))}`;
}

const entryFunction = bcs.struct("TransactionPayloadEntryFunction", {
  variant: bcs.u8(),
  account: bcs.bytes(32),
  module: bcs.string(),
  function: bcs.string(),
  typeArguments: bcs.vector(bcs.u8()),
  arguments: bcs.vector(bcs.byteVector()),
});

function mintBytes(name: string, to: string): Uint8Array {
  return entryFunction
    .serialize({
      variant: 2,
      account: fromHex(ACCOUNT),
      module: "demo",
      function: "mint",
      typeArguments: [],
      arguments: [bcs.string().serialize(name).toBytes(), fromHex(to)],
    })
    .toBytes();
}

const SEQUENCE_NUMBER_BYTES = 8;
const ADDRESS_BYTES = 32;
const SALT = sha3_256(utf8("APTOS::RawTransactionWithData"));
/**
 * The bytes of `MultiAgentWithFeePayer`. After the transaction come no other signers, and a fee payer who is named
 * later (AIP-53).
 */
const WITH_FEE_PAYER = Uint8Array.of(1);
const NO_SIGNERS_ANY_PAYER = new Uint8Array(1 + ADDRESS_BYTES);
/** The bytes of `AccountAuthenticator::Ed25519`, and the lengths of key and signature. */
const ED25519 = Uint8Array.of(0, 32);
const SIGNATURE_LENGTH = Uint8Array.of(64);

/**
 * Signs a sponsored mint with the user's own key.
 *
 * @returns the BCS of the account's authenticator, as hex. Null if it is not the requested transaction.
 */
export async function signMint(raw: string, name: string, keypair: Ed25519Keypair): Promise<string | null> {
  const bytes = fromHex(raw);
  const me = aptosAddress(keypair);
  const call = bytes.slice(ADDRESS_BYTES + SEQUENCE_NUMBER_BYTES);
  if (!startsWith(bytes, fromHex(me)) || !startsWith(call, mintBytes(name, me))) return null;
  const signature = await keypair.sign(concat(SALT, WITH_FEE_PAYER, bytes, NO_SIGNERS_ANY_PAYER));
  const publicKey = keypair.getPublicKey().toRawBytes();
  return `0x${toHex(concat(ED25519, publicKey, SIGNATURE_LENGTH, signature))}`;
}
