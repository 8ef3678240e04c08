import type { SponsorshipState } from "./views.ts";

/**
 * `free`: may be lent. `held`: pays for a live sponsorship. `spending`: in a transaction of the fund's own.
 * `quarantined`: a signature over this version may still execute, so it is not lent. `gone`: no longer on chain.
 */
export const coinStates = ["free", "held", "spending", "quarantined", "gone"] as const;
export type CoinState = (typeof coinStates)[number];

/** A coin object of the fund at the version last seen in effects or in a listing. */
export interface FundCoin {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
  readonly state: CoinState;
  /** Digest of the transaction that holds it; null exactly while it is `free` or `gone`. */
  readonly holder: string | null;
}

/** A transaction that the fund may have signed: kept until the chain shows it, or shows that it can never execute. */
interface Journaled {
  readonly digest: string;
  readonly transactionBytes: Uint8Array;
  /** First payment coin: the others are merged into it, and it carries the charge. */
  readonly gasObjectId: string;
  /** Last epoch in which the chain accepts the bytes. */
  readonly expirationEpoch: bigint;
  readonly createdAtMs: number;
  /** How often the chain has been asked for the digest; chooses the next time. */
  readonly lookUps: number;
}

export interface Sponsorship extends Journaled {
  readonly state: SponsorshipState;
  readonly sender: string;
  readonly keyId: string;
  readonly gasBudgetMist: bigint;
  readonly expiresAtMs: number;
  /** What the chain charged, MIST; null until the chain shows the digest. */
  readonly chargedMist: bigint | null;
}

/** The fund splits one of its own coins into pool coins. */
export interface OwnTransaction extends Journaled {
  readonly state: "pending" | "complete" | "dead";
  /** Amounts of the coins that it creates, in order of their creation. */
  readonly splitMist: readonly bigint[];
}

/**
 * One change of the fund's money. Over all rows, `balanceMist` sums to the coins that are not `gone`, and
 * `inFlightMist` to the budgets of live sponsorships.
 */
export interface LedgerRow {
  readonly atMs: number;
  readonly kind: "deposit" | "reserve" | "release" | "charge" | "split" | "adjustment";
  /** The digest or object id that caused it. */
  readonly reference: string;
  readonly balanceMist: bigint;
  readonly inFlightMist: bigint;
}

export interface FundTotals {
  readonly balanceMist: bigint;
  readonly inFlightMist: bigint;
}

export type DueKind = "settle" | "own" | "scan";

/**
 * What the fund's transitions need of storage, and nothing more. Synchronous, so that a transition is one step that
 * nothing can interleave; the caller wraps it in a transaction. Totals are kept by the store from the ledger alone.
 */
export interface CoinStore {
  coin(objectId: string): FundCoin | null;
  /** Coins held, spent or quarantined under a digest. */
  coinsOf(holder: string): readonly FundCoin[];
  /** The free coin with the smallest balance in `[atLeastMist, atMostMist]`. */
  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null;
  /** Free coins of at most `atMostMist`, largest first. */
  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[];
  /** Free coins in `[atLeastMist, belowMist)`, counted no further than `limit`. */
  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number;
  putCoin(coin: FundCoin): void;

  sponsorship(digest: string): Sponsorship | null;
  putSponsorship(sponsorship: Sponsorship): void;
  ownTransaction(digest: string): OwnTransaction | null;
  pendingOwnTransactions(): readonly OwnTransaction[];
  putOwnTransaction(transaction: OwnTransaction): void;

  addLedger(row: LedgerRow): void;
  totals(): FundTotals;

  /** One due time per kind and reference; null: nothing is due any more. */
  setDue(kind: DueKind, reference: string, atMs: number | null): void;
}
