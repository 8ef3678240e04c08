import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, fromHex, toBase64 } from "@mysten/sui/utils";
import { startsWith } from "./bytes.ts";

/** The demo package of the development chain. Put your own package here, and into functions/policy.ts. */
const PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

/** Returns the mint as base64 of a transaction kind, without gas. */
export function mintKind(name: string): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return kindOf(transaction);
}

/** Returns a transaction kind that no rule of the policy allows. */
export function refusedKind(): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
  return kindOf(transaction);
}

async function kindOf(transaction: Transaction): Promise<string> {
  return toBase64(await transaction.build({ onlyTransactionKind: true }));
}

/** `TransactionData::V1` begins with its variant, the kind and the sender. Gas and expiration follow. */
const V1 = Uint8Array.of(0);

/**
 * Signs a sponsored transaction with the user's own key.
 *
 * @returns the signature. Null if it is not the requested transaction.
 */
export async function signSponsored(txBytes: string, kind: string, keypair: Ed25519Keypair): Promise<string | null> {
  const bytes = fromBase64(txBytes);
  if (!startsWith(bytes, V1, fromBase64(kind), fromHex(keypair.toSuiAddress()))) return null;
  return (await keypair.signTransaction(bytes)).signature;
}
