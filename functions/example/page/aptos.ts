import { bcs } from "@mysten/sui/bcs";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromHex, toHex } from "@mysten/sui/utils";
import { sha3_256 } from "@noble/hashes/sha3.js";
import type { AptosJsonPayload } from "gasworks/flows";
import { concat } from "./bytes.ts";

/**
 * The parts of Aptos that a page needs to mint with its own key. An Ed25519 key serves both chains. An app that does
 * more takes `@aptos-labs/ts-sdk`.
 */

/** The demo module of the development chain. Put your own module here, and into functions/policy.ts. */
const ACCOUNT = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Returns the call that mints a badge. */
export function mintPayload(name: string, to: string): AptosJsonPayload {
  return { function: `${ACCOUNT}::demo::mint`, arguments: [name, to] };
}

/** Returns a call that no rule of the policy allows. */
export function refusedPayload(to: string): AptosJsonPayload {
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

/** Returns the mint as BCS. The page compares it with the transaction that it is asked to sign. */
export function encodedMint(name: string, to: string) {
  const bytes = entryFunction
    .serialize({
      variant: 2,
      account: fromHex(ACCOUNT),
      module: "demo",
      function: "mint",
      typeArguments: [],
      arguments: [bcs.string().serialize(name).toBytes(), fromHex(to)],
    })
    .toBytes();
  return { bcsToBytes: () => bytes };
}
