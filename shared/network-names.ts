/** The chains of the service. */
export const chains = ["sui", "aptos"] as const;
/** A chain of the service. */
export type Chain = (typeof chains)[number];

/** The networks of Sui. */
export const suiNetworks = ["SUI_MAINNET", "SUI_TESTNET", "SUI_DEVNET", "SUI_LOCALNET"] as const;
/** The networks of Aptos. */
export const aptosNetworks = ["APTOS_MAINNET", "APTOS_TESTNET", "APTOS_DEVNET", "APTOS_LOCALNET"] as const;
/** The networks of both chains. */
export const networks = [...suiNetworks, ...aptosNetworks] as const;

/** A network of Sui. */
export type SuiNetwork = (typeof suiNetworks)[number];
/** A network of Aptos. */
export type AptosNetwork = (typeof aptosNetworks)[number];
/** A network of either chain. */
export type Network = (typeof networks)[number];

/** Returns the chain of a network. */
export function chainOf(network: Network): Chain {
  return network.startsWith("SUI_") ? "sui" : "aptos";
}

/** Returns the chain and network part of an access key's prefix: `SUI_TESTNET` → `sui_testnet`. */
export function networkSlug(network: Network): string {
  return network.toLowerCase();
}

/** Returns true for a network of Aptos. */
export function isAptosNetwork(network: Network): network is AptosNetwork {
  return chainOf(network) === "aptos";
}

/** Returns true for a network of Sui. */
export function isSuiNetwork(network: Network): network is SuiNetwork {
  return chainOf(network) === "sui";
}
