/** Null: no such list. An empty `allow` counts as none. What `deny` names is refused, whatever `allow` says. */
export interface PolicyLists {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

/**
 * What a fund may be made to pay for. Every fund has one, counted over all that the fund sponsors, and so has every
 * access key, counted over that key alone; a sponsorship has to pass both. Always complete; null means no limit. A
 * sponsorship counts with its gas budget and its fee from the moment it is lent, and with what it really cost once that
 * is known. A day is a UTC day.
 */
export interface FundPolicy {
  /**
   * `package::module::function`, `package::module::*` or `package::*`, packages in full length and lower case. The lists
   * see the calls that a transaction makes itself, not what the called code calls: to keep a function from being paid
   * for, allow what you know instead of denying it. On Sui, what an SDK puts around a call needs no entry: it passes
   * beside one that `allow` names, as native commands do. Publishing and upgrading are no Move calls, so that an `allow` list
   * refuses both, and it refuses a transaction that makes no Move call at all.
   */
  readonly moveTargets: PolicyLists;
  /** Addresses in full length and lower case. */
  readonly senders: PolicyLists;
  readonly maxGasBudgetAtoms: bigint | null;
  /**
   * By the dry run. If none was made, the gas budget is the only bound on the storage cost, and must not exceed it. An
   * execution may store more than its dry run did, because what it depends on may change between the two: within its
   * gas budget nobody can stop that. Its sender is then refused for the rest of the UTC day. Whoever deletes what was
   * stored is paid the storage deposit back, so an app that lets users store at will pays whoever farms that.
   */
  readonly maxStorageCostAtoms: bigint | null;
  /** Sponsorships that are lent and not yet settled, at once. */
  readonly maxInFlightCount: number | null;
  readonly maxInFlightAmountAtoms: bigint | null;
  readonly maxSpendPerDayAtoms: bigint | null;
  readonly maxSpendPerSenderPerDayAtoms: bigint | null;
  /** What it cost to take back the coins of signatures that nobody used. Once it is reached, the day is over. */
  readonly maxAbandonCostPerDayAtoms: bigint | null;
}

/** The fields of a policy by the names that operators know: those of the admin API. */
export type FundPolicyField =
  | "moveTargets"
  | "senders"
  | "maxGasBudget"
  | "maxStorageCost"
  | "maxInFlightCount"
  | "maxInFlightAmount"
  | "maxSpendPerDay"
  | "maxSpendPerSenderPerDay"
  | "maxAbandonCostPerDay";

/** `why` is for people. It may name a limit, never how much of it other users have taken. */
export interface FundPolicyRefusal {
  readonly rule: FundPolicyField;
  readonly details: string;
}

/** What is known of a sponsorship before any dry run. */
export interface SponsorshipTerms {
  /** Every Move call, `package::module::function` with the package in full length, in order. */
  readonly moveTargets: readonly string[];
  /** Publishes or upgrades a package. */
  readonly publishesCode: boolean;
  /** Does nothing but make its sender's account: a wallet's first transaction on Aptos. No `allow` is about that, `deny` is. */
  readonly isNoOp?: boolean;
  /** In full length and lower case. */
  readonly sender: string;
  /** Null: a dry run will tell. */
  readonly gasBudgetAtoms: bigint | null;
}

export interface SponsorshipRequest extends SponsorshipTerms {
  readonly gasBudgetAtoms: bigint;
  readonly feeAtoms: bigint;
  /** Before any rebate, by a dry run. Null: none was made. */
  readonly storageCostAtoms: bigint | null;
}

/** What the fund, or the key, has taken already, without the sponsorship that is being judged. */
export interface PolicyUsage {
  readonly inFlightCount: number;
  readonly inFlightAtoms: bigint;
  readonly spentTodayAtoms: bigint;
  /** Null: not looked up, which is right only if `needsSenderUsage` says that nothing asks for it. */
  readonly sender: SenderUsage | null;
  readonly abandonCostTodayAtoms: bigint;
}

/** What the sponsorships of one sender have come to on one UTC day. */
export interface SenderUsage {
  /** What they have cost or may still cost. */
  readonly spentAtoms: bigint;
  /** One of them has stored more than `maxStorageCost`. */
  readonly stopped: boolean;
}
