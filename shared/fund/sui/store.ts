// Sui only (coinStates, treasuryPurposes): coins have states, and several kinds of treasury transactions move them.

import type { ObjectRef } from "../../chain/sui/coins.ts";
import type { Trace } from "../explain/trace.ts";
import type { FundBooks } from "../ledger/books.ts";
import type { SponsorshipState, TreasuryState, UNRESOLVABLE } from "../views.ts";

/**
 * The states of a coin. `free`: it may be reserved. `held`: it pays for a live sponsorship. `spending`: it pays for a
 * treasury transaction. `quarantined`: it is not reserved, because a signature over this version may still execute.
 * `recycling`: it is quarantined, and a treasury transaction is moving it to a higher version. `gone`: it is no longer
 * on chain.
 */
export const coinStates = ["free", "held", "spending", "quarantined", "recycling", "gone"] as const;
/** The state of one coin. */
export type CoinState = (typeof coinStates)[number];

/** A coin object of the fund at the version that effects or a listing showed last. */
export interface FundCoin {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
  readonly state: CoinState;
  /** Digest of the transaction that holds the coin. Null exactly while it is `free` or `gone`. */
  readonly heldByDigest: string | null;
  /**
   * A maintenance coin never pays for a sponsorship. It pays for treasury transactions when every other coin is held.
   */
  readonly maintenance: boolean;
}

/** A coin that the fund owns through consensus. It is no money of the fund until it is taken in. */
export interface PartyCoin {
  readonly objectId: string;
  /** The version at which consensus took it over. A transaction names it by this instead of its version. */
  readonly startVersion: bigint;
  readonly balanceMist: bigint;
  /** Count of the failed transactions that were to take it in. */
  readonly tries: number;
  /** Digest of the treasury transaction under way that takes it in. Null while it waits. */
  readonly heldByDigest: string | null;
}

/**
 * A transaction that the fund may have signed. It is kept until the chain shows it, or shows that it can never execute.
 */
interface Journaled {
  readonly digest: string;
  /** Empty once the transaction is over and no Idempotency-Key refers to it. */
  readonly transactionBytes: Uint8Array;
  /**
   * The first payment coin. The others are merged into it, and it carries the charge. Null if the address balance pays.
   */
  readonly gasObjectId: string | null;
  readonly gasBudgetAtoms: bigint;
  /** Last epoch in which the chain accepts the bytes. */
  readonly expirationEpoch: bigint;
  /**
   * The chain's checkpoint when the row was made. Only later checkpoints can hold the transaction. Null for a row of a
   * build that did not keep it.
   */
  readonly sinceCheckpoint: bigint | null;
  readonly createdAtMs: number;
}

/**
 * One state of a Sui sponsorship. `unresolvable`: its last epoch is over, and no endpoint shows whether it was executed.
 * The cost of an `unresolvable` row is part of a correction.
 */
export type SuiSponsorshipState = SponsorshipState | typeof UNRESOLVABLE;

/** A transaction of a user that the fund pays for, from its reservation to its end. */
export interface SuiSponsorship extends Journaled {
  readonly state: SuiSponsorshipState;
  readonly sender: string;
  readonly keyId: string;
  /** The time from which a signature of the fund may exist. Null while `prepared`. */
  readonly signedAtMs: number | null;
  readonly expiresAtMs: number;
  /** The operator's own fee, MIST. It is withheld with the budget, and earned when the transaction completes. */
  readonly feeAtoms: bigint;
  /** The chain's charge with the rebate deducted, MIST. Null until the chain shows the digest. */
  readonly chargedAtoms: bigint | null;
  /** The storage rebate within `chargedAtoms`, MIST. Null until the chain shows the digest. */
  readonly rebateAtoms: bigint | null;
  /** The storage cost above which its sender is stopped, MIST. Null if there is no limit. */
  readonly maxStorageMist: bigint | null;
  /**
   * Its share of the gas of the treasury transaction that made its signature worthless, MIST. Null if no such
   * transaction closed it.
   */
  readonly maintenanceAtoms: bigint | null;
  /**
   * True after its fee and its place in flight were given back, because it has expired and costs no gas. It may still
   * execute until its last epoch is over.
   */
  readonly isReleased: boolean;
  /** Explains the row to operators. No decision depends on it. Absent for a row of an earlier build. */
  readonly trace?: Trace | undefined;
}

/** The fields of a sponsorship by which a look-up that does not find it decides. */
export type SuiLife = Pick<
  SuiSponsorship,
  | "state"
  | "gasObjectId"
  | "gasBudgetAtoms"
  | "expirationEpoch"
  | "sinceCheckpoint"
  | "createdAtMs"
  | "signedAtMs"
  | "expiresAtMs"
>;

/**
 * The purposes of treasury transactions. Only `withdraw` lets money leave the fund on purpose. `recover` moves coins to
 * new versions, so that no forgotten signature over them can execute.
 */
export const treasuryPurposes = [
  "split",
  "maintenance",
  "recycle",
  "convert",
  "take_in",
  "withdraw",
  "recover",
] as const;
/** The purpose of one treasury transaction. */
export type TreasuryPurpose = (typeof treasuryPurposes)[number];

/**
 * A transaction that the fund makes by itself. A success moves the amounts of this row. A failure only costs gas. In
 * both cases its inputs get a higher version.
 */
