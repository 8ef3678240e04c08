// Sui only (coinStates, treasuryPurposes): coins have states, and several kinds of treasury transactions move them.

import type { ObjectRef } from "../../chain/sui/coins.ts";
import type { FundBooks } from "../ledger/books.ts";
import type { SponsorshipState, TreasuryState } from "../views.ts";

/**
 * `free`: may be lent. `held`: pays for a live sponsorship. `spending`: pays for a transaction of the fund's own.
 * `quarantined`: a signature over this version may still execute, so it is not lent. `recycling`: quarantined, and an
 * treasury transaction is under way that takes it to a higher version. `gone`: no longer on chain.
 */
export const coinStates = ["free", "held", "spending", "quarantined", "recycling", "gone"] as const;
export type CoinState = (typeof coinStates)[number];

/** A coin object of the fund at the version last seen in effects or in a listing. */
export interface FundCoin {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
  readonly state: CoinState;
  /** Digest of the transaction that holds it; null exactly while it is `free` or `gone`. */
  readonly heldByDigest: string | null;
  /** Never lent: it pays for the fund's treasury transactions, when everything else is held. */
  readonly maintenance: boolean;
}

/** A coin that the fund owns through consensus: no money of the fund until it is taken in. */
export interface PartyCoin {
  readonly objectId: string;
  /** When it came under consensus. A transaction names it by this instead of by its version. */
  readonly startVersion: bigint;
  readonly balanceMist: bigint;
  /** Transactions that were to take it in and did not. */
  readonly tries: number;
  /** Digest of the treasury transaction under way that takes it in; null: it waits. */
  readonly heldByDigest: string | null;
}

/** A transaction that the fund may have signed: kept until the chain shows it, or shows that it can never execute. */
interface Journaled {
  readonly digest: string;
  /** Empty once it is over, and no Idempotency-Key refers to it. */
  readonly transactionBytes: Uint8Array;
  /** First payment coin: the others are merged into it, and it carries the charge. Null: the address balance pays. */
  readonly gasObjectId: string | null;
  readonly gasBudgetAtoms: bigint;
  /** Last epoch in which the chain accepts the bytes. */
  readonly expirationEpoch: bigint;
  /** The chain had come so far when it was made: it can be in later checkpoints only. Null: made before that was kept. */
  readonly sinceCheckpoint: bigint | null;
  readonly createdAtMs: number;
}

export interface SuiSponsorship extends Journaled {
  readonly state: SponsorshipState;
  readonly sender: string;
  readonly keyId: string;
  /** When a signature of ours may first have existed; null while `prepared`. */
  readonly signedAtMs: number | null;
  readonly expiresAtMs: number;
  /** The operator's own fee: withheld with the budget, earned when the transaction completes. */
  readonly feeAtoms: bigint;
  /** What the chain charged, rebate deducted, MIST; null until the chain shows the digest. */
  readonly chargedAtoms: bigint | null;
  /** Storage rebate within `chargedMist`; null until the chain shows the digest. */
  readonly rebateAtoms: bigint | null;
  /** What it may store before its sender is stopped, MIST; null: nobody has limited that. */
  readonly maxStorageMist: bigint | null;
  /** Its share of the treasury transaction that made its signature worthless; null where none did. */
  readonly maintenanceAtoms: bigint | null;
}

/** What a transaction of the fund's own is for. `withdraw` alone lets money leave the fund on purpose. */
export const treasuryPurposes = ["split", "maintenance", "recycle", "convert", "take_in", "withdraw"] as const;
export type TreasuryPurpose = (typeof treasuryPurposes)[number];

/**
 * A transaction that the fund makes by itself. Executed with success, it moves what it says here; executed with a
 * failure, it only costs gas. Either way its inputs come out at a higher version.
 */
export interface SuiTreasuryTransaction extends Journaled {
  readonly state: TreasuryState;
  readonly purpose: TreasuryPurpose;
  /** How often it has been sent without an answer; chooses the next time. */
  readonly unansweredSends: number;
  /** Coins that it takes along unchanged, so that nothing signed over these versions can execute any more. */
  readonly bumpedCoins: readonly Pick<ObjectRef, "objectId" | "version">[];
  /** Amounts of the coins that it creates for the fund, in order of their creation. */
  readonly createdMist: readonly bigint[];
  /** What it moves out of the address balance, beside gas; negative: into it. */
  readonly fromAddressBalanceMist: bigint;
  /** All of its payment, less the gas, ends in the address balance. */
  readonly paysToAddressBalance: boolean;
  /** To somebody else. */
  readonly paidOutMist: bigint;
  /** The part of `paidOutMist` that is collected fees. */
  readonly collectedFeesMist: bigint;
}

/**
 * What the fund's transitions need of storage, and nothing more. Synchronous, so that a transition is one step that
 * nothing can interleave; the caller wraps it in a transaction.
 */
export interface SuiFundStore extends FundBooks {
  coin(objectId: string): FundCoin | null;
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
  /** The few coins set aside for treasury transactions, whatever their state. */
  maintenanceCoins(): readonly FundCoin[];
  putCoin(coin: FundCoin): void;
  /** Forgets a coin, so that a listing may find it anew. */
  dropCoin(objectId: string): void;

  partyCoin(objectId: string): PartyCoin | null;
  /** What a treasury transaction under way takes in. */
  partyCoinsHeldBy(digest: string): readonly PartyCoin[];
  /** Those that nobody takes in yet: the ones that were tried least first, the largest of them first. */
  waitingPartyCoins(limit: number): readonly PartyCoin[];
  /** What all of them hold. */
  partyMist(): bigint;
  putPartyCoin(coin: PartyCoin): void;
  dropPartyCoin(objectId: string): void;

  sponsorship(digest: string): SuiSponsorship | null;
  putSponsorship(sponsorship: SuiSponsorship): void;
  /** Expired sponsorships whose gas coin is quarantined and not being recycled, those first that expired first. */
  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[];
  /** Digests of the live sponsorships of one access key (null: of all), oldest first. */
  liveIds(keyId: string | null): readonly string[];

  treasuryTransaction(digest: string): SuiTreasuryTransaction | null;
  pendingTreasury(): readonly SuiTreasuryTransaction[];
  putTreasuryTransaction(transaction: SuiTreasuryTransaction): void;

  /** What has become of conversions into the form that pays. */
  conversions(): Conversions;
  putConversions(conversions: Conversions): void;

  /** A number that was never returned before by this fund, below 2^32. */
  takeNonce(): number;
}

/**
 * What a fund remembers of conversions into the form that pays, so that whoever looks at a fund which has money and pays
 * for nothing is told why. It is on disk: an instance may live for seconds.
 */
export interface Conversions {
  /** That failed one after the other, counted up to `FAILED_BEFORE_TOLD`. 0: the last one succeeded. */
  readonly failures: number;
  /** When the first of them failed; null: none did. */
  readonly failingSinceMs: number | null;
  /** Why the last one failed; null: it did not. */
  readonly cause: string | null;
  /** The cause that was told last; null: none since a conversion succeeded. */
  readonly toldCause: string | null;
  /** When something was told last; null: never. */
  readonly toldAtMs: number | null;
}
