/** Gas of a transaction, as its effects state it. All amounts are MIST. */
export interface GasUsed {
  readonly computationCostMist: bigint;
  readonly storageCostMist: bigint;
  readonly storageRebateMist: bigint;
  readonly nonRefundableStorageFeeMist: bigint;
}

/** The owner of an object (sui-types, `Owner`). Addresses and ids are `0x` and 64 hex digits. */
export type SuiOwner =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "object"; readonly objectId: string }
  | { readonly kind: "shared"; readonly initialSharedVersion: bigint }
  /** Owned by an address (a party), and sequenced by consensus. */
  | { readonly kind: "consensus"; readonly address: string; readonly startVersion: bigint }
  | { readonly kind: "immutable" };

/** An object at one version. */
export interface ObjectState {
  readonly version: bigint;
  /** Base58. */
  readonly digest: string;
  /** Null if the node names no known kind of owner. */
  readonly owner: SuiOwner | null;
}

/** An object that a transaction changed (sui-types, `EffectsObjectChange`). */
export interface ChangedObject {
  readonly objectId: string;
  /** Null if the node does not name it. */
  readonly objectType: string | null;
  /** The change of the object's id. Wrapping and unwrapping leave it unchanged, `none`. */
  readonly operation: "none" | "created" | "deleted";
  /** The state before the transaction. Null if the object did not exist, or was wrapped. */
  readonly input: ObjectState | null;
  /** The state after the transaction. Null if the object is deleted or wrapped. */
  readonly output: ObjectState | null;
}

/** An event that a transaction emitted. */
export interface SuiEvent {
  readonly packageId: string;
  readonly module: string;
  readonly sender: string;
  readonly eventType: string;
  /** BCS. */
  readonly contents: Uint8Array;
  /** The node's rendering of `contents`. Null if it renders none. */
  readonly json: unknown;
}

/** The change of an address' balance in one coin type by a transaction, gas included. */
export interface BalanceChange {
  readonly address: string;
  readonly coinType: string;
  /** The amount in the coin type's smallest unit. Negative if the address paid. */
  readonly amount: bigint;
}

/** The place of an abort of Move code, and its code. */
export interface MoveAbort {
  readonly package: string;
  readonly module: string;
  /** Null if the node does not name it. */
  readonly function: string | null;
  readonly abortCode: bigint;
  /** Index of the command, from 0. Null if the node does not name it. */
  readonly command: number | null;
  /** The name of the constant with this code. Absent if the chain does not show it. */
  readonly constant?: string;
}

/** A transaction that the chain has executed, with success or failure. Gas is charged in both cases. */
export interface SuiExecution {
  /** Base58. */
  readonly digest: string;
  readonly success: boolean;
  /** Null on success. Otherwise the failure in the text of a full node's JSON-RPC. */
  readonly error: string | null;
  /** Null if no Move code aborted. */
  readonly abort: MoveAbort | null;
  readonly epoch: bigint;
  readonly gasUsed: GasUsed;
  /** Null if an address balance paid instead of a gas coin. */
  readonly gasObjectId: string | null;
  /** The version that the transaction gave to each object that it wrote. */
  readonly lamportVersion: bigint;
  /** Base58 digests of the transactions that wrote its inputs. */
  readonly dependencies: readonly string[];
  /** Null if it emitted no event. */
  readonly eventsDigest: string | null;
  readonly changedObjects: readonly ChangedObject[];
  readonly events: readonly SuiEvent[];
  readonly balanceChanges: readonly BalanceChange[];
  /** The checkpoint that holds it. Null if none holds it yet. */
  readonly checkpoint: bigint | null;
  /** Time of that checkpoint by the chain's clock. Null if the node does not name it. */
  readonly timestampMs: number | null;
  /** The host of the node that shows it. Absent if it was kept from an earlier answer. */
  readonly endpoint?: string;
}
