import { isDiskFault } from "../durable/disk-fault.ts";
import { isMissingMethod } from "../durable/missing-method.ts";
import { inTime, sleep } from "../timing.ts";
import {
  handOver,
  LEASE_MARGIN_MS,
  LEASE_MS,
  type LeaseAnswer,
  type LeaseRequest,
  NO_LEASE_MS,
  type Recalled,
  takeOver,
} from "./lease.ts";
import type { TokenBucket } from "./rate-limit.ts";
import type { AccessKeyRecord } from "./record.ts";

/** Part of an access key's storage: a row while the key's fund may hold a lease. */
export const FUND_LEASE_MIGRATION = `
  CREATE TABLE fund_lease (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    lease_id TEXT NOT NULL
  ) STRICT
`;

/** The longest wait of a request for a fund. Then it is refused. */
const RECALL_MS = 2_000;
/** The pause between two recalls of a change, which must wait for one or for the end of the lease. */
const RECALL_AGAIN_MS = 250;
/** The time after which every lease that was granted before is over. */
const LIFE_MS = LEASE_MS + LEASE_MARGIN_MS;

/** Keeps the id of the lease that is out. */
export interface LeaseStore {
  /** Returns null if no lease is out. */
  read(): string | null;
  write(leaseId: string): void;
  clear(): void;
}

/** Keeps the lease in the key's storage. */
export class SqlLeaseStore implements LeaseStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read(): string | null {
    const [row] = this.#sql.exec<{ lease_id: string }>("SELECT lease_id FROM fund_lease").toArray();
    return row?.lease_id ?? null;
  }

  write(leaseId: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO fund_lease (only_row, lease_id) VALUES (1, ?)", leaseId);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM fund_lease");
  }
}

/** The outside of the lease of a key. */
export interface FundLeasePorts {
  readonly nowMs: () => number;
  readonly newLeaseId: () => string;
  /** Recalls the lease at the fund. */
  readonly recall: (key: AccessKeyRecord) => Promise<Recalled>;
}

/**
 * Keeps which of two objects counts the calls of a key: its own, or its fund by a lease. A lease that is out is stored,
 * so that a new instance knows of it. The time of a lease is not stored. A new instance counts its whole life again.
 */
export class FundLease {
  readonly #store: LeaseStore;
  readonly #ports: FundLeasePorts;
  #leaseId: string | null;
  /** The bucket as it was handed over, while the lease is out. */
  #bucket: TokenBucket | null = null;
  /** A time of `performance.now()`, which is the wall clock in workerd. Operators can set it. */
  #noLeaseUntilMs = 0;
  /** No lease is granted while one of these is under way. */
  #recalling: Promise<boolean> | null = null;
  #ending: Promise<void> | null = null;
  #endingSinceMs = 0;
  /** Grants and renewals so far. An acknowledgement from before the latest one does not count. */
  #grants = 0;

  constructor(store: LeaseStore, ports: FundLeasePorts) {
    this.#store = store;
    this.#ports = ports;
    this.#leaseId = store.read();
  }

  /** True if the fund may decide by a lease. */
  get isOut(): boolean {
    return this.#leaseId !== null;
  }

