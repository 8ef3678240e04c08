import type { Outcome } from "../../errors.ts";

/** What the chain says about itself. `fetchedAtMs` is our clock, the others are the chain's. */
export interface ChainFacts {
  /** Base58 genesis digest: another one means another chain, whatever the URL says. */
  readonly chainIdentifier: string;
  readonly epoch: bigint;
  readonly epochStartMs: number;
  readonly epochDurationMs: number;
  readonly referenceGasPriceMist: bigint;
  readonly fetchedAtMs: number;
}

export interface ObjectRef {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
}

export interface SuiCoin extends ObjectRef {
  readonly balanceMist: bigint;
}

/** A coin as an endpoint shows it now, with the digest of the transaction that wrote this version. */
export interface ObservedCoin extends SuiCoin {
  readonly previousTransaction: string;
}

/** Units as in the effects; all MIST. */
export interface GasUsed {
  readonly computationCostMist: bigint;
  readonly storageCostMist: bigint;
  readonly storageRebateMist: bigint;
  readonly nonRefundableStorageFeeMist: bigint;
}

export type SuiOwner =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "object"; readonly objectId: string }
  | { readonly kind: "shared"; readonly initialSharedVersion: bigint }
  /** Owned by an address, but sequenced by consensus. */
  | { readonly kind: "consensus"; readonly address: string; readonly startVersion: bigint }
  | { readonly kind: "immutable" };

export interface ObjectState {
  readonly version: bigint;
  readonly digest: string;
  readonly owner: SuiOwner | null;
}

export interface ChangedObject {
  readonly objectId: string;
  readonly objectType: string | null;
  readonly operation: "none" | "created" | "deleted";
  readonly input: ObjectState | null;
  readonly output: ObjectState | null;
}

export interface SuiEvent {
  readonly packageId: string;
  readonly module: string;
  readonly sender: string;
  readonly eventType: string;
  readonly contents: Uint8Array;
  readonly json: unknown;
}

export interface BalanceChange {
  readonly address: string;
  readonly coinType: string;
  readonly amount: bigint;
}

/** A transaction that the chain has executed, successfully or not: gas is charged either way. */
export interface SuiExecution {
  readonly digest: string;
  readonly success: boolean;
  /** Null on success; otherwise the node's description of the failure. */
  readonly error: string | null;
  readonly epoch: bigint;
  readonly gasUsed: GasUsed;
  readonly gasObjectId: string | null;
  readonly lamportVersion: bigint;
  readonly dependencies: readonly string[];
  readonly eventsDigest: string | null;
  readonly changedObjects: readonly ChangedObject[];
  readonly events: readonly SuiEvent[];
  readonly balanceChanges: readonly BalanceChange[];
  readonly checkpoint: bigint | null;
  readonly timestampMs: number | null;
}

export type SubmitOutcome =
  | { readonly kind: "executed"; readonly execution: SuiExecution }
  /** The node answered that it did not execute it. */
  | { readonly kind: "refused"; readonly status: string; readonly text: string }
  /** No answer, or one that leaves it open. Only the digest can tell. */
  | { readonly kind: "unknown"; readonly text: string };

/** `null`: this endpoint does not know the digest. `no_answer`: it could not say, which proves nothing. */
export type Found = SuiExecution | null | "no_answer";

/** `settlement` leaves out what a user can make large: events and balance changes come back empty. */
export type LookUpDetail = "settlement" | "full";

export interface LookUp {
  /** In the order asked. */
  readonly findings: readonly Found[];
  /** The endpoint's checkpoint time, read before the look-up: what it did not show had not happened by then. */
  readonly checkpointTimeMs: number;
}

/** What an address owns in SUI, as one endpoint shows it. */
export interface BalanceReading {
  readonly coinBalanceMist: bigint;
  readonly addressBalanceMist: bigint;
  /** The endpoint's checkpoint just before and just after the reading: it shows the chain as of one between them. */
  readonly fromCheckpoint: bigint;
  readonly toCheckpoint: bigint;
  readonly checkpointTimeMs: number;
  /** Of the digests that were asked for together with it, looked up on the same endpoint after it. */
  readonly findings: readonly Found[];
}

export interface DryRun {
  readonly success: boolean;
  readonly error: string | null;
  readonly gasUsed: GasUsed;
}

/** Hard limits of a node's batch methods (`sui-rpc-api`: at most 50 objects or transactions a call). */
export const NODE_BATCH_LIMIT = 50;

/**
 * A Sui full node, over as many endpoints as are configured. Every method has a time-out; replies are checked
 * against these shapes before they are returned. Refusals are `node_unavailable`, except where the type says more.
 */
export interface SuiNode {
  /** From an endpoint that has reached this epoch; others lag. */
  chainFacts(atLeastEpoch: bigint): Promise<Outcome<ChainFacts>>;
  /** Executes without committing; the node mocks an empty gas payment. One upstream call. */
  dryRun(transactionBytes: Uint8Array): Promise<Outcome<DryRun>>;
  /** Resending the same bytes is safe: the chain remembers the digest. */
  submit(transactionBytes: Uint8Array, signatures: readonly string[], digest: string): Promise<SubmitOutcome>;
  /** At most `NODE_BATCH_LIMIT` digests. */
  lookUp(digests: readonly string[], detail: LookUpDetail): Promise<Outcome<LookUp>>;
  /** Every SUI coin object of an address, all pages. */
  coins(owner: string): Promise<Outcome<readonly SuiCoin[]>>;
  /** At most `NODE_BATCH_LIMIT` ids, in the order asked; null: the endpoint does not know the object. */
  observeCoins(objectIds: readonly string[]): Promise<Outcome<readonly (ObservedCoin | null)[]>>;
  /** What an address holds in coins and in its address balance; then any number of digests, from the same endpoint. */
  balances(owner: string, digests: readonly string[]): Promise<Outcome<BalanceReading>>;
  /** True when the signature is valid for these bytes and this address; any scheme that the chain accepts. */
  verifySignature(transactionBytes: Uint8Array, signature: string, address: string): Promise<Outcome<boolean>>;
}
