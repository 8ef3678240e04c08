import type { AptosNetwork } from "../../networks.ts";

/** Chain ids that the chain fixes (aptos-core, `types/src/chain_id.rs`). Devnet's changes with each reset. */
const CHAIN_IDS = { APTOS_MAINNET: 1, APTOS_TESTNET: 2, APTOS_LOCALNET: 4 } as const;

/** Returns the chain id of a network. Null for devnet, whose id only its nodes know. */
export function fixedChainId(network: AptosNetwork): number | null {
  return network === "APTOS_DEVNET" ? null : CHAIN_IDS[network];
}

/**
 * Returns true if a chain id can belong to this network. Devnet's own id is unknown, so any id except another network's
 * can be it.
 */
export function matchesNetwork(chainId: number, network: AptosNetwork): boolean {
  return network === "APTOS_DEVNET"
    ? !Object.values<number>(CHAIN_IDS).includes(chainId)
    : chainId === CHAIN_IDS[network];
}
