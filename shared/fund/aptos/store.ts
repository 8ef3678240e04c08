// Aptos only (aptosSponsorshipStates, aptosTreasuryStates): `views.ts` has the states of Sui; unresolvable is added here.

import type { FundBooks } from "../ledger/books.ts";
import { treasuryStates, UNRESOLVABLE } from "../views.ts";

/**
 * `signed`: a fee payer's signature of ours may exist, and may still be executed. `complete`: committed, executed or
 * aborted. `dead`: the chain can never execute it any more. `unresolvable`: its sequence number is used, and no endpoint
 * shows by what; what it has cost is part of an adjustment.
 */
export const aptosSponsorshipStates = ["signed", "complete", "dead", UNRESOLVABLE] as const;
export type AptosSponsorshipState = (typeof aptosSponsorshipStates)[number];

/** Of a fund's treasury transaction, as of a sponsorship. */
export const aptosTreasuryStates = [...treasuryStates, UNRESOLVABLE] as const;
export type AptosTreasuryState = (typeof aptosTreasuryStates)[number];

/** The signatures of everybody but the fee payer: an account authenticator each, BCS. */
export interface AptosAuthenticators {
  readonly sender: Uint8Array;
  /** In the order of the secondary addresses. */
  readonly secondary: readonly Uint8Array[];
}

/** What is kept of a transaction until the chain shows it, or shows that it can never execute. */
interface Journaled {
  readonly sequenceNumber: bigint;
  /** What it can cost at most: `max_gas_amount × gas_unit_price`, octas. */
  readonly gasBudgetAtoms: bigint;
  readonly createdAtMs: number;
  /** From a block of this time on the chain refuses it: `expiration_timestamp_secs × 1,000`. */
  readonly expiresAtMs: number;
  /** Gas used × price less the storage refund, octas; negative where more was freed. Null until the chain shows it. */
  readonly chargedAtoms: bigint | null;
  /** The ledger version that committed it; null until the chain shows it. */
  readonly committedVersion: bigint | null;
  /**
   * How often we have submitted it. Of a sponsorship, those times apart that no node has taken it for certain, and with
   * those that others could submit, because our signature was handed out beside the other ones.
   */
  readonly submitCount: number;
}

/** One promise of a fee payer's signature. */
export interface AptosSponsorship extends Journaled {
  /** `sponsorshipId` of what is signed. */
  readonly id: string;
  readonly state: AptosSponsorshipState;
  readonly sender: string;
  /** BCS as the fee payer signs it; empty once it is not `signed` any more. */
  readonly rawTransaction: Uint8Array;
  /** In the order of their signatures, in full length. */
  readonly secondaryAddresses: readonly string[];
  /** Null: our signature is handed out, and the caller submits; or it is over. */
  readonly authenticators: AptosAuthenticators | null;
  /**
   * The transaction hash: of what we submit once it is signed, and of what the chain has committed. Null before that,
   * and where the caller submits: it depends on signatures that we have not seen.
   */
  readonly hash: string | null;
  readonly keyId: string;
  /** The operator's own fee: withheld with the budget, earned when the transaction completes. */
  readonly feeAtoms: bigint;
  /** The storage refund within `chargedAtoms`; null until the chain shows it. */
  readonly rebateAtoms: bigint | null;
}

/** By what the chain shows, two transactions of a sender at one sequence number are told apart. */
export type AptosShown = Pick<AptosSponsorship, "expiresAtMs" | "gasBudgetAtoms">;

/** A transfer of the fund's own, which pays its gas itself: a withdrawal. */
export interface AptosTreasuryTransaction extends Journaled {
  /** Only the fund signs it, and always alike, so that there is no other hash for it. */
  readonly hash: string;
  readonly state: AptosTreasuryState;
  /** BCS of the signed transaction: what is submitted, again and again; empty once it is over. */
  readonly signedTransaction: Uint8Array;
  /** To somebody else. */
  readonly amountAtoms: bigint;
  /** The part of `amountAtoms` that is collected fees. */
  readonly collectedFeesAtoms: bigint;
}

/** What the transitions of an Aptos fund need of storage beside its books. */
export interface AptosFundStore extends FundBooks {
  sponsorship(id: string): AptosSponsorship | null;
  /** What was promised to a sender at a sequence number and is not dead; null: nothing. */
  sponsorshipAtSequence(sender: string, sequenceNumber: bigint): AptosSponsorship | null;
  /** Live promises to a sender from a sequence number on. */
  countLiveAtOrAfter(sender: string, sequenceNumber: bigint): number;
  /** Whether something was promised to a sender at a sequence number that the chain would show alike, and is dead. */
  hasDeadAtSequence(sender: string, sequenceNumber: bigint, shown: AptosShown): boolean;
  /** @throws where another row that is not dead has the same sender and sequence number. */
  putSponsorship(sponsorship: AptosSponsorship): void;
  /** Ids of the live sponsorships of one access key (null: of all), oldest first. */
  liveIds(keyId: string | null): readonly string[];

  treasuryTransaction(hash: string): AptosTreasuryTransaction | null;
  /** At most one, because each needs the sequence number after the other's. */
  pendingTreasury(): AptosTreasuryTransaction | null;
  putTreasuryTransaction(transaction: AptosTreasuryTransaction): void;

  /** Of an open row, by its id or hash; null: no endpoint has said that its sequence number is used. */
  usedSequence(reference: string): UsedSequence | null;
  usedSequences(): ReadonlyMap<string, UsedSequence>;
  /** Null: the row is closed, or the reply that said so is refuted. */
  putUsedSequence(reference: string, used: UsedSequence | null): void;

  /** By how much what was committed after a ledger version has changed the fund's balance, as booked. */
  balanceChangeAfter(version: bigint): bigint;
  /** The latest ledger version at which the books were compared with the fund's balance; -1 before the first time. */
  reconciledVersion(): bigint;
  setReconciledVersion(version: bigint): void;
}

/** An open row's sequence number is used, and no endpoint shows by what. */
export interface UsedSequence {
  /** Ledger version of the reply that said so first. */
  readonly version: bigint;
  /** The chain's time, of that version. */
  readonly timeMs: number;
  /** By our clock. */
  readonly sinceMs: number;
  /** Whether a reply that is late enough has said so again: the row is given up. */
  readonly isSaidAgain: boolean;
}
