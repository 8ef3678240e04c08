import { refill, type TokenBucket } from "./rate-limit.ts";
import type { AccessKeyRecord } from "./record.ts";

/** The life of a lease. The fund counts it from before its request. */
export const LEASE_MS = 10_000;
/** The access key counts a lease this much longer than the fund, because the clocks of two machines drift. */
export const LEASE_MARGIN_MS = 1_000;
/** The time without leases after the access key admitted a request itself, and after any other refusal of a lease. */
export const NO_LEASE_MS = 5_000;

/**
 * The rate of a key's calls on its way between the two objects that count it. It holds no time, because the clocks of
 * the two differ. The tokens of the way itself are lost. Null is a full bucket.
 */
export interface HandedBucket {
  readonly milliTokens: number | null;
}

/** A fund's request for the lease of a key. */
export interface LeaseRequest {
  readonly fundId: string;
  /** The lease whose bucket the fund still holds. Null if it holds none. */
  readonly heldLeaseId: string | null;
}

/** A lease of a key: its record, and the right to count its calls. */
export interface GrantedLease {
  readonly leaseId: string;
  readonly record: AccessKeyRecord;
  readonly durationMs: number;
  /** Absent if the fund holds the bucket of this lease already. */
  readonly bucket?: HandedBucket;
}

/** The answer to a request for a lease. */
export type LeaseAnswer =
  | { readonly lease: GrantedLease }
  /** The access key admits by itself. Another request has no sense before this time is over. */
  | { readonly lease: null; readonly retryAfterMs: number };

/** Refuses a lease. */
export const NO_LEASE: LeaseAnswer = { lease: null, retryAfterMs: NO_LEASE_MS };

/** The bucket of an ended lease. */
export interface ReturnedBucket extends HandedBucket {
  readonly leaseId: string;
}

/** The acknowledgement of a recall: the fund decides by no lease of that key any more. */
export interface Recalled {
  /** Null if the fund holds none. */
  readonly returned: ReturnedBucket | null;
}

/** A time by the service's clock, and by `performance.now()`. In workerd the latter is the wall clock, too. */
export interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Fills a bucket up to now and gives it away. */
export function handOver(bucket: TokenBucket | null, qps: number, nowMs: number): HandedBucket {
  return { milliTokens: bucket && refill(bucket, qps, nowMs).milliTokens };
}

/** Takes a bucket over at the receiver's own time. */
export function takeOver({ milliTokens }: HandedBucket, nowMs: number): TokenBucket | null {
  return milliTokens === null ? null : { milliTokens, atMs: nowMs };
}

/** Returns whether a clock shows an earlier time than before. It then no longer shows how long a lease has lived. */
export function hasSteppedBack(before: Instant, now: Instant): boolean {
  return now.wallMs < before.wallMs || now.monotonicMs < before.monotonicMs;
}

/** Returns the part of a lease's life that has passed, by the clock that shows more of it. 1 or more: it is over. */
export function partPassed(begin: Instant, durationMs: number, now: Instant): number {
  return Math.max(now.wallMs - begin.wallMs, now.monotonicMs - begin.monotonicMs) / durationMs;
}
