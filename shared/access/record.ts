import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { type Right, rights } from "../api/contract.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { jittered } from "../jitter.ts";
import { type Chain, chainOf, type Network } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";
import { type PolicyPatch, patchPolicy } from "../policy/policy-schema.ts";
import type { SecretDerivation } from "../wallet/derivation.ts";
import type { Caller } from "./caller.ts";
import { fullBucket, MIN_BURST_COMPUTE_UNITS, type TokenBucket, takeCalls, takeCosts, tokensIn } from "./rate-limit.ts";

const MAX_QPS = 10_000;
const MAX_CUPS = 1_000_000;

const MAX_SESSIONS_PER_SECOND = 1_000;

const qps = z.int().min(1).max(MAX_QPS);
const cups = z.int().min(1).max(MAX_CUPS);
const sessionsPerSecond = z
  .int()
  .min(1)
  .max(MAX_SESSIONS_PER_SECOND)
  .describe(
    "exchanges of a secret for a session; an import counts as two. The default is 100 with hkdf, 1 with scrypt",
  );

/** Queries, compute units and sessions per second. */
export const limitsSchema = z.strictObject({ qps, cups, sessionsPerSecond });
/** The limits of an access key, a second each. */
export type Limits = z.output<typeof limitsSchema>;

/** Limits as an operator sends them. */
export const newLimitsSchema = z.strictObject({ qps, cups, sessionsPerSecond: sessionsPerSecond.exactOptional() });
/** The limits of an access key as an operator sends them. Sessions may be left out. */
export type NewLimits = z.output<typeof newLimitsSchema>;

/**
 * Default limits. A session costs as much as hundreds of other calls with `scrypt`, and is a guess at weak secrets. It
 * costs nothing with `hkdf`, and there is nothing to guess.
 */
export const SESSIONS_PER_SECOND: Readonly<Record<SecretDerivation, number>> = { scrypt: 1, hkdf: 100 };

/** Rights in the order of their declaration and without repeats, for any order of the input. */
export const rightsSchema = z
  .array(z.enum(rights))
  .min(1)
  .max(rights.length)
  .transform((list): readonly Right[] => rights.filter((right) => list.includes(right)));

/** The statuses of an access key. */
export const keyStatuses = ["active", "disabled"] as const;
/** The status of an access key. A disabled one is refused from the next call on. */
export type KeyStatus = (typeof keyStatuses)[number];

/** The operator's view of a key. The key itself is shown once, when it is made. */
export interface AccessKeyView {
  readonly keyId: string;
  readonly projectId: string;
  readonly name: string;
  readonly network: Network;
  readonly rights: readonly Right[];
  /** Set once, and used only while the key has the gas right. */
  readonly fundId: string | null;
  readonly limits: Limits;
  /** Applies beside the fund's own policy, and counts this key alone. */
  readonly policy: FundPolicy;
  readonly status: KeyStatus;
  readonly createdAtMs: number;
}

/** The record of an access key. The secret is kept as a hash. */
export interface AccessKeyRecord extends AccessKeyView {
  /** The project's sessions from before this epoch are dead. */
  readonly sessionEpoch: number;
  readonly secretHash: Uint8Array;
}

/** A change of an access key. Absent fields stay. */
export interface AccessKeyPatch {
  readonly name?: string;
  readonly status?: KeyStatus;
  readonly rights?: readonly Right[];
  /** The limit of sessions does not change if it is left out. */
  readonly limits?: NewLimits;
  readonly policy?: PolicyPatch;
}

/**
 * Returns the reason why a key with these rights cannot exist. Null if it can. `fundNetwork` is null if the project
 * has no such fund.
 */
export function newKeyProblem(
  key: { readonly rights: readonly Right[]; readonly network: Network; readonly fundId: string | null },
  fundNetwork: Network | null,
): string | null {
  const withGas = key.rights.includes("gas");
  if (key.fundId === null) return withGas ? "the gas right needs a fundId" : null;
  if (!withGas) return "a fundId needs the gas right";
  if (fundNetwork === null) return "the project has no fund of this id: list its funds";
  return fundNetwork === key.network
    ? null
    : `the fund is on ${fundNetwork}, the key on ${key.network}: use one network for both`;
}

/**
 * Changes a key. A key that loses the gas right keeps its fund, unused, so that the right can be given back. A key
 * made without a fund can never get the gas right. Its fund was not decided when it was handed out.
 */
export function patchKey(
  record: AccessKeyRecord,
  { policy = {}, limits, ...patch }: AccessKeyPatch,
): Outcome<AccessKeyRecord> {
  if (patch.rights?.includes("gas") && record.fundId === null)
    return refuse("bad_params", "this key has no fund, and the gas right needs one: make a key with a fund");
  return done({
    ...record,
    ...patch,
    limits: { ...record.limits, ...limits },
    policy: patchPolicy(record.policy, policy),
  });
}

/** Refuses every key that is not live in the same way. A caller cannot learn which ids exist or were disabled. */
export function badKey(): ReturnType<typeof refuse> {
  return refuse("bad_key", "unknown or disabled access key: use one that is active");
}

/** A request to admit, with a key that the edge found genuine. */
export interface AdmissionRequest {
  readonly secretHash: Uint8Array;
  /** The chain that the request's path serves. */
  readonly chain: Chain;
  /** The rights that each call of the batch needs. */
  readonly calls: readonly (readonly Right[])[];
  /** The number of keys that each call derives from a secret. Absent for none. */
  readonly derivations?: readonly number[];
  /**
   * The cost of the only call, 1 to `MIN_BURST_COMPUTE_UNITS`. It is taken from the compute units a second, not from
   * the calls.
   */
  readonly computeUnits?: number;
  /** True if the caller can send the request to the key's fund, should that hold a lease of the key. */
  readonly fundMayAdmit?: boolean;
}

