import type { Chain } from "../networks.ts";
import { aptosAddress } from "./aptos/transaction.ts";
import { suiAddress } from "./sui/transaction.ts";

/**
 * Derives the address of an Ed25519 public key (32 bytes), as `0x` and 64 hex digits. Aptos takes the legacy scheme: an
 * account's address is its first authentication key.
 */
export function addressOf(chain: Chain, publicKey: Uint8Array): string {
  return chain === "sui" ? suiAddress(publicKey) : aptosAddress(publicKey);
}
