import type { PolicyUsage, SenderUsage } from "../../policy/fund-policy.ts";
import type { Raise } from "../events.ts";

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
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/**
 * What the fund's money is: `balanceAtoms` is every coin that is not `gone`, and the address balance, which is
 * `addressBalanceAtoms` of it. `inFlightAtoms` is withheld for live sponsorships, budgets and fees.
 */
export interface FundTotals {
  readonly balanceAtoms: bigint;
  readonly addressBalanceAtoms: bigint;
  readonly inFlightAtoms: bigint;
  /** Fees earned and not collected yet: in the balance, and no longer available. */
  readonly accruedFeesAtoms: bigint;
}

/** One change of the fund's money. Each total is the sum of its column. */
export interface LedgerRow extends FundTotals {
  readonly atMs: number;
  readonly kind: LedgerKind;
  /** The digest or object id that caused it. */
  readonly reference: string;
  /** The access key whose doing it was; null where it was nobody's. */
  readonly keyId: string | null;
}

/** What has been counted for one access key, or for the whole fund. Spending is that of one UTC day. */
export interface Usage extends Omit<PolicyUsage, "sender"> {
  /** Days since 1970, UTC. */
  readonly day: number;
}

/** The usage of the whole fund is kept under this id, which no access key has. */
export const WHOLE_FUND = "";

/** What a call with an Idempotency-Key has caused. */
export interface IdempotencyRecord {
  /** Access key, method and the caller's own key. */
  readonly scope: string;
  /** Of the request: another one under the same key is a mistake of the caller's. */
  readonly fingerprint: string;
  readonly reference: string;
  readonly expiresAtMs: number;
}

export type DueKind = "settle" | "own" | "scan" | "recycle" | "answers" | "sweep";

/** `by_then`: an earlier time that is set already stays. */
export type SetDue = (kind: DueKind, reference: string, atMs: number | null, when?: "then" | "by_then") => void;

/**
 * What every fund's transitions need of storage, whatever its chain. Amounts are atoms: the smallest unit of the coin
 * that pays for gas, MIST on Sui and octas on Aptos. Synchronous, so that a transition is one step that nothing can
 * interleave; the caller wraps it in a transaction.
 */
export interface FundBooks {
  /** What a sender's sponsorships of a UTC day have come to; of one access key, or null: of all. */
  senderUsage(sender: string, keyId: string | null, day: number): SenderUsage;
  /** A negative change of a day that is forgotten already changes nothing. */
  addSenderSpend(sender: string, keyId: string, day: number, changeAtoms: bigint): void;
  /** For the rest of that day. */
  stopSender(sender: string, keyId: string, day: number): void;
  addLedger(row: LedgerRow): void;
  totals(): FundTotals;
  /** Zero in everything where nothing has been counted yet. */
  usage(scope: string): Usage;
  putUsage(scope: string, usage: Usage): void;

  /** Whether an access key has been revoked: what was admitted before must not be signed after. */
  isRevoked(keyId: string): boolean;
  setRevoked(keyId: string, revoked: boolean): void;

  idempotency(scope: string): IdempotencyRecord | null;
  putIdempotency(record: IdempotencyRecord): void;
  /** Whether the answer to a repeat may still need what this refers to. */
  isReferredTo(reference: string): boolean;

  /** One due time per kind and reference; null: nothing is due any more. */
  readonly setDue: SetDue;

  /** Tells whoever wants to know, if this commit holds. */
  readonly raise: Raise;
}