export interface SuiTreasuryTransaction extends Journaled {
  readonly state: TreasuryState;
  readonly purpose: TreasuryPurpose;
  /** Count of the sends without an answer. It sets the time of the next send. */
  readonly unansweredSends: number;
  /** Coins that it passes on unchanged, so that no signature over these versions can execute any more. */
  readonly bumpedCoins: readonly Pick<ObjectRef, "objectId" | "version">[];
  /** Amounts of the coins that it creates for the fund, in order of their creation. */
  readonly createdMist: readonly bigint[];
  /** The amount that it moves out of the address balance, beside gas. Negative if it moves money in. */
  readonly fromAddressBalanceMist: bigint;
  /** True if all of its payment, less the gas, ends in the address balance. */
  readonly paysToAddressBalance: boolean;
  /** The amount that goes to another address. */
  readonly paidOutMist: bigint;
  /** The part of `paidOutMist` that is collected fees. */
  readonly collectedFeesMist: bigint;
}

/**
 * The storage that the fund's transitions need, and nothing more. It is synchronous, so that a transition is one step
 * that nothing can interleave. The caller wraps the step in a transaction.
 */
export interface SuiFundStore extends FundBooks {
  coin(objectId: string): FundCoin | null;
  /** The coins with these ids, by id. A coin that is not booked is left out. */
  coinsOf(objectIds: readonly string[]): ReadonlyMap<string, FundCoin>;
  /** Coins held, spent, quarantined or recycled under a digest. */
  coinsHeldBy(digest: string): readonly FundCoin[];
  /** The free pool coin with the smallest balance in `[atLeastMist, atMostMist]`. */
  smallestFree(atLeastMist: bigint, atMostMist: bigint): FundCoin | null;
  /** Free pool coins of at most `atMostMist`, largest first. */
  largestFree(atMostMist: bigint, limit: number): readonly FundCoin[];
  /** Free pool coins below `belowMist`, smallest first. */
  dust(belowMist: bigint, limit: number): readonly FundCoin[];
  /** Free pool coins in `[atLeastMist, belowMist)`, counted no further than `limit`. */
  countFree(atLeastMist: bigint, belowMist: bigint, limit: number): number;
  /** Coins in a state that belong to sponsorships, counted no further than `limit`. */
  countTaken(state: "held" | "quarantined", limit: number): number;
  /** The few maintenance coins, in any state. */
  maintenanceCoins(): readonly FundCoin[];
  putCoin(coin: FundCoin): void;
  /**
   * Marks the free coins of a new sponsorship as held. The same commit adds its row, which names the first of them.
   *
   * @throws if one of them is not free.
   */
  lendCoins(coins: readonly FundCoin[], digest: string): void;
  /** Forgets a coin, so that a listing may find it anew. */
  dropCoin(objectId: string): void;

  partyCoin(objectId: string): PartyCoin | null;
  /** Party coins that a treasury transaction under way takes in. */
  partyCoinsHeldBy(digest: string): readonly PartyCoin[];
  /** Party coins that no transaction takes in yet. The least tried come first, and the largest of those first. */
  waitingPartyCoins(limit: number): readonly PartyCoin[];
  /** The sum of all party coins. */
  partyMist(): bigint;
  putPartyCoin(coin: PartyCoin): void;
  dropPartyCoin(objectId: string): void;

  sponsorship(digest: string): SuiSponsorship | null;
  /** Reads a part of a sponsorship, which costs less than the whole. */
  life(digest: string): SuiLife | null;
  putSponsorship(sponsorship: SuiSponsorship): void;
  /** Writes a new sponsorship. It may replace a dead one. @throws if another one has its digest. */
  addSponsorship(sponsorship: SuiSponsorship): void;
  /** Expired sponsorships whose gas coin is quarantined and not being recycled, the earliest expiry first. */
  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[];
  /**
   * Expired sponsorships of one access key that the network executes without gas, counted no further than `limit`. They
   * count in no other limit, and their signatures may still execute.
   */
  countReleased(keyId: string, limit: number): number;
  /** Digests of the live sponsorships of one access key, oldest first. A null key stands for all keys. */
  liveIds(keyId: string | null): readonly string[];

  treasuryTransaction(digest: string): SuiTreasuryTransaction | null;
  pendingTreasury(): readonly SuiTreasuryTransaction[];
  putTreasuryTransaction(transaction: SuiTreasuryTransaction): void;

  /** The outcome of the latest conversions into the form that pays. */
  conversions(): Conversions;
  putConversions(conversions: Conversions): void;

  /** Returns a number below 2^32 that this fund has never returned before. */
  takeNonce(): number;
}

/**
 * A fund's record of its conversions into the form that pays. It shows an operator why a fund that has money pays for
 * nothing. It is on disk, because an instance may live for seconds only.
 */
export interface Conversions {
  /** Failures in a row, counted up to `FAILED_BEFORE_TOLD`. 0 if the last conversion succeeded. */
  readonly failures: number;
  /** The time of the first of these failures. Null if none failed. */
  readonly failingSinceMs: number | null;
  /** The cause of the last failure. Null if the last conversion succeeded. */
  readonly cause: string | null;
  /** The cause that was reported last. Null if none was reported since the last success. */
  readonly toldCause: string | null;
  /** The time of the last report. Null if none was made. */
  readonly toldAtMs: number | null;
}
