import type { SuiNetwork } from "../../networks.ts";

/** Base58 digests of the first checkpoint (sui-types, `digests.rs`). The other networks' change with each reset. */
const CHAIN_IDENTIFIERS = {
  SUI_MAINNET: "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S",
  SUI_TESTNET: "69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD",
} as const;

/**
 * Returns true if a chain identifier can belong to this network. The identifiers of devnet and localnet are unknown, so
 * any identifier except another network's can be theirs.
 */
export function matchesNetwork(chainIdentifier: string, network: SuiNetwork): boolean {
  return network === "SUI_MAINNET" || network === "SUI_TESTNET"
    ? chainIdentifier === CHAIN_IDENTIFIERS[network]
    : !Object.values<string>(CHAIN_IDENTIFIERS).includes(chainIdentifier);
}
