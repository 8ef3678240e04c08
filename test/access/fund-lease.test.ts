import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FundLease, type LeaseStore } from "../../shared/access/fund-lease.ts";
import { type Instant, LEASE_MARGIN_MS, LEASE_MS, type LeaseAnswer, type Recalled } from "../../shared/access/lease.ts";
import type { AccessKeyRecord, AdmissionRequest } from "../../shared/access/record.ts";
import { KeyLeases } from "../../shared/fund/key-leases.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";

const KEY_ID = "key_00000000000000000001";
const FUND_ID = "fund_00000000000000000001";
const secretHash = new Uint8Array(32).fill(9);
const record: AccessKeyRecord = {
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
const request: AdmissionRequest = { secretHash, chain: "sui", calls: [["gas"]] };

/** The two holders of a lease, with a network between them that a test can break. */
class Pair {
  record = record;
  isReachable = true;
  /** Delays the answer to a request for a lease. */
  answerDelayMs = 0;
  /** Moves the fund's wall clock. */
  fundOffsetMs = 0;
  stored: string | null = null;
  lease = this.newLease();
  leases = this.newLeases();
  requests = 0;

  /** The key's side, as a new instance has it. */
  newLease(): FundLease {
    const store: LeaseStore = {
      read: () => this.stored,
      write: (id) => {
        this.stored = id;
      },
      clear: () => {
        this.stored = null;
      },
    };
    let ids = 0;
    return new FundLease(store, {
      nowMs: () => Date.now(),
      newLeaseId: () => `${Math.random()} ${++ids}`,
      recall: async (): Promise<Recalled> => {
        if (!this.isReachable) throw new Error("unreachable");
        return this.leases.recall(KEY_ID);
      },
    });
  }

  newLeases(): KeyLeases {
    return new KeyLeases({
      now: (): Instant => ({ wallMs: Date.now() + this.fundOffsetMs, monotonicMs: performance.now() }),
      random: () => 0,
      request: async (_keyId, asked): Promise<LeaseAnswer> => {
        this.requests += 1;
        if (!this.isReachable) throw new Error("unreachable");
        const answer = this.lease.grant(asked, this.record);
        if (this.answerDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.answerDelayMs));
        return answer;
      },
      afterAnswer: () => {},
      logFailure: () => {},
    });
  }

  async admits(): Promise<boolean> {
    const decided = await this.leases.admit(KEY_ID, FUND_ID, request);
    return !("retryAfterMs" in decided) && decided.ok && decided.value.calls[0]?.ok === true;
  }
}

let pair: Pair;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
  pair = new Pair();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a change waits for the end of a lease that cannot be recalled, and no longer", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  let isAnswered = false;
  const changed = pair.lease.endForChange(record).then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
  expect(await pair.admits()).toBe(true);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await pair.admits()).toBe(false);
  expect(isAnswered).toBe(false);
  await vi.advanceTimersByTimeAsync(LEASE_MARGIN_MS + 1);
  expect(isAnswered).toBe(true);
  await changed;
  // Its fund may have spent all of it.
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 0 });
});

test("a new instance of the key recalls what an earlier one has granted", async () => {
  expect(await pair.admits()).toBe(true);
  pair.lease = pair.newLease();
  expect(pair.lease.isOut).toBe(true);
  await pair.lease.endForChange(record);
  expect(pair.lease.isOut).toBe(false);
  pair.isReachable = false;
  expect(await pair.admits()).toBe(false);
});

test("a lease that was under way during a recall does not count", async () => {
  pair.answerDelayMs = 1_000;
  const admitting = pair.admits();
  await vi.advanceTimersByTimeAsync(500);
  expect(pair.lease.isOut).toBe(true);
  await pair.lease.endForChange(record);
  pair.isReachable = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await admitting).toBe(false);
  expect(await pair.admits()).toBe(false);
});

test("a lease ends for a fund whose clock steps back, and after its life from before the request", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  pair.fundOffsetMs = -1;
  expect(await pair.admits()).toBe(false);
  pair = new Pair();
  pair.answerDelayMs = 4_000;
  const admitting = pair.admits();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await admitting).toBe(true);
  pair.isReachable = false;
  await vi.advanceTimersByTimeAsync(LEASE_MS - 4_000);
  expect(await pair.admits()).toBe(false);
});

test("a busy key never waits for its renewal, and its bucket goes on", async () => {
  for (let calls = 0; calls < 10; calls++) expect(await pair.admits()).toBe(true);
  expect(await pair.admits()).toBe(false);
  expect(pair.requests).toBe(1);
  for (let waitedMs = 0; waitedMs < 5 * LEASE_MS; waitedMs += 100) {
    await vi.advanceTimersByTimeAsync(100);
    expect(await pair.admits()).toBe(true);
    expect(await pair.admits()).toBe(false);
  }
  expect(pair.requests).toBeGreaterThan(5);
  expect(pair.requests).toBeLessThan(15);
});

test("a fund that loses its memory gets the bucket of the hand-over, and the key the rest of a recall", async () => {
  for (let calls = 0; calls < 4; calls++) expect(await pair.admits()).toBe(true);
  await pair.lease.takeBack(record);
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 6_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await pair.admits()).toBe(true);
  pair.leases = pair.newLeases();
  let admitted = 0;
  for (let calls = 0; calls < 20; calls++) if (await pair.admits()) admitted += 1;
  expect(admitted).toBe(10);
});

test("while a fund does not answer, the key admits nothing that the fund may have admitted", async () => {
  expect(await pair.admits()).toBe(true);
  pair.isReachable = false;
  await pair.lease.takeBack(record);
  expect(pair.lease.isOut).toBe(true);
  expect(pair.lease.bucket).toMatchObject({ milliTokens: 0 });
  pair.isReachable = true;
  await vi.advanceTimersByTimeAsync(250);
  expect(pair.lease.isOut).toBe(false);
  expect(pair.lease.bucket?.milliTokens).toBeGreaterThan(8_000);
});
