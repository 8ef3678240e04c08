/**
 * The allowed and the denied entries. Null without such a list. An empty `allow` counts as none. Entries of `deny` are
 * refused, even if `allow` names them.
 */
export interface PolicyLists {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

/**
 * The limits on a fund's payments. Every fund has a policy, counted over all that the fund sponsors. Every access key
 * has one too, counted over that key alone. A sponsorship must pass both. A policy is always complete; null means no
 * limit. A sponsorship counts with its gas budget and its fee from its reservation on. It counts with its real cost
 * once that is known. A day is a UTC day.
 */
export interface FundPolicy {
  /**
   * `package::module::function`, `package::module::*` or `package::*`, packages in full length and lower case. The
   * lists see the calls of the transaction itself, not those of the called code. So denying a function does not keep
   * others from calling it: allow the calls that you know instead. On Sui, calls that an SDK puts around a call need no
   * entry. They pass beside a call that `allow` names, as native commands do. Publishing and upgrading are no Move
   * calls, so an `allow` list refuses both. It also refuses a transaction without any Move call.
   */
  readonly moveTargets: PolicyLists;
  /** Addresses in full length and lower case. */
  readonly senders: PolicyLists;
  /** True if orderless transactions may be sponsored (Aptos only). A node sees their nonces for a minute. */
  readonly orderless: boolean;
  readonly maxGasBudgetAtoms: bigint | null;
  /**
   * The limit on the storage cost by the dry run. Without a dry run, only the gas budget bounds the storage cost, and
   * must then not exceed the limit. An execution may store more than its dry run did, because its inputs may change
   * between the two. Within its gas budget nothing can stop that. Its sender is then refused for the rest of the UTC
   * day. The chain pays the storage deposit back to the deleter of the data. So an app that lets users store at will
   * pays users who farm these deposits.
   */
  readonly maxStorageCostAtoms: bigint | null;
  /** The limit on sponsorships in flight: reserved and not yet settled. */
  readonly maxInFlightCount: number | null;
  readonly maxInFlightAmountAtoms: bigint | null;
  readonly maxSpendPerDayAtoms: bigint | null;
  readonly maxSpendPerSenderPerDayAtoms: bigint | null;
  /**
   * The limit on the cost of taking back coins whose signatures were not used. After a day reaches it, its further
   * sponsorships are refused.
   */
  readonly maxAbandonCostPerDayAtoms: bigint | null;
}

type WithoutUnit<Field extends string> = Field extends `${infer Name}Atoms` ? Name : Field;

/** The fields that refuse a sponsorship, by their names in the admin API, which operators know. */
export type FundPolicyField = WithoutUnit<Exclude<keyof FundPolicy, "orderless">>;

/**
 * A refusal by one field of a policy. `details` is for people. It may name a limit, never how much other users have
 * taken.
 */
export interface FundPolicyRefusal {
  readonly rule: FundPolicyField;
  readonly details: string;
}

/** The terms of a sponsorship that are known before any dry run. */
export interface SponsorshipTerms {
  /** Every Move call, `package::module::function` with the package in full length, in order. */
  readonly moveTargets: readonly string[];
  /** True if the transaction publishes or upgrades a package. */
  readonly publishesCode: boolean;
  /**
   * True if the transaction only creates its sender's account: a wallet's first transaction on Aptos. `allow` lists do
   * not apply to it; `deny` lists do.
   */
  readonly isNoOp?: boolean;
  /** The sender's address in full length and lower case. */
  readonly sender: string;
  /** Null if a dry run sets the budget. */
  readonly gasBudgetAtoms: bigint | null;
}

/** A sponsorship before its reservation, with its gas budget, fee and storage cost. */
export interface SponsorshipRequest extends SponsorshipTerms {
  readonly gasBudgetAtoms: bigint;
  readonly feeAtoms: bigint;
  /** The storage cost by a dry run, before any rebate. Null without a dry run. */
  readonly storageCostAtoms: bigint | null;
}

/** The amounts that the fund or the key has already taken, without the judged sponsorship. */
export interface PolicyUsage {
  readonly inFlightCount: number;
  readonly inFlightAtoms: bigint;
  readonly spentTodayAtoms: bigint;
  /** Null if it was not read, which is right only if `needsSenderUsage` is false. */
  readonly sender: SenderUsage | null;
  readonly abandonCostTodayAtoms: bigint;
}

/** The totals of one sender's sponsorships on one UTC day. */
export interface SenderUsage {
  /** The amount that the sponsorships have cost or may still cost. */
  readonly spentAtoms: bigint;
  /** True if one of them has stored more than `maxStorageCost`. */
  readonly stopped: boolean;
}
