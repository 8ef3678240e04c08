import type { PolicyUsage, SenderUsage } from "../../policy/fund-policy.ts";
import type { Raise } from "../events.ts";
import type { DailyDimension, DailyRow } from "./daily.ts";

/** The kinds of ledger rows. `correction`: the chain's state replaced books that were older, as after a recovery. */
export const ledgerKinds = [
  "deposit",
  "reserve",
  "release",
  "charge",
  "recycle",
  "split",
  "convert",
  "withdraw",
  "adjustment",
  "correction",
] as const;
/** The kind of one ledger row. */
export type LedgerKind = (typeof ledgerKinds)[number];

/**
 * The sums of a fund's money. `balanceAtoms`: every coin that is not `gone`, and the address balance.
 * `addressBalanceAtoms`: the address balance alone. `inFlightAtoms`: withheld for the budgets and fees of live
 * sponsorships.
 */
export interface FundTotals {
  readonly balanceAtoms: bigint;
  readonly addressBalanceAtoms: bigint;
  readonly inFlightAtoms: bigint;
  /** Fees earned and not collected yet. They are in the balance, and no longer available. */
  readonly accruedFeesAtoms: bigint;
}

/** One change of the fund's money. Each total is the sum of its column. */
export interface LedgerRow extends FundTotals {
  readonly atMs: number;
  readonly kind: LedgerKind;
  /** The digest or object id of the change's cause. */
  readonly reference: string;
  /** The access key that caused the change. Null if no key did. */
  readonly keyId: string | null;
}

/** The counters of one access key, or of the whole fund. Spending is that of one UTC day. */
export interface Usage extends Omit<PolicyUsage, "sender"> {
  /** Days since 1970, UTC. */
  readonly day: number;
}

/** The id of the whole fund's usage, which no access key has. */
export const WHOLE_FUND = "";

/** The effect of a call with an Idempotency-Key. */
export interface IdempotencyRecord {
  /** Access key, method and the caller's own key. */
  readonly scope: string;
  /** The fingerprint of the request. Another request under the same key is the caller's mistake. */
  readonly fingerprint: string;
  readonly reference: string;
  readonly expiresAtMs: number;
}

/** One kind of work that a fund's alarm does. */
export type DueKind =
  | "settle"
  | "unresolved"
  | "own"
  | "scan"
  | "recycle"
  | "answers"
  | "sweep"
  | "recover"
  | "archive"
  | "migrate";

/** Sets, moves or (null) removes a due time. With `by_then` an earlier time that is already set stays. */
export type SetDue = (kind: DueKind, reference: string, atMs: number | null, when?: "then" | "by_then") => void;

/**
 * The storage that every fund's transitions use, on any chain. Amounts are atoms, the smallest unit of the coin that
 * pays for gas: MIST on Sui and octas on Aptos. All methods are synchronous, so that nothing can interleave with a
 * transition. The caller wraps it in a transaction.
 */
export interface FundBooks {
  /** Reads the sum of a sender's sponsorships of a UTC day, for one access key or for all (null). */
  senderUsage(sender: string, keyId: string | null, day: number): SenderUsage;
  /** Adds to a sender's sum of a day. A negative change of a forgotten day changes nothing. */
  addSenderSpend(sender: string, keyId: string, day: number, changeAtoms: bigint): void;
  /** Stops a sender for the rest of that day. */
  stopSender(sender: string, keyId: string, day: number): void;
  /** Adds to the counters of a name on a day. */
  addDaily(dimension: DailyDimension, row: DailyRow): void;
  /** Reads the counters of each day and name, from the first day to the last. The oldest day comes first. */
  daily(dimension: DailyDimension, fromDay: number, toDay: number): readonly DailyRow[];
  /** Writes a row. Returns its number, which no other row ever gets. */
  addLedger(row: LedgerRow): number;
  totals(): FundTotals;
  /** Reads the counters of a scope. All are zero before the first count. */
  usage(scope: string): Usage;
  putUsage(scope: string, usage: Usage): void;

  /** Returns true if an access key is revoked. A request admitted before the revocation must not be signed after it. */
  isRevoked(keyId: string): boolean;
  setRevoked(keyId: string, revoked: boolean): void;

  idempotency(scope: string): IdempotencyRecord | null;
  putIdempotency(record: IdempotencyRecord): void;
  /** Returns true if the answer to a repeat may still need the row of this reference. */
  isReferredTo(reference: string): boolean;

  /** Keeps one due time for each kind and reference. Null removes it. */
  readonly setDue: SetDue;

  /** Raises an event for its subscribers, if this commit succeeds. */
  readonly raise: Raise;
}
