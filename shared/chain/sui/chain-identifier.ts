import type { SuiNetwork } from "../../networks.ts";

/** The base58 digest of a chain's first checkpoint (sui-types, `digests.rs`). The other networks' change with each reset. */
const CHAIN_IDENTIFIERS = {
  SUI_MAINNET: "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S",
  SUI_TESTNET: "69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD",
} as const;

/** Of networks whose own identifier nobody knows, it is only said whether it is another one's. */
export function isIdentifierOf(chainIdentifier: string, network: SuiNetwork): boolean {
  return network === "SUI_MAINNET" || network === "SUI_TESTNET"
    ? chainIdentifier === CHAIN_IDENTIFIERS[network]
    : !Object.values<string>(CHAIN_IDENTIFIERS).includes(chainIdentifier);
}
