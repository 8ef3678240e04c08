import {
  handOver,
  hasSteppedBack,
  type Instant,
  type LeaseAnswer,
  type LeaseRequest,
  NO_LEASE_MS,
  partPassed,
  type Recalled,
  takeOver,
} from "../access/lease.ts";
import { MIN_BURST_CALLS, type TokenBucket } from "../access/rate-limit.ts";
import {
  type AccessKeyRecord,
  type AdmissionRequest,
  type Admitted,
  decideAdmission,
  FULL_BUCKETS,
} from "../access/record.ts";
import type { Outcome } from "../errors.ts";
import { inTime } from "../timing.ts";

/** Limit of the keys in memory. The least recently used key is dropped first. */
const MAX_KEYS = 4_096;
/** A lease is renewed once this part of its life has passed. */
const RENEWED_AFTER = 0.5;
/** The pause after an access key that did not answer. */
const SILENCE_MS = 1_000;
/** The longest wait for an access key's answer. */
const ANSWER_MS = 2_000;
/** Limit of the calls that wait for leases. Further ones go to their access keys, so that a silent key fills no memory. */
const MAX_WAITING = 256;
/** The time in which refusals are counted. */
const FLOOD_MS = 1_000;

/** The outside of the leases of a fund. */
export interface LeasePorts {
  readonly now: () => Instant;
  readonly random: () => number;
  /** Requests a lease from the access key's object. */
  readonly request: (keyId: string, request: LeaseRequest) => Promise<LeaseAnswer>;
  /** Keeps the object alive for work after the answer. */
  readonly afterAnswer: (work: Promise<unknown>) => void;
  readonly logFailure: (keyId: string, error: unknown) => void;
}

interface Lease {
  readonly leaseId: string;
  readonly record: AccessKeyRecord;
  /** An instant before the request was sent. */
  readonly begin: Instant;
  readonly durationMs: number;
  /** The last time that a call saw. */
  seen: Instant;
  bucket: TokenBucket | null;
  /** True after a recall, a flood or a clock that stepped back. The bucket stays until the access key takes it back. */
  isOver: boolean;
}

/** A request for a lease under way. */
interface Request {
  done: Promise<void>;
}

interface Entry {
  lease: Lease | null;
  /** A recall removes it. Its answer then no longer counts. */
  request: Request | null;
  /** The time before which no request is sent. */
  pausedUntilMs: number;
  /** True after a failure was logged, until the access key answers again. */
  isSilent: boolean;
  /** The refused calls since a time, at most `FLOOD_MS` ago. */
  refusals: { readonly sinceMs: number; count: number };
}

/** An admission that this fund did not decide. */
export interface NotLeased {
  readonly retryAfterMs: number;
}

/** Holds the leased keys of one fund, and admits requests by them. All of it is in memory. */
export class KeyLeases {
  readonly #ports: LeasePorts;
  readonly #entries = new Map<string, Entry>();
  #waiting = 0;

  constructor(ports: LeasePorts) {
    this.#ports = ports;
  }

