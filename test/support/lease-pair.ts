import { FundLease, type LeaseStore } from "../../shared/access/fund-lease.ts";
import type { Instant, LeaseAnswer, Recalled } from "../../shared/access/lease.ts";
import {
  type AccessKeyRecord,
  type AdmissionRequest,
  type Admitted,
  decideAdmission,
  FULL_BUCKETS,
} from "../../shared/access/record.ts";
import type { Outcome } from "../../shared/errors.ts";
import { KeyLeases, type NotLeased } from "../../shared/fund/key-leases.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { sleep } from "../../shared/timing.ts";

export const KEY_ID = "key_00000000000000000001";
export const FUND_ID = "fund_00000000000000000001";
const secretHash = new Uint8Array(32).fill(9);
export const record: AccessKeyRecord = {
  keyId: KEY_ID,
  projectId: "prj_00000000000000000001",
  name: "app",
  network: "SUI_TESTNET",
  rights: ["gas"],
  fundId: FUND_ID,
  limits: { qps: 10, cups: 1_000, sessionsPerSecond: 1 },
  policy: defaultKeyPolicy("sui"),
  status: "active",
  createdAtMs: 0,
  sessionEpoch: 0,
  secretHash,
};
export const request: AdmissionRequest = { secretHash, chain: "sui", calls: [["gas"]] };

/** What happens to one message between the two objects. Times in ms. */
export interface Way {
  readonly thereMs: number;
  readonly backMs: number;
  readonly lost: "request" | "reply" | null;
}

/** The epoch of the record by which a call was admitted. Null if it was not. */
export function epochOf(outcome: Outcome<Admitted> | NotLeased): number | null {
  if ("retryAfterMs" in outcome || !outcome.ok || outcome.value.calls[0]?.ok !== true) return null;
  return outcome.value.caller.sessionEpoch;
}

/** The two holders of a lease, with a network between them that a test can break. */
export class LeasePair {
  record = record;
  isReachable = true;
  /** Delays the answer to a request for a lease. */
  answerDelayMs = 0;
  /** Moves the fund's wall clock. */
  fundOffsetMs = 0;
  /** Moves the other clock of the fund. */
  fundAheadMs = 0;
  stored: string | null = null;
  requests = 0;
  fundCalls = 0;
  failures = 0;
  /** Chooses the way of each message. */
  way: () => Way = () => ({ thereMs: 0, backMs: this.answerDelayMs, lost: this.isReachable ? null : "request" });
  lease = this.newLease();
  leases = this.newLeases();

  /** The key's side, as a new instance has it. A dead instance stores nothing. */
  newLease(): FundLease {
    const isAlive = () => this.lease === lease;
    const store: LeaseStore = {
      read: () => this.stored,
      write: (id) => {
        if (isAlive()) this.stored = id;
      },
      clear: () => {
        if (isAlive()) this.stored = null;
      },
    };
    let ids = 0;
    const lease: FundLease = new FundLease(store, {
      nowMs: () => Date.now(),
      newLeaseId: () => `${Math.random()} ${++ids}`,
      recall: (): Promise<Recalled> => this.#carry({ ...this.way(), backMs: 0 }, () => this.leases.recall(KEY_ID)),
    });
    return lease;
  }

  newLeases(): KeyLeases {
    return new KeyLeases({
      now: (): Instant => ({
        wallMs: Date.now() + this.fundOffsetMs,
        monotonicMs: performance.now() + this.fundAheadMs,
      }),
      random: () => 0,
      request: (_keyId, asked): Promise<LeaseAnswer> => {
        this.requests += 1;
        return this.#carry(this.way(), () => this.lease.grant(asked, this.record));
      },
      afterAnswer: () => {},
      logFailure: () => {
        this.failures += 1;
      },
    });
  }

  async #carry<T>({ thereMs, backMs, lost }: Way, work: () => T): Promise<T> {
    if (thereMs > 0) await sleep(thereMs);
    if (lost === "request") throw new Error("unreachable");
    const answer = work();
    if (backMs > 0) await sleep(backMs);
    if (lost === "reply") throw new Error("unreachable");
    return answer;
  }

  /** Has the fund decide a call. */
  async atFund(): Promise<Outcome<Admitted> | NotLeased> {
    this.fundCalls += 1;
    const { leases } = this;
    const outcome = await leases.admit(KEY_ID, FUND_ID, request);
    if (leases !== this.leases) throw new Error("the fund was evicted");
    return outcome;
  }

  /** Has the key decide a call. */
  async atKey(): Promise<Outcome<Admitted>> {
    const { lease } = this;
    await lease.takeBack(this.record);
    if (lease !== this.lease) throw new Error("the key was evicted");
    const buckets = { ...FULL_BUCKETS, calls: lease.bucketFor(this.record) };
    const decision = decideAdmission(this.record, buckets, request, Date.now());
    lease.setBucket(decision.buckets.calls);
    return decision.outcome;
  }

  async admits(): Promise<boolean> {
    return epochOf(await this.atFund()) !== null;
  }
}
