import type { StorageUse } from "../durable/storage-budget.ts";
import type { Network } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";
import type { Ending } from "./endings.ts";
import type { FundLimits } from "./fund-limits.ts";

/** The cause of a pause that no operator can end. The fund's chain is gone, with every coin and signature on it. */
export const CHAIN_RESET = "chain_reset";

/**
 * The payment modes of a Sui fund. `coin`: each sponsorship locks a coin. Moving that coin takes the sponsorship back.
 * `address_balance`: nothing is locked. A signature cannot be taken back until its last epoch is over.
 */
const fundModes = ["coin", "address_balance"] as const;
/** A payment mode of a Sui fund. */
export type FundMode = (typeof fundModes)[number];

/** The payment mode of an Aptos fund: as fee payer, from its primary fungible store. */
export const FUNGIBLE_STORE = "fungible_store";
/** The payment modes of funds, on any chain. */
export const anyFundModes = [...fundModes, FUNGIBLE_STORE] as const;
/** A payment mode of a fund, on any chain. */
export type AnyFundMode = (typeof anyFundModes)[number];

/**
 * The cause of a pause of an address-balance fund. Its sponsorships last an hour, and the chain's epochs are shorter.
 */
export const SHORT_EPOCH = "epoch_shorter_than_an_hour";
/** The cause of a pause that an operator requested. */
export const PAUSED_BY_OPERATOR = "operator";
/** The cause of a pause that a revocation imposed. */
export const REVOKED = "revoked";

/** The cause of a pause of a fund that has noticed that its stored state is older than its chain. */
export const STATE_BEHIND_CHAIN = "state_behind_chain";
/** The cause of a pause during a recovery. It ends with the recovery. */
export const RECOVERING = "recovering";

/** A transaction of the fund itself that the chain shows and that its stored state has forgotten. */
export interface ForgottenTransaction {
  /** The digest on Sui, the hash on Aptos. */
  readonly digest: string;
  /** The amount that it paid out, beside gas. 0 if all of it stayed with the fund. Null if it is not known. */
  readonly amountAtoms: bigint | null;
  /** The address that received it. Null if no address did, or if it is not known. */
  readonly to: string | null;
}

/** A recovery of a fund whose stored state may be older than its chain, as an operator sees it. */
export interface RecoveryView {
  /**
   * `needed`: the fund has paused itself, and waits for the operator's order.
   * `waiting`: signatures that the stored state has forgotten may still execute.
   */
  readonly state: "needed" | "running" | "waiting" | "done";
  readonly startedAtMs: number;
  /** The fund stays closed until the chain's own clock shows this time. Null if no such time is fixed. */
  readonly closedUntilMs: number | null;
  /** The evidence that the state is behind the chain, in words. Null without evidence. */
  readonly evidence: string | null;
  /** Completes "waits for …". Null if it does not wait, or if the reason is not known. */
  readonly waitingFor: string | null;
  /** The number of rows that were open at the last step. */
  readonly openReferences: number;
  /** The sum of the corrections booked so far. */
  readonly correctionAtoms: bigint;
  /** `unconfirmed`: a withdrawal under an unknown key must name its amount and address once more. */
  readonly withdrawals: "unconfirmed" | "confirmed";
  /** The digests of the fund's own transactions that the state has forgotten and that the chain shows. */
  readonly forgottenPayments: readonly string[];
  /**
   * The same transactions and the fund's forgotten refills, with their amounts. Absent only in the answer of an older
   * build.
   */
  readonly forgottenTransactions?: readonly ForgottenTransaction[];
  /**
   * False if the forgotten payments may be incomplete. Null if it is not known. Absent only in the answer of an older
   * build.
   */
  readonly isForgottenComplete?: boolean | null;
}

/** Money of a fund that cannot pay yet. */
export interface UnconvertedView {
  readonly amountAtoms: bigint;
  /** The number of coins, at most 1,000. 0 for an address balance. */
  readonly coins: number;
  /** The reason why it is not converted, in words. */
  readonly cause: string;
  /** The time since which every conversion has failed. Null if the last one succeeded. */
  readonly failingSinceMs: number | null;
}

