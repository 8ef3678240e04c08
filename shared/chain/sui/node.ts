import type { Outcome } from "../../errors.ts";
import type { CallTime } from "../failover.ts";

/** What the chain says about itself. `fetchedAtMs` is our clock, the others are the chain's. */
export interface ChainFacts {
  /** Base58 genesis digest: another one means another chain, whatever the URL says. */
  readonly chainIdentifier: string;
  readonly epoch: bigint;
  readonly epochStartMs: number;
  readonly epochDurationMs: number;
  readonly referenceGasPriceMist: bigint;
  /** The endpoint had seen the chain up to here: what is signed later executes in a later checkpoint. */
  readonly checkpoint: bigint;
  /** Of that checkpoint. */
  readonly timestampMs: number;
  /** Host of the endpoint. */
  readonly endpoint: string;
  readonly fetchedAtMs: number;
}

export interface ObjectRef {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
}

/** A SUI coin at one version. */
export interface CoinVersion extends ObjectRef {
  readonly balanceMist: bigint;
}

/** A coin as an endpoint shows it now, with the digest of the transaction that wrote this version. */
export interface ObservedCoin extends CoinVersion {
  readonly owner: SuiOwner;
  readonly previousTransaction: string;
}

/** `null`: the endpoint does not know the object. `no_answer`: it could not say, which proves nothing. */
export type Observed = ObservedCoin | null | "no_answer";

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

/** How an address owns what is listed as its own. */
export type AddressOwner = Extract<SuiOwner, { readonly kind: "address" | "consensus" }>;

/** A coin that is listed as an address' own. Only one of kind `address` can pay for gas. */
export interface SuiCoin extends CoinVersion {
  readonly owner: AddressOwner;
}

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

/** Where Move code aborted, and with which code. */
export interface MoveAbort {
  readonly package: string;
  readonly module: string;
  /** Null: the node does not name it. */
  readonly function: string | null;
  readonly abortCode: bigint;
  /** Of the command, from 0; null: the node does not say which. */
  readonly command: number | null;
}

