import type { AptosNetwork } from "../../networks.ts";

/** Chain ids that the chain fixes (aptos-core, `types/src/chain_id.rs`). Devnet's changes with each reset. */
const CHAIN_IDS = { APTOS_MAINNET: 1, APTOS_TESTNET: 2, APTOS_LOCALNET: 4 } as const;

/** Tells whether a chain id can be this network's. Devnet's own id is unknown: any id but another network's can be. */
export function matchesNetwork(chainId: number, network: AptosNetwork): boolean {
  return network === "APTOS_DEVNET"
    ? !Object.values<number>(CHAIN_IDS).includes(chainId)
    : chainId === CHAIN_IDS[network];
}