/** Buckets in memory of the key's object. A null bucket does not exist yet, and counts as full. */
export interface RateBuckets {
  readonly calls: TokenBucket | null;
  readonly derivations: TokenBucket | null;
  readonly computeUnits: TokenBucket | null;
}

/** The buckets of a key that has not called yet. */
export const FULL_BUCKETS: RateBuckets = { calls: null, derivations: null, computeUnits: null };

/** An admitted request. Each of its calls may still be refused. */
export interface Admitted {
  readonly caller: Caller;
  /** One outcome for each call, in order. */
  readonly calls: readonly Outcome<null>[];
  /** The compute units left, if the call cost some. */
  readonly computeUnitsLeft?: number;
  /** True if nothing was decided: the key's fund holds a lease, and admits the request. `calls` is empty then. */
  readonly isLeased?: boolean;
}

/** Takes a request's tokens from the bucket of its interface. */
function takeRate({ limits }: AccessKeyRecord, buckets: RateBuckets, request: AdmissionRequest, nowMs: number) {
  const { qps, cups } = limits;
  if (request.computeUnits === undefined) {
    const { bucket, waitsMs } = takeCalls(buckets.calls ?? fullBucket(qps, nowMs), qps, request.calls.length, nowMs);
    return { limit: "qps", buckets: { ...buckets, calls: bucket }, waitsMs } as const;
  }
  const full = buckets.computeUnits ?? fullBucket(cups, nowMs, MIN_BURST_COMPUTE_UNITS);
  const { bucket, waitsMs } = takeCosts(full, cups, [request.computeUnits], nowMs, MIN_BURST_COMPUTE_UNITS);
  const left = { computeUnitsLeft: tokensIn(bucket) };
  return { limit: "cups", buckets: { ...buckets, computeUnits: bucket }, waitsMs, left } as const;
}

/**
 * Decides a whole request of a key that the edge found genuine. Every call that names a live key takes a token. A call
 * that is refused for its network or its rights takes one too, so that refusals are not free. A call that finds no
 * token takes nothing, so that the jittered `retryAfterMs` holds. A metered call takes compute units instead. A call
 * that derives keys from a secret takes a token of a second bucket for each key.
 */
export function decideAdmission(
  record: AccessKeyRecord | null,
  buckets: RateBuckets,
  request: AdmissionRequest,
  nowMs: number,
  random: () => number = () => 0,
): { readonly buckets: RateBuckets; readonly outcome: Outcome<Admitted> } {
  if (record === null || !timingSafeEqual(record.secretHash, request.secretHash) || record.status !== "active")
    return { buckets, outcome: badKey() };
  const { limit, left, ...taken } = takeRate(record, buckets, request, nowMs);
  if (chainOf(record.network) !== request.chain) {
    const details = `this access key is for ${record.network}, this path serves ${request.chain}: call the path of its chain`;
    return { buckets: taken.buckets, outcome: refuse("wrong_network", details) };
  }
  const { sessionsPerSecond } = record.limits;
  const verdicts = request.calls.map((needed, index) =>
    decideCall(record, needed, limit, jittered(taken.waitsMs[index] ?? 0, random)),
  );
  const deriving = verdicts.flatMap((verdict, index) => {
    const cost = request.derivations?.[index] ?? 0;
    return verdict.ok && cost > 0 ? [{ index, cost }] : [];
  });
  const full = buckets.derivations ?? fullBucket(sessionsPerSecond, nowMs);
  const costs = deriving.map(({ cost }) => cost);
  const derivations = takeCosts(full, sessionsPerSecond, costs, nowMs);
  for (const [place, { index }] of deriving.entries()) {
    const waitMs = derivations.waitsMs[place] ?? 0;
    if (waitMs > 0) verdicts[index] = refuseRate("derivation", sessionsPerSecond, jittered(waitMs, random));
  }
  return {
    buckets: { ...taken.buckets, derivations: derivations.bucket },
    outcome: done({ caller: callerOf(record), calls: verdicts, ...left }),
  };
}

function decideCall(
  record: AccessKeyRecord,
  needed: readonly Right[],
  limit: "qps" | "cups",
  waitMs: number,
): Outcome<null> {
  const missing = needed.filter((right) => !record.rights.includes(right));
  if (missing.length > 0)
    return refuse("missing_right", `this access key lacks the right: ${missing.join(", ")}; use a key that has it`);
  return waitMs > 0 ? refuseRate(limit, record.limits[limit], waitMs) : done(null);
}

const COUNTED = { qps: "calls", cups: "compute units", derivation: "exchanges of a secret" } as const;

function refuseRate(limit: keyof typeof COUNTED, perSecond: number, retryAfterMs: number): Outcome<null> {
  return refuse("rate_limited", `the limit of ${COUNTED[limit]} is ${perSecond} a second: repeat later`, {
    limit,
    retryAfterMs,
  });
}

/** Returns the caller that a key's record names. */
export function callerOf({ fundId, ...record }: AccessKeyRecord): Caller {
  const { keyId, projectId, network, rights, policy, sessionEpoch } = record;
  return { keyId, projectId, network, rights, fundId: rights.includes("gas") ? fundId : null, policy, sessionEpoch };
}
