import {
  handOver,
  hasSteppedBack,
  type Instant,
  type LeaseAnswer,
  type LeaseRequest,
  partPassed,
  type Recalled,
  takeOver,
} from "../access/lease.ts";
import type { TokenBucket } from "../access/rate-limit.ts";
import {
  type AccessKeyRecord,
  type AdmissionRequest,
  type Admitted,
  decideAdmission,
  FULL_BUCKETS,
} from "../access/record.ts";
import type { Outcome } from "../errors.ts";

/** Limit of the keys in memory. The key that was used least recently goes first. */
const MAX_KEYS = 4_096;
/** A lease is renewed once this part of its life has passed. */
const RENEWED_AFTER = 0.5;
/** The pause after an access key that did not answer. */
const SILENCE_MS = 1_000;

/** The outside of the leases of a fund. */
export interface LeasePorts {
  readonly now: () => Instant;
  readonly random: () => number;
  /** Requests a lease from the access key's object. */
  readonly request: (keyId: string, request: LeaseRequest) => Promise<LeaseAnswer>;
  /** Keeps the object alive for work that goes on after the answer. */
  readonly afterAnswer: (work: Promise<unknown>) => void;
  readonly logFailure: (keyId: string, error: unknown) => void;
}

interface Lease {
  readonly leaseId: string;
  readonly record: AccessKeyRecord;
  /** From before the request was sent. */
  readonly begin: Instant;
  readonly durationMs: number;
  /** The last time that a call saw. */
  seen: Instant;
  bucket: TokenBucket | null;
  /** True after a recall, or after a clock stepped back. The bucket stays until the access key takes it. */
  isOver: boolean;
}

/** A request for a lease under way. */
interface Request {
  done: Promise<void>;
}

interface Entry {
  lease: Lease | null;
  /** A recall removes it, and then its answer does not count. */
  request: Request | null;
  /** No request before this time. */
  pausedUntilMs: number;
}

/** An admission that this fund did not decide. */
export interface NotLeased {
  readonly retryAfterMs: number;
}

/** Holds the leased keys of one fund, and admits requests by them. All of it is in memory. */
export class KeyLeases {
  readonly #ports: LeasePorts;
  readonly #entries = new Map<string, Entry>();

  constructor(ports: LeasePorts) {
    this.#ports = ports;
  }

  /**
   * Decides a request by the lease of its key, and takes its tokens. Requests the lease if there is none. Renews it
   * beside the answer once half of it has passed.
   *
   * @returns the milliseconds until the access key may lease again, if there is no lease.
   */
  async admit(keyId: string, fundId: string, request: AdmissionRequest): Promise<Outcome<Admitted> | NotLeased> {
    const entry = this.#entry(keyId);
    if (this.#passed(entry) >= 1) await this.#renew(entry, keyId, fundId);
    const passed = this.#passed(entry);
    const { lease } = entry;
    // A recall does not find an entry that made room for others meanwhile.
    if (lease === null || passed >= 1 || this.#entries.get(keyId) !== entry)
      return { retryAfterMs: Math.max(entry.pausedUntilMs - this.#monotonicMs(), 0) };
    if (passed > RENEWED_AFTER) this.#ports.afterAnswer(this.#renew(entry, keyId, fundId));
    const buckets = { ...FULL_BUCKETS, calls: lease.bucket };
    const decision = decideAdmission(lease.record, buckets, request, this.#ports.now().wallMs, this.#ports.random);
    lease.bucket = decision.buckets.calls;
    return decision.outcome;
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

  /** Returns the part of the lease's life that has passed. 1 or more if no lease holds. */
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
    if (this.#monotonicMs() < entry.pausedUntilMs) return Promise.resolve();
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
      const answer = await this.#ports.request(keyId, { fundId, heldLeaseId: held?.leaseId ?? null });
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
      this.#ports.logFailure(keyId, error);
    } finally {
      if (isCurrent()) entry.request = null;
    }
  }

  #entry(keyId: string): Entry {
    const entry = this.#entries.get(keyId) ?? { lease: null, request: null, pausedUntilMs: 0 };
    this.#entries.delete(keyId);
    this.#entries.set(keyId, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_KEYS) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }
}