  /**
   * Returns the bucket of the key's calls. While a lease is out, it is empty for the rest of its life, because its fund
   * takes the tokens.
   */
  bucketFor({ limits }: AccessKeyRecord): TokenBucket | null {
    if (!this.isOut) return this.#bucket;
    return { milliTokens: -this.#restMs() * limits.qps, atMs: this.#ports.nowMs() };
  }

  /** Stores the bucket after a decision of this object. It changes nothing while a lease is out. */
  setBucket(bucket: TokenBucket | null): void {
    if (!this.isOut) this.#bucket = bucket;
  }

  /** Grants or renews the lease. Refuses while a change or a recall is under way, and for a time after a recall. */
  grant({ heldLeaseId }: LeaseRequest, record: AccessKeyRecord): LeaseAnswer {
    const isEnding = this.#recalling !== null || this.#ending !== null;
    const pausedMs = this.#noLeaseUntilMs - performance.now();
    // A clock that was ahead must not keep the pause for longer than any pause lasts.
    const isPaused = pausedMs > 0 && pausedMs <= NO_LEASE_MS;
    if (isEnding || isPaused) return { lease: null, retryAfterMs: isPaused ? Math.ceil(pausedMs) : RECALL_AGAIN_MS };
    const isRenewal = this.#leaseId !== null && this.#leaseId === heldLeaseId;
    const leaseId = isRenewal ? heldLeaseId : this.#ports.newLeaseId();
    // The platform sends no answer before this write is on disk.
    if (!isRenewal) this.#store.write(leaseId);
    const granted = { leaseId, record, durationMs: LEASE_MS };
    this.#leaseId = leaseId;
    this.#grants += 1;
    if (isRenewal) return { lease: granted };
    // A fund that lost its memory gets the bucket that it got before. As for a key that lost its own, that is one
    // burst too many at most.
    return { lease: { ...granted, bucket: handOver(this.#bucket, record.limits.qps, this.#ports.nowMs()) } };
  }

  /**
   * Takes the lease back, so that this object can count a request. It grants none for a time then. If the fund does not
   * answer, the bucket is empty until the end of the lease.
   */
  async takeBack(record: AccessKeyRecord): Promise<void> {
    if (!this.isOut) return;
    this.#pause();
    if (this.#ending !== null || (await this.#recalled(record))) return;
    const ended = this.#end(record).then(() => this.#pause());
    // The lease is over in memory also if that could not be stored. A new instance recalls it again.
    ended.catch(() => {});
  }

  #pause(): void {
    this.#noLeaseUntilMs = performance.now() + NO_LEASE_MS;
  }

  /** Returns the rest of the life of a lease that is being ended, in ms. 0 if none is. */
  #restMs(): number {
    if (this.#ending === null) return 0;
    return Math.min(Math.max(this.#endingSinceMs + LIFE_MS - performance.now(), 0), LIFE_MS);
  }

  /**
   * Ends the lease after a change of the key. Returns once the fund confirms that it uses no earlier record, or once
   * every earlier lease has ended.
   */
  async endForChange(record: AccessKeyRecord): Promise<void> {
    if (this.isOut) await this.#end(record);
  }

  /** Forgets the lease of rows that were replaced. */
  reload(): void {
    this.#resume({ milliTokens: null });
  }

  /** Recalls the lease until the fund acknowledges it, or until its life is over. */
  #end(record: AccessKeyRecord): Promise<void> {
    if (this.#ending !== null) return this.#ending;
    this.#endingSinceMs = performance.now();
    this.#ending = this.#recallOrOutlive(record).finally(() => {
      this.#ending = null;
    });
    return this.#ending;
  }

  async #recallOrOutlive(record: AccessKeyRecord): Promise<void> {
    let isOver = false;
    const recall = async () => {
      while (this.isOut && !isOver && !(await this.#recalled(record))) await sleep(RECALL_AGAIN_MS);
    };
    // A timer measures the life. In workerd `performance.now()` is the wall clock, and setting it would shorten the life.
    await inTime(LIFE_MS, recall());
    isOver = true;
    if (this.isOut) this.#resume(EMPTY);
  }

  /** Recalls the lease, once for all that wait. @returns false if the fund did not acknowledge it in time. */
  #recalled(record: AccessKeyRecord): Promise<boolean> {
    this.#recalling ??= this.#recall(record).finally(() => {
      this.#recalling = null;
    });
    return this.#recalling;
  }

  /** Waits for a recall for a limited time. A late acknowledgement still ends the lease. */
  async #recall(record: AccessKeyRecord): Promise<boolean> {
    return (await inTime(RECALL_MS, this.#acceptRecall(record))) ?? false;
  }

  async #acceptRecall(record: AccessKeyRecord): Promise<boolean> {
    const grants = this.#grants;
    const acknowledged = await this.#acknowledged(record);
    // A lease that was granted or renewed since then is not the one that the fund has given up.
    if (acknowledged === null || this.#grants !== grants) return false;
    const { returned } = acknowledged;
    if (this.isOut) this.#resume(returned !== null && returned.leaseId === this.#leaseId ? returned : null);
    return true;
  }

  /** Returns null if the fund cannot be reached. */
  async #acknowledged(record: AccessKeyRecord): Promise<Recalled | null> {
    try {
      return await this.#ports.recall(record);
    } catch (error) {
      // A fund of an earlier build holds no lease.
      return isMissingMethod(error, "recallLease") ? { returned: null } : null;
    }
  }

  /** @param handed null if the fund has taken nothing from the bucket that it got. */
  #resume(handed: { readonly milliTokens: number | null } | null): void {
    this.#leaseId = null;
    if (handed !== null) this.#bucket = takeOver(handed, this.#ports.nowMs());
    try {
      this.#store.clear();
    } catch (error) {
      // A full disk must not fail a request. A new instance then recalls a lease that is over.
      if (!isDiskFault(error)) throw error;
    }
  }
}

const EMPTY = { milliTokens: 0 };
