/** A key that is allowed one call a second can still make the few calls of one user's action at once. */
export const MIN_BURST_CALLS = 5;

/**
 * What a bucket of compute units holds at least: the dearest query that is let through. So every such query passes on a
 * full bucket, whatever the key's rate, and a low rate makes queries rare instead of impossible.
 */
export const MIN_BURST_COMPUTE_UNITS = 5_000;

/** One call costs this many units, so that each millisecond refills exactly `qps` of them: integers, no drift. */
const UNITS_PER_CALL = 1000;

/** Kept in memory by the object that counts. Losing it (eviction, restart) fills it up: one burst too many, no more. */
export interface TokenBucket {
  readonly units: number;
  readonly atMs: number;
}

function capacityUnits(qps: number, minBurst: number): number {
  return Math.max(qps, minBurst) * UNITS_PER_CALL;
}

export function fullBucket(qps: number, nowMs: number, minBurst = MIN_BURST_CALLS): TokenBucket {
  return { units: capacityUnits(qps, minBurst), atMs: nowMs };
}

/** Whole tokens in a bucket. */
export function tokensIn({ units }: TokenBucket): number {
  return Math.floor(units / UNITS_PER_CALL);
}

/** A clock that steps back must neither refill the bucket nor keep it from refilling until time has caught up. */
function refill(bucket: TokenBucket, qps: number, nowMs: number, minBurst: number): TokenBucket {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { units: Math.min(capacityUnits(qps, minBurst), bucket.units + elapsedMs * qps), atMs: nowMs };
}

/** `takeCosts` where each of `calls` calls costs one token. */
export function takeCalls(bucket: TokenBucket, qps: number, calls: number, nowMs: number): Taken {
  return takeCosts(bucket, qps, Array<number>(calls).fill(1), nowMs);
}

export interface Taken {
  readonly bucket: TokenBucket;
  readonly waitsMs: readonly number[];
}

/**
 * Takes the tokens that calls cost, in order, as far as there are any: a call that finds too few takes nothing, and
 * none after it overtakes it.
 *
 * @param costs tokens of each call, 1 to `minBurst`.
 * @param qps calls per second, a positive integer. May differ from one call to the next: the new rate holds at once.
 * @param minBurst what the bucket holds at least, when it is full.
 * @returns for each call 0 (admitted), or the milliseconds after which it will be admitted if every refused call
 *   before it comes back at its own time and nobody else takes a token.
 */
export function takeCosts(
  bucket: TokenBucket,
  qps: number,
  costs: readonly number[],
  nowMs: number,
  minBurst = MIN_BURST_CALLS,
): Taken {
  const { atMs, units: full } = refill(bucket, qps, nowMs, minBurst);
  let units = full;
  let waitingUnits = 0;
  const waitsMs = costs.map((cost) => {
    const costUnits = cost * UNITS_PER_CALL;
    if (waitingUnits === 0 && costUnits <= units) {
      units -= costUnits;
      return 0;
    }
    waitingUnits += costUnits;
    return Math.ceil((waitingUnits - units) / qps);
  });
  return { bucket: { units, atMs }, waitsMs };
}
