/**
 * The entries that are allowed and denied. Null if there is no such list. An empty `allow` counts as none. Entries of
 * `deny` are refused, even if `allow` names them.
 */
export interface PolicyLists {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[] | null;
}

/**
 * The limits on a fund's payments. Every fund has a policy, counted over all that the fund sponsors. Every access key
 * has one too, counted over that key alone. A sponsorship has to pass both. A policy is always complete; null means no
 * limit. A sponsorship counts with its gas budget and its fee from the moment it is lent. It counts with its real cost
 * once that is known. A day is a UTC day.
 */
export interface FundPolicy {
  /**
   * `package::module::function`, `package::module::*` or `package::*`, packages in full length and lower case. The
   * lists see the calls that a transaction makes itself, not the calls of the called code. To keep a function from
   * being paid for, allow the calls that you know instead of denying that function. On Sui, calls that an SDK puts
   * around a call need no entry. They pass beside a call that `allow` names, as native commands do. Publishing and
   * upgrading are no Move calls, so an `allow` list refuses both. It also refuses a transaction that makes no Move call
   * at all.
   */
  readonly moveTargets: PolicyLists;
  /** Addresses in full length and lower case. */
  readonly senders: PolicyLists;
  /** True if orderless transactions may be sponsored (Aptos only). A node sees their nonces for a minute. */
  readonly orderless: boolean;
  readonly maxGasBudgetAtoms: bigint | null;
  /**
   * The limit on the storage cost by the dry run. If none was made, the gas budget is the only bound on the storage
   * cost. It must then not exceed the limit. An execution may store more than its dry run did, because its inputs may
   * change between the two. Within its gas budget nothing can stop that. Its sender is then refused for the rest of the
   * UTC day. The deleter of stored data is paid the storage deposit back. An app that lets users store at will
   * therefore pays users who farm these deposits.
   */
  readonly maxStorageCostAtoms: bigint | null;
  /** The limit on sponsorships that are lent and not yet settled, at once. */
  readonly maxInFlightCount: number | null;
  readonly maxInFlightAmountAtoms: bigint | null;
  readonly maxSpendPerDayAtoms: bigint | null;
  readonly maxSpendPerSenderPerDayAtoms: bigint | null;
  /** The limit on the cost of taking back coins whose signatures were not used. A day that reaches it is over. */
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
   * True if the transaction only makes its sender's account: a wallet's first transaction on Aptos. `allow` lists do
   * not apply to it; `deny` lists do.
   */
  readonly isNoOp?: boolean;
  /** The sender's address in full length and lower case. */
  readonly sender: string;
  /** Null if a dry run sets the budget. */
  readonly gasBudgetAtoms: bigint | null;
}

/** A sponsorship as it is about to be lent, with its gas budget, fee and storage cost. */
export interface SponsorshipRequest extends SponsorshipTerms {
  readonly gasBudgetAtoms: bigint;
  readonly feeAtoms: bigint;
  /** The storage cost by a dry run, before any rebate. Null if none was made. */
  readonly storageCostAtoms: bigint | null;
}

/** The amounts that the fund or the key has already taken, without the sponsorship that is being judged. */
export interface PolicyUsage {
  readonly inFlightCount: number;
  readonly inFlightAtoms: bigint;
  readonly spentTodayAtoms: bigint;
  /** Null if it was not looked up. That is right only if `needsSenderUsage` is false. */
  readonly sender: SenderUsage | null;
  readonly abandonCostTodayAtoms: bigint;
}

/** The totals of one sender's sponsorships on one UTC day. */
export interface SenderUsage {
  /** The amount that the sponsorships have cost or may still cost. */
  readonly spentAtoms: bigint;
  /** True if one of the sponsorships has stored more than `maxStorageCost`. */
  readonly stopped: boolean;
}