  /**
   * Decides a request by the lease of its key, and takes its tokens. Requests the lease if the fund has none. After
   * half of its life, renews it without delaying the answer. If a key has more refused calls than its rate, it loses
   * its lease for a time. Its own object then refuses its calls, so the fund that other keys share does not.
   *
   * @returns the milliseconds until the access key may lease again, if no lease exists.
   */
  async admit(keyId: string, fundId: string, request: AdmissionRequest): Promise<Outcome<Admitted> | NotLeased> {
    const entry = this.#entry(keyId);
    if (this.#passed(entry) >= 1) await this.#wait(entry, keyId, fundId);
    const passed = this.#passed(entry);
    const { lease } = entry;
    // A recall misses an entry that was dropped to make room during an await.
    if (lease === null || passed >= 1 || this.#entries.get(keyId) !== entry) return this.#notLeased(entry);
    if (passed > RENEWED_AFTER) this.#ports.afterAnswer(this.#renew(entry, keyId, fundId));
    const buckets = { ...FULL_BUCKETS, calls: lease.bucket };
    const decision = decideAdmission(lease.record, buckets, request, this.#ports.now().wallMs, this.#ports.random);
    lease.bucket = decision.buckets.calls;
    const isRefused = !decision.outcome.ok || decision.outcome.value.calls.some(({ ok }) => !ok);
    if (!isRefused || !this.#isFlood(entry, lease)) return decision.outcome;
    // The key's object would take the token of a refused call again.
    lease.isOver = true;
    entry.request = null;
    entry.pausedUntilMs = this.#monotonicMs() + NO_LEASE_MS;
    return this.#notLeased(entry);
  }

  /** Counts a refused call. Returns true if a second had more of them than the key's rate. */
  #isFlood(entry: Entry, { record }: Lease): boolean {
    const nowMs = this.#monotonicMs();
    const passedMs = nowMs - entry.refusals.sinceMs;
    if (passedMs < 0 || passedMs >= FLOOD_MS) entry.refusals = { sinceMs: nowMs, count: 0 };
    entry.refusals.count += 1;
    return entry.refusals.count > Math.max(record.limits.qps, MIN_BURST_CALLS);
  }

  #notLeased(entry: Entry): NotLeased {
    return { retryAfterMs: this.#pauseLeftMs(entry) };
  }

  /** A clock that was ahead must not extend the pause beyond its longest time. */
  #pauseLeftMs({ pausedUntilMs }: Entry): number {
    const leftMs = pausedUntilMs - this.#monotonicMs();
    return leftMs > 0 && leftMs <= NO_LEASE_MS ? leftMs : 0;
  }

  /** Waits for a lease, unless too many calls already wait. */
  async #wait(entry: Entry, keyId: string, fundId: string): Promise<void> {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    try {
      await this.#renew(entry, keyId, fundId);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends the lease of a key, and drops the answer of a request under way. A repeat returns the same bucket. */
  recall(keyId: string): Recalled {
    const entry = this.#entries.get(keyId);
    if (entry === undefined) return { returned: null };
    entry.request = null;
    const { lease } = entry;
    if (lease === null) return { returned: null };
    lease.isOver = true;
    const { leaseId, bucket, record } = lease;
    return { returned: { leaseId, ...handOver(bucket, record.limits.qps, this.#ports.now().wallMs) } };
  }

  /** Returns the part of the lease's life that has passed. 1 or more if no lease is valid. */
  #passed({ lease }: Entry): number {
    if (lease === null || lease.isOver) return 1;
    const now = this.#ports.now();
    lease.isOver = hasSteppedBack(lease.seen, now);
    lease.seen = now;
    return lease.isOver ? 1 : partPassed(lease.begin, lease.durationMs, now);
  }

  #monotonicMs(): number {
    return this.#ports.now().monotonicMs;
  }

  /** Requests a lease, once for all calls that wait. Never rejects. */
  #renew(entry: Entry, keyId: string, fundId: string): Promise<void> {
    if (entry.request !== null) return entry.request.done;
    if (this.#pauseLeftMs(entry) > 0) return Promise.resolve();
    const request = { done: Promise.resolve() };
    entry.request = request;
    request.done = this.#take(entry, request, { keyId, fundId });
    return request.done;
  }

  async #take(entry: Entry, request: Request, { keyId, fundId }: { keyId: string; fundId: string }): Promise<void> {
    const begin = this.#ports.now();
    const held = entry.lease;
    const isCurrent = () => entry.request === request;
    try {
      const asked = this.#ports.request(keyId, { fundId, heldLeaseId: held?.leaseId ?? null });
      const answer = await inTime(ANSWER_MS, asked);
      if (answer === null) throw new Error(`the access key did not answer within ${ANSWER_MS} ms`);
      entry.isSilent = false;
      if (!isCurrent()) return;
      if (answer.lease === null) entry.pausedUntilMs = this.#monotonicMs() + answer.retryAfterMs;
      else {
        const { bucket: handed, ...lease } = answer.lease;
        const seen = this.#ports.now();
        const bucket = handed === undefined ? (held?.bucket ?? null) : takeOver(handed, seen.wallMs);
        entry.lease = { ...lease, begin, seen, bucket, isOver: hasSteppedBack(begin, seen) };
      }
    } catch (error) {
      if (isCurrent()) entry.pausedUntilMs = this.#monotonicMs() + SILENCE_MS;
      if (!entry.isSilent) this.#ports.logFailure(keyId, error);
      entry.isSilent = true;
    } finally {
      if (isCurrent()) entry.request = null;
    }
  }

  #entry(keyId: string): Entry {
    const entry = this.#entries.get(keyId) ?? {
      lease: null,
      request: null,
      pausedUntilMs: 0,
      isSilent: false,
      refusals: { sinceMs: 0, count: 0 },
    };
    this.#entries.delete(keyId);
    this.#entries.set(keyId, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_KEYS) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }
}