/** A transaction that the chain has executed, successfully or not: gas is charged either way. */
export interface SuiExecution {
  readonly digest: string;
  readonly success: boolean;
  /** Null on success; otherwise the failure as a full node's JSON-RPC words it. */
  readonly error: string | null;
  /** Null where no Move code aborted. */
  readonly abort: MoveAbort | null;
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

/** No gRPC code: the endpoint belongs to another chain. */
export const OTHER_CHAIN = "OTHER_CHAIN";

export type SubmitOutcome =
  | { readonly kind: "executed"; readonly execution: SuiExecution }
  /** The node answered that it did not execute it. */
  | { readonly kind: "refused"; readonly status: string; readonly text: string }
  /** No answer, or one that leaves it open. Only the digest can tell. */
  | { readonly kind: "unknown"; readonly text: string };

/** `null`: this endpoint does not know the digest. `no_answer`: it could not say, which proves nothing. */
export type Found = SuiExecution | null | "no_answer";

/**
 * How much of an execution is asked for. `charge`: what it cost, and the gas object alone of what it changed; nothing
 * that a sender can make large. `effects`: every changed object too. `full`: events and balance changes too.
 */
export type LookUpDetail = "charge" | "effects" | "full";

/**
 * What one reply shows, and how far its endpoint has seen. A node appends the headers that say so after the method has
 * run (`sui-rpc-api`, `response.rs`), so they tell what is not in the reply, and never what is. Each question is
 * therefore asked after a reply that tells the height; behind a load balancer another node may answer it, so its own
 * headers must be of the same chain and at least as high, or it is no answer.
 */
export interface Seen<T> {
  readonly value: T;
  /** Host of the endpoint. */
  readonly endpoint: string;
  /** Base58 genesis digest. */
  readonly chainIdentifier: string;
  /** All up to this checkpoint is in the reply, unless it is pruned. */
  readonly checkpoint: bigint;
  /** Of that checkpoint, by the chain's clock. */
  readonly timestampMs: number;
  /** Of that checkpoint. */
  readonly epoch: bigint;
  /** Nothing after this checkpoint is in the reply. */
  readonly newestCheckpoint: bigint;
  /** The endpoint still had every transaction from this checkpoint on. */
  readonly lowestAvailable: bigint;
}

/** What an address owns in SUI. */
export interface Balances {
  readonly coinBalanceMist: bigint;
  /** Null: the endpoint is too old to tell. */
  readonly addressBalanceMist: bigint | null;
  /** Of the digests that were asked for together with it, looked up on the same endpoint after it. */
  readonly findings: readonly Found[];
}

export type BalanceReading = Seen<Balances>;

export interface CoinPage {
  /** Of the endpoint that has listed it. It may hold a key, so no log names it. */
  readonly url: string;
  readonly coins: readonly SuiCoin[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Uint8Array | null;
}

/** Where the listing of each endpoint goes on. A token is worth something only at the endpoint that gave it. */
export interface PageTokens {
  /** The token of this endpoint's next page; null: its first page; undefined: it is not asked. */
  of(url: string): Uint8Array | null | undefined;
  /**
   * The endpoint did not give that page.
   *
   * @param isRefused it does not take the token.
   */
  failed(url: string, isRefused: boolean): void;
}

/** Something that an address owns, alone or through consensus. */
export interface OwnedObject {
  readonly objectId: string;
  /** As the node writes it. */
  readonly objectType: string;
  readonly owner: AddressOwner;
  /** Of a coin, in its type's smallest unit; null: it is no coin. */
  readonly balanceAtoms: bigint | null;
}

/** What an address holds of one coin type beside coin objects, in its smallest unit. */
export interface TypeBalance {
  readonly coinType: string;
  readonly addressBalanceAtoms: bigint;
}

/** In place of what a node says of one thing and cannot be read. */
export const UNREADABLE = "unreadable";

export interface ListPage<T> {
  readonly items: readonly (T | typeof UNREADABLE)[];
  /** Where the next page begins; null: this is the last one. */
  readonly next: Uint8Array | null;
}

export interface DryRun {
  readonly success: boolean;
  readonly error: string | null;
  readonly abort: MoveAbort | null;
  readonly gasUsed: GasUsed;
  /** Of everybody, gas included. Null: the node does not tell, or tells of more than can be passed on. */
  readonly balanceChanges: readonly BalanceChange[] | null;
}

/** Hard limits of a node's batch methods (`sui-rpc-api`: at most 50 objects or transactions a call). */
export const NODE_BATCH_LIMIT = 50;

/**
 * A Sui full node, over as many endpoints as are configured. Every method has a time-out; replies are checked
 * against these shapes before they are returned. An endpoint that lags is believed where no other is up to date, or about
 * what stays as it is. Refusals are `node_unavailable`, except where the type says more.
 */
export interface SuiNode {
  /** The same node for one call: whatever it is asked ends with the call's time, over all endpoints. */
  within(call: CallTime): SuiNode;
  /**
   * From an endpoint of the chain that is expected, that has reached this epoch and whose newest checkpoint is of this
   * minute; of others that lag, the newest one's. Of another chain only where every endpoint answers, and none of them
   * is of the expected one.
   *
   * @param besides a host that has been asked already: only others are.
   */
  chainFacts(atLeastEpoch: bigint, besides?: string): Promise<Outcome<ChainFacts>>;
  /** Executes without committing; the node mocks an empty gas payment. One upstream call. */
  dryRun(transactionBytes: Uint8Array): Promise<Outcome<DryRun>>;
  /** Resending the same bytes is safe: the chain remembers the digest. */
  submit(transactionBytes: Uint8Array, signatures: readonly string[], digest: string): Promise<SubmitOutcome>;
  /**
   * At most `NODE_BATCH_LIMIT` digests, in the order asked. All of them `no_answer`: an endpoint answers, and none could
   * tell of these; fewer at once may be told of.
   */
  lookUp(digests: readonly string[], detail: LookUpDetail): Promise<Outcome<Seen<readonly Found[]>>>;
  /** BCS of the `TransactionEffects` of a digest; null: the endpoint does not show it, or not in a form known here. */
  rawEffects(digest: string): Promise<Outcome<Uint8Array | null>>;
  /**
   * A page of the SUI coin objects of an address: those that it owns alone, and those that it owns as a party.
   *
   * @param tokens null: the first page of any endpoint.
   */
  coins(owner: string, tokens: PageTokens | null): Promise<Outcome<CoinPage>>;
  /**
   * A page of everything that an address owns, alone or as a party. What is frozen, shared or wrapped has no such owner.
   *
   * @param after where a page before it has ended; null: the first page. `bad_params`: no endpoint takes that place.
   */
  owned(owner: string, after: Uint8Array | null): Promise<Outcome<ListPage<OwnedObject>>>;
  /** A page of what an address holds of every coin type in its address balance. `after` and refusals as for `owned`. */
  typeBalances(owner: string, after: Uint8Array | null): Promise<Outcome<ListPage<TypeBalance>>>;
  /**
   * At most `NODE_BATCH_LIMIT` ids, in the order asked.
   *
   * @param besides a host that has been asked already: only others are.
   */
  observeCoins(objectIds: readonly string[], besides?: string): Promise<Outcome<Seen<readonly Observed[]>>>;
  /**
   * What an address holds in coins and in its address balance; then any number of digests, from the same endpoint.
   *
   * @param ownDigests those of which every changed object is wanted; their findings come last.
   * @param besides a host that has been asked already: only others are.
   */
  balances(
    owner: string,
    digests: readonly string[],
    ownDigests?: readonly string[],
    besides?: string,
  ): Promise<Outcome<BalanceReading>>;
  /** Whether the signature is valid for these bytes and this address, as far as that can be told without the chain. */
  judgeSignature(transactionBytes: Uint8Array, signature: string, address: string): Promise<Outcome<SignatureVerdict>>;
}

/**
 * What can be told of a sender's signature without the chain. `unjudged`: of a scheme that is not known here, or a valid
 * one by another key than the address is made of, which may be an alias of it (`address_aliases`, protocol 136).
 */
export type SignatureVerdict = "valid" | "invalid" | "unjudged";
