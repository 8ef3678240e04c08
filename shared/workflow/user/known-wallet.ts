import { timingSafeEqual } from "node:crypto";
import { concatBytes, lengthPrefixed, utf8 } from "../../bytes.ts";
import { hmacSha256 } from "../../crypto/hkdf.ts";
import type { Chain } from "../../networks.ts";

/** What has once been seen of a user's wallet. None of it ever changes back. */
export interface KnownWallet {
  readonly address: string;
  /** Whether its account is on chain, where addresses need one. */
  readonly isOnChain: boolean;
}

/** Whose wallet, and of which service: with another access key or FLOWS_SECRET nothing is known. */
export interface KnownBy {
  /** FLOWS_SECRET, 32 bytes. */
  readonly flowsSecret: Uint8Array;
  readonly chain: Chain;
  readonly walletId: string;
  readonly accessKey: string;
  /** Null: the service in this deployment. */
  readonly baseUrl: string | null;
}

/** A store that somebody has written to must not show another's address: the proof is checked whenever it is read. */
export interface ProvenWallet extends KnownWallet {
  /** HMAC-SHA-256(app secret, "gasworks/flows/wallet/v1" ‖ LP of everything that it is about). */
  readonly proof: Uint8Array;
}

function proofOf({ address, isOnChain }: KnownWallet, by: KnownBy): Uint8Array {
  const { flowsSecret, chain, walletId, accessKey, baseUrl } = by;
  const about = [chain, walletId, accessKey, baseUrl ?? "", address, String(isOnChain)];
  return hmacSha256(flowsSecret, concatBytes(utf8("gasworks/flows/wallet/v1"), ...about.map(lengthPrefixed)));
}

export function proven(wallet: KnownWallet, by: KnownBy): ProvenWallet {
  return { ...wallet, proof: proofOf(wallet, by) };
}

/** Whether the app itself has noted this, of this wallet. */
export function isProven(wallet: ProvenWallet, by: KnownBy): boolean {
  const proof = proofOf(wallet, by);
  return wallet.proof.length === proof.length && timingSafeEqual(wallet.proof, proof);
}
