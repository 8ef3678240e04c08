/** The network that the app means, and how its transactions name it. */

/** A network of either chain. */
export type NetworkName = "mainnet" | "testnet" | "devnet" | "localnet";

/** A transaction that the user has signed. */
export interface SignedTransaction {
  /** BCS of the `TransactionData`, or of the `RawTransaction`. */
  readonly bytes: Uint8Array;
  /** Names it, to distinguish it from earlier ones: the digest on Sui. On Aptos the name is not the chain's hash. */
  readonly id: string;
  /** The last moment at which the chain executes it: an epoch on Sui, seconds since 1970 on Aptos. */
  readonly until: bigint;
}

/** Answers from a node of the app. */
export interface ChainView {
  /** Returns true if the chain can never execute the transaction any more. An error, or no answer, counts as false. */
  readonly isOver?: (signed: SignedTransaction) => boolean | Promise<boolean>;
}

/** The network of Sui that the app means. */
export interface SuiTarget extends ChainView {
  readonly network: NetworkName;
  /** Base58 of the digest of the first checkpoint, for networks other than mainnet and testnet. */
  readonly chainIdentifier?: string;
}

/** The network of Aptos that the app means. */
export interface AptosTarget extends ChainView {
  readonly network: NetworkName;
  /** The chain's id, for devnet, where it changes with each reset. */
  readonly chainId?: number;
}

/**
 * The network in the form that a check needs: the service's name of it, and a test of the chain that a transaction
 * names.
 */
export interface ExpectedNetwork<ChainId> {
  /** `SUI_TESTNET` and so on. */
  readonly network: string;
  readonly isChain: (id: ChainId) => boolean;
}

/** Base58 digests of the first checkpoint (sui-types, `digests.rs`). */
const SUI_IDENTIFIERS: Partial<Record<NetworkName, string>> = {
  mainnet: "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S",
  testnet: "69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD",
};
/** The chain ids of aptos-core, `types/src/chain_id.rs`. */
const APTOS_IDS: Partial<Record<NetworkName, number>> = { mainnet: 1, testnet: 2, localnet: 4 };

/** Returns the network of Sui that a transaction must be for. */
export function suiNetwork({ network, chainIdentifier }: SuiTarget): ExpectedNetwork<string> {
  return expected(`SUI_${network.toUpperCase()}`, SUI_IDENTIFIERS, SUI_IDENTIFIERS[network] ?? chainIdentifier);
}

/** Returns the network of Aptos that a transaction must be for. */
export function aptosNetwork({ network, chainId }: AptosTarget): ExpectedNetwork<number> {
  return expected(`APTOS_${network.toUpperCase()}`, APTOS_IDS, APTOS_IDS[network] ?? chainId);
}

/** If the chain's own id is not known, refuses the ids of other networks. */
function expected<ChainId extends string | number>(
  network: string,
  fixed: Partial<Record<NetworkName, ChainId>>,
  own: ChainId | undefined,
): ExpectedNetwork<ChainId> {
  const isChain = (id: ChainId) => (own === undefined ? !Object.values(fixed).includes(id) : id === own);
  return { network, isChain };
}

/** Compares the network that an answer names. Returns the difference as a text, or null if it is the app's network. */
export function networkFault(named: string | undefined, { network }: { readonly network: string }): string | null {
  return named === network ? null : `it is for the network ${named ?? "(not named)"}`;
}
