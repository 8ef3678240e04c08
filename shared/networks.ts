import * as z from "zod";

export const chains = ["sui", "aptos"] as const;
export type Chain = (typeof chains)[number];

export const suiNetworks = ["SUI_MAINNET", "SUI_TESTNET", "SUI_DEVNET", "SUI_LOCALNET"] as const;
export const aptosNetworks = ["APTOS_MAINNET", "APTOS_TESTNET", "APTOS_DEVNET", "APTOS_LOCALNET"] as const;
export const networks = [...suiNetworks, ...aptosNetworks] as const;

export type SuiNetwork = (typeof suiNetworks)[number];
export type AptosNetwork = (typeof aptosNetworks)[number];
export type Network = (typeof networks)[number];

export const suiNetworkSchema = z.enum(suiNetworks);
export const aptosNetworkSchema = z.enum(aptosNetworks);
export const networkSchema = z.enum(networks);

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
