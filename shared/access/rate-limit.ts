/** A key that is allowed one call a second can still make the few calls of one user's action at once. */
export const MIN_BURST_CALLS = 5;

/** One call costs this many units, so that each millisecond refills exactly `qps` of them: integers, no drift. */
const UNITS_PER_CALL = 1000;

/** Kept in memory by the object that counts. Losing it (eviction, restart) fills it up: one burst too many, no more. */
export interface TokenBucket {
  readonly units: number;
  readonly atMs: number;
}

function capacityUnits(qps: number): number {
  return Math.max(qps, MIN_BURST_CALLS) * UNITS_PER_CALL;
}

export function fullBucket(qps: number, nowMs: number): TokenBucket {
  return { units: capacityUnits(qps), atMs: nowMs };
}

/** A clock that steps back must neither refill the bucket nor keep it from refilling until time has caught up. */
function refill(bucket: TokenBucket, qps: number, nowMs: number): TokenBucket {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { units: Math.min(capacityUnits(qps), bucket.units + elapsedMs * qps), atMs: nowMs };
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
 * @param costs tokens of each call, 1 to `MIN_BURST_CALLS`.
 * @param qps calls per second, a positive integer. May differ from one call to the next: the new rate holds at once.
 * @returns for each call 0 (admitted), or the milliseconds after which it will be admitted if every refused call
 *   before it comes back at its own time and nobody else takes a token.
 */
export function takeCosts(bucket: TokenBucket, qps: number, costs: readonly number[], nowMs: number): Taken {
  const { atMs, units: full } = refill(bucket, qps, nowMs);
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
