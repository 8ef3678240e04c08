import type { Network } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";

/** The cause of a pause that no operator can end: the fund's chain is gone, with every coin and signature on it. */
export const CHAIN_RESET = "chain_reset";

/**
 * How a Sui fund pays. `coin`: each sponsorship locks a coin, and can be taken back by moving that coin. `address_balance`:
 * no coins, no locks, and what has been signed cannot be taken back until its last epoch is over.
 */
const fundModes = ["coin", "address_balance"] as const;
export type FundMode = (typeof fundModes)[number];

/** How an Aptos fund pays: as fee payer, from its primary fungible store. */
export const FUNGIBLE_STORE = "fungible_store";
export const anyFundModes = [...fundModes, FUNGIBLE_STORE] as const;
export type AnyFundMode = (typeof anyFundModes)[number];

/** The cause of a pause where an epoch is too short for what an address balance promises for an hour. */
export const SHORT_EPOCH = "epoch_shorter_than_an_hour";
/** The cause of a pause that an operator has asked for; and one that came with a revocation. */
export const PAUSED_BY_OPERATOR = "operator";
export const REVOKED = "revoked";

/** What a fund owns and cannot pay with yet. */
export interface UnconvertedView {
  readonly amountAtoms: bigint;
  /** How many coins it is, at most 1,000; 0: an address balance. */
  readonly coins: number;
  /** Why it is not converted, in words. */
  readonly cause: string;
  /** Since when every try to convert it has failed; null: the last one did not. */
  readonly failingSinceMs: number | null;
}

/** What an operator and `gas_getFund` see of a fund. */
export interface FundView {
  readonly fundId: string;
  readonly projectId: string;
  readonly name: string;
  readonly network: Network;
  readonly mode: AnyFundMode;
  /** Everything that the fund owns, lent or not: coins and address balance. */
  readonly balanceAtoms: bigint;
  /** Withheld for sponsorships that can still be executed: budgets and fees. */
  readonly inFlightAtoms: bigint;
  /** What can pay now: less what is unconverted, withheld, accrued as fees, and reserved for treasury transactions. */
  readonly availableAtoms: bigint;
  /** Null: all of the balance is in the form that pays. */
  readonly unconverted: UnconvertedView | null;
  /** Fees earned and not collected yet. */
  readonly accruedFeesAtoms: bigint;
  /** For the gas of the fund's treasury transactions. */
  readonly maintenanceReserveAtoms: bigint;
  /** Fee for each sponsorship that completes. */
  readonly sponsorshipFeeAtoms: bigint;
  /** Below this much available the fund is low; null: it never is. */
  readonly lowBalanceAtoms: bigint | null;
  readonly low: boolean;
  readonly policy: FundPolicy;
  /** Null until one is asked for. */
  readonly depositAddress: string | null;
  /** Why the fund refuses to sponsor; null while it does not. */
  readonly pausedCause: string | null;
  readonly createdAtMs: number;
}

/** Of Aptos rows: a sequence number is used, and no endpoint shows by what. */
export const UNRESOLVABLE = "unresolvable";

export const sponsorshipStates = ["prepared", "signed", "complete", "expired", "dead"] as const;
export type SponsorshipState = (typeof sponsorshipStates)[number];

/** One row of a fund's sponsorship list. */
export interface SponsorshipView {
  readonly digest: string;
  readonly state: SponsorshipState | typeof UNRESOLVABLE;
  readonly sender: string;
  readonly keyId: string;
  readonly gasBudgetAtoms: bigint;
  readonly feeAtoms: bigint;
  /** What the chain charged, rebate deducted; null until it is known. */
  readonly chargedAtoms: bigint | null;
  /** Storage rebate within what was charged; null until it is known. */
  readonly rebateAtoms: bigint | null;
  /** Its share of the transaction that recycled its coin; null where none did. */
  readonly maintenanceAtoms: bigint | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** A coin that the books and the chain show differently. */
export interface Difference {
  readonly objectId: string;
  /** Null: the books do not know it, or the chain does not show it. */
  readonly bookedAtoms: bigint | null;
  readonly onChainAtoms: bigint | null;
  /** Digest of the open transaction that explains it; null: nothing does. */
  readonly cause: string | null;
}

export interface Reconciliation {
  readonly coins: number;
  readonly bookedCoinsAtoms: bigint;
  readonly coinsOnChainAtoms: bigint;
  readonly bookedAddressBalanceAtoms: bigint;
  readonly addressBalanceOnChainAtoms: bigint;
  readonly differences: readonly Difference[];
  /** Coins, versions and balances are the chain's, to the last atom, and what the ledger adds up to. */
  readonly exact: boolean;
}

/** `failed`: executed, and aborted on chain: it has cost its gas and moved nothing. */
export const treasuryStates = ["pending", "complete", "failed", "dead"] as const;

export type TreasuryState = (typeof treasuryStates)[number];
