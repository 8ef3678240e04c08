// Aptos only (aptosSponsorshipStates): `views.ts` has the states of Sui.
// Aptos only (NO_SEQUENCE_NUMBER): only Aptos has orderless transactions.

import type { Trace } from "../explain/trace.ts";
import type { FundBooks } from "../ledger/books.ts";
import { type TreasuryState, UNRESOLVABLE } from "../views.ts";

/**
 * The states of an Aptos sponsorship. `signed`: a fee payer's signature of ours may exist, and may still be executed.
 * `complete`: it is committed, executed or aborted. `dead`: the chain can never execute it any more.
 * `unresolvable`: its sequence number is used, and no endpoint shows the transaction that used it.
 * The cost of an `unresolvable` row is part of an adjustment.
 */
export const aptosSponsorshipStates = ["signed", "complete", "dead", UNRESOLVABLE] as const;
/** One state of an Aptos sponsorship. */
export type AptosSponsorshipState = (typeof aptosSponsorshipStates)[number];

/** The signatures of all signers but the fee payer. Each is an account authenticator, BCS. */
export interface AptosAuthenticators {
  readonly sender: Uint8Array;
  /** The order is that of the secondary addresses. */
  readonly secondary: readonly Uint8Array[];
}

/** The stored facts of a transaction until the chain shows it, or shows that it can never execute. */
interface Journaled {
  /** `NO_SEQUENCE_NUMBER` for an orderless transaction. */
  readonly sequenceNumber: bigint;
  /** Its greatest possible cost, `max_gas_amount × gas_unit_price`, octas. */
  readonly gasBudgetAtoms: bigint;
  readonly createdAtMs: number;
  /** The time from which blocks refuse it: `expiration_timestamp_secs × 1,000`. */
  readonly expiresAtMs: number;
  /** Gas used × price less the storage refund, octas. Negative if more was freed. Null until the chain shows it. */
  readonly chargedAtoms: bigint | null;
  /** The ledger version that committed it. Null until the chain shows it. */
  readonly committedVersion: bigint | null;
  /**
   * The number of our submissions. A submission that certainly no node accepted does not count. A hand-out of our
   * signature beside the others counts, because others could submit it.
   */
  readonly submitCount: number;
}

/** One sponsorship, for which a fee payer's signature of ours may exist. */
export interface AptosSponsorship extends Journaled {
  /** `sponsorshipId` of the signed bytes. */
  readonly id: string;
  readonly state: AptosSponsorshipState;
  readonly sender: string;
  /** The nonce of an orderless transaction. Null if the sequence number protects against a replay. */
  readonly nonce: bigint | null;
  /**
   * A ledger version before our signature of an orderless transaction. Null for any other, or if the sponsorship is
   * over.
   */
  readonly sinceVersion: bigint | null;
  /** BCS as the fee payer signs it. Empty once the state is no longer `signed`. */
  readonly rawTransaction: Uint8Array;
  /** Addresses in full length, in the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
  /** Null if our signature was handed out and the caller submits, or if the sponsorship is over. */
  readonly authenticators: AptosAuthenticators | null;
  /**
   * The hash of the transaction that we signed to submit, or that the chain has committed. Null before that. Null while
   * the caller submits, because the hash depends on signatures that we have not seen.
   */
  readonly hash: string | null;
  readonly keyId: string;
  /** The operator's own fee. It is withheld with the budget, and earned when the transaction completes. */
  readonly feeAtoms: bigint;
  /** The storage refund within `chargedAtoms`. Null until the chain shows it. */
  readonly rebateAtoms: bigint | null;
  /** Explains it to operators. No decision depends on it. Absent for a row of an earlier build. */
  readonly trace?: Trace | undefined;
}

/** The sequence number of orderless transactions in our books. No transaction with a sequence number can have it. */
export const NO_SEQUENCE_NUMBER = 2n ** 64n - 1n;

/** The facts on chain that distinguish two transactions of a sender at one sequence number. */
export type AptosShown = Pick<AptosSponsorship, "expiresAtMs" | "gasBudgetAtoms">;

/** A withdrawal: the fund's own transfer, for which it pays the gas itself. */
export interface AptosTreasuryTransaction extends Journaled {
  /** The transaction's only hash, because only the fund signs it, and always with the same result. */
  readonly hash: string;
  readonly state: TreasuryState;
  /** BCS of the signed transaction, for every submission. Empty once it is over. */
  readonly signedTransaction: Uint8Array;
  /** The amount that leaves the fund. */
  readonly amountAtoms: bigint;
  /** The part of `amountAtoms` that is collected fees. */
  readonly collectedFeesAtoms: bigint;
}

/** The storage that an Aptos fund's transitions use beside its books. */
export interface AptosFundStore extends FundBooks {
  sponsorship(id: string): AptosSponsorship | null;
  /** Reads the sponsorship of a sender at a sequence number that is not dead. Null if none exists. */
  sponsorshipAtSequence(sender: string, sequenceNumber: bigint): AptosSponsorship | null;
  /** Reads the orderless sponsorship of a sender with a nonce that is not dead. Null if none exists. */
  sponsorshipAtNonce(sender: string, nonce: bigint): AptosSponsorship | null;
  /** Counts the live sponsorships of a sender from a sequence number on, without orderless ones. */
  countLiveAtOrAfter(sender: string, sequenceNumber: bigint): number;
  /** Returns true if a dead sponsorship of a sender at a sequence number would look the same on chain. */
  hasDeadAtSequence(sender: string, sequenceNumber: bigint, shown: AptosShown): boolean;
  /** @throws if another row that is not dead has the same sender and sequence number, or nonce. */
  putSponsorship(sponsorship: AptosSponsorship): void;
  /** Lists the ids of the live sponsorships of one access key, oldest first. A null key stands for all keys. */
  liveIds(keyId: string | null): readonly string[];

  treasuryTransaction(hash: string): AptosTreasuryTransaction | null;
  /**
   * Reads the pending withdrawal. At most one exists, because each needs the sequence number after the other's. Null
   * without one.
   */
  pendingTreasury(): AptosTreasuryTransaction | null;
  putTreasuryTransaction(transaction: AptosTreasuryTransaction): void;

  /** Returns the number after the highest one that a withdrawal has used or may use. 0 without a withdrawal. */
  nextOwnSequenceNumber(): bigint;
  /** Returns the expiration of the withdrawal with that highest number. Null without a withdrawal. */
  lastOwnExpiresAtMs(): number | null;

  /** Reads the evidence about an open row, by its id or hash. Null if no endpoint shows its sequence number as used. */
  usedSequence(reference: string): UsedSequence | null;
  usedSequences(): ReadonlyMap<string, UsedSequence>;
  /** Stores the evidence. Null if the row is closed, or if a later reply refutes the first one. */
  putUsedSequence(reference: string, used: UsedSequence | null): void;

  /** Sums the booked changes of the fund's balance that were committed after a ledger version. */
  balanceChangeAfter(version: bigint): bigint;
  /** Reads the latest ledger version at which the books were compared with the balance. -1 before the first time. */
  reconciledVersion(): bigint;
  setReconciledVersion(version: bigint): void;
}

/** Evidence that an open row's sequence number is used by a transaction that no endpoint shows. */
export interface UsedSequence {
  /** The ledger version of the first such reply. */
  readonly version: bigint;
  /** The chain's time at that version. */
  readonly timeMs: number;
  /** The time of that reply, by our clock. */
  readonly sinceMs: number;
  /** True if a late enough reply has confirmed it. The row is then given up. */
  readonly isSaidAgain: boolean;
}