/** A fund as an operator and `gas_getFund` see it. */
export interface FundView {
  readonly fundId: string;
  readonly projectId: string;
  readonly name: string;
  readonly network: Network;
  readonly mode: AnyFundMode;
  /** All money of the fund, withheld or not: coins and address balance. */
  readonly balanceAtoms: bigint;
  /** Withheld for sponsorships that can still be executed: budgets and fees. */
  readonly inFlightAtoms: bigint;
  /** The balance that can pay now. Unconverted, withheld, reserved and accrued-fee amounts are deducted. */
  readonly availableAtoms: bigint;
  /**
   * The days for which the available amount lasts at the last week's rate. Null if no spending is known. Absent only in
   * the answer of an older build.
   */
  readonly runwayDays?: number | null;
  /** Null if all of the balance is in the form that pays. */
  readonly unconverted: UnconvertedView | null;
  /** Fees earned and not collected yet. */
  readonly accruedFeesAtoms: bigint;
  /** The amount set aside for the gas of the fund's treasury transactions. */
  readonly maintenanceReserveAtoms: bigint;
  /** Fee for each sponsorship that completes. */
  readonly sponsorshipFeeAtoms: bigint;
  /** The fund is low if less than this is available. Null if it never is. */
  readonly lowBalanceAtoms: bigint | null;
  readonly low: boolean;
  readonly policy: FundPolicy;
  /** Absent only in the answer of an older build, during a roll-out. */
  readonly limits?: FundLimits;
  /** Absent as `limits`. */
  readonly storage?: StorageUse & { readonly isHigh: boolean };
  /** Null until a deposit address is requested. */
  readonly depositAddress: string | null;
  /** The reason why the fund refuses to sponsor. Null while it sponsors. */
  readonly pausedCause: string | null;
  /** The last recovery, or the one that the fund needs. Null if it had none. */
  readonly recovery: RecoveryView | null;
  readonly createdAtMs: number;
  /** The delay of the fund's earliest due work, ms. Only a check of this build or a later one shows it. */
  readonly lateMs?: number;
}

/** The state of a row that can never execute any more, and whose execution no endpoint shows or disproves. */
export const UNRESOLVABLE = "unresolvable";

/** The states of a sponsorship on Sui, without `unresolvable`. */
export const sponsorshipStates = ["prepared", "signed", "complete", "expired", "dead"] as const;
/** One of these states. */
export type SponsorshipState = (typeof sponsorshipStates)[number];

/** The possible payers of a sponsorship's gas. */
export const gasPayers = ["fund", "network"] as const;
/** A possible payer of a sponsorship's gas. */
export type GasPayer = (typeof gasPayers)[number];

/** One row of a fund's sponsorship list. */
export interface SponsorshipView {
  readonly digest: string;
  readonly state: SponsorshipState | typeof UNRESOLVABLE;
  readonly sender: string;
  readonly keyId: string;
  readonly gasBudgetAtoms: bigint;
  readonly feeAtoms: bigint;
  /** The amount that the chain charged, rebate deducted. Null until it is known. */
  readonly chargedAtoms: bigint | null;
  /** The storage rebate within the charged amount. Null until it is known. */
  readonly rebateAtoms: bigint | null;
  /** The share of the transaction that recycled the sponsorship's coin. Null if no transaction recycled it. */
  readonly maintenanceAtoms: bigint | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Its ending. Null while it is live, or if it is not known. Absent only in the answer of an older build. */
  readonly outcome?: Ending | null;
  /** The first Move targets. Null until its end, and for a row of an earlier build. Absent as `outcome`. */
  readonly targets?: readonly string[] | null;
  /** The `x-request-id` of the call that reserved it. Null for a row of an earlier build. Absent as `outcome`. */
  readonly requestId?: string | null;
  /** The payer of the gas. `network`: the chain charges no gas. Absent as `outcome`. */
  readonly gasPaidBy?: GasPayer;
}

/** A coin that the books and the chain show differently. */
export interface Difference {
  readonly objectId: string;
  /** Null if the books do not know the coin. */
  readonly bookedAtoms: bigint | null;
  /** Null if the chain does not show the coin. */
  readonly onChainAtoms: bigint | null;
  /** The digest of the open transaction that explains the difference. Null if none explains it. */
  readonly cause: string | null;
}

/** A comparison of a fund's books with its chain. */
export interface Reconciliation {
  readonly coins: number;
  readonly bookedCoinsAtoms: bigint;
  readonly coinsOnChainAtoms: bigint;
  readonly bookedAddressBalanceAtoms: bigint;
  readonly addressBalanceOnChainAtoms: bigint;
  readonly differences: readonly Difference[];
  /** True if coins, versions and balances match the chain and the sums of the ledger to the last atom. */
  readonly exact: boolean;
}

/** The states of a treasury transaction. A `failed` one aborted on chain: it cost its gas and moved nothing. */
export const treasuryStates = ["pending", "complete", "failed", "dead", UNRESOLVABLE] as const;

/** One state of a treasury transaction. */
export type TreasuryState = (typeof treasuryStates)[number];

/** A number of coins of one state and size. */
export interface CoinCount {
  readonly state: string;
  /** The name of the coins' tier: a size in MIST, `source`, `dust` or `maintenance`. */
  readonly tier: string;
  readonly count: number;
}

/** A row that an operator has ordered to be closed, or that was already over. */
export interface ForceClosed {
  readonly digest: string;
  readonly state: SponsorshipState | TreasuryState;
}

/** A coin that an operator has dropped, or that was already gone. */
export interface DroppedCoin {
  readonly objectId: string;
  /** The amount that was booked for it, MIST. */
  readonly amountAtoms: bigint;
}
