import { timingSafeEqual } from "node:crypto";
import { concatBytes, lengthPrefixed, utf8 } from "../../bytes.ts";
import { hmacSha256 } from "../../crypto/hkdf.ts";
import type { Chain } from "../../networks.ts";

/** Facts about a user's wallet, as the service reported them. None of them ever changes back. */
export interface KnownWallet {
  readonly address: string;
  /** True once its account exists on chain. Only Aptos addresses need one. */
  readonly isOnChain: boolean;
}

/** The wallet, and the service that reported on it. With another access key or FLOWS_SECRET nothing is known. */
export interface KnownBy {
  /** FLOWS_SECRET, 32 bytes. */
  readonly flowsSecret: Uint8Array;
  readonly chain: Chain;
  readonly walletId: string;
  readonly accessKey: string;
  /** Null for the service in this deployment. */
  readonly baseUrl: string | null;
}

/** A known wallet with its proof. Each reading checks the proof, so that an altered store shows no other address. */
export interface ProvenWallet extends KnownWallet {
  /** HMAC-SHA-256(FLOWS_SECRET, "gasworks/flows/wallet/v1" ‖ LP of chain, wallet id, access key, base URL, address, isOnChain). */
  readonly proof: Uint8Array;
}

function proofOf({ address, isOnChain }: KnownWallet, by: KnownBy): Uint8Array {
  const { flowsSecret, chain, walletId, accessKey, baseUrl } = by;
  const about = [chain, walletId, accessKey, baseUrl ?? "", address, String(isOnChain)];
  return hmacSha256(flowsSecret, concatBytes(utf8("gasworks/flows/wallet/v1"), ...about.map(lengthPrefixed)));
}

/** Adds the proof to a wallet. */
export function proven(wallet: KnownWallet, by: KnownBy): ProvenWallet {
  return { ...wallet, proof: proofOf(wallet, by) };
}

/** Checks in constant time that this app recorded these facts for this wallet. */
export function isProven(wallet: ProvenWallet, by: KnownBy): boolean {
  const proof = proofOf(wallet, by);
  return wallet.proof.length === proof.length && timingSafeEqual(wallet.proof, proof);
}
