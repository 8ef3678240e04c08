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

/**
 * Takes one token for each of `calls` calls, in order, as far as there are any; a call that finds none takes nothing.
 *
 * @param qps calls per second, a positive integer. May differ from one call to the next: the new rate holds at once.
 * @returns for each call 0 (admitted), or the milliseconds after which it will be admitted if every refused call
 *   before it comes back at its own time and nobody else takes a token.
 */
export function takeCalls(
  bucket: TokenBucket,
  qps: number,
  calls: number,
  nowMs: number,
): { readonly bucket: TokenBucket; readonly waitsMs: readonly number[] } {
  const { units, atMs } = refill(bucket, qps, nowMs);
  const admitted = Math.min(calls, Math.floor(units / UNITS_PER_CALL));
  const left = units - admitted * UNITS_PER_CALL;
  const waitsMs = Array.from({ length: calls }, (_, index) =>
    index < admitted ? 0 : Math.ceil(((index - admitted + 1) * UNITS_PER_CALL - left) / qps),
  );
  return { bucket: { units: left, atMs }, waitsMs };
}
