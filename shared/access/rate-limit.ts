/** A key that is allowed one call a second can still make the few calls of one user's action at once. */
export const MIN_BURST_CALLS = 5;

/**
 * What a bucket of compute units holds at least: the dearest query that is let through. So every such query passes on a
 * full bucket, whatever the key's rate, and a low rate makes queries rare instead of impossible.
 */
export const MIN_BURST_COMPUTE_UNITS = 5_000;

/** One call costs this many milliTokens, so that each millisecond refills exactly `tokensPerSecond` of them: integers, no drift. */
const MILLI_TOKENS_PER_CALL = 1000;

/** Kept in memory by the object that counts. Losing it (eviction, restart) fills it up: one burst too many, no more. */
export interface TokenBucket {
  readonly milliTokens: number;
  readonly atMs: number;
}

function capacityMilliTokens(tokensPerSecond: number, minBurst: number): number {
  return Math.max(tokensPerSecond, minBurst) * MILLI_TOKENS_PER_CALL;
}

export function fullBucket(tokensPerSecond: number, nowMs: number, minBurst = MIN_BURST_CALLS): TokenBucket {
  return { milliTokens: capacityMilliTokens(tokensPerSecond, minBurst), atMs: nowMs };
}

/** Whole tokens in a bucket. */
export function tokensIn({ milliTokens }: TokenBucket): number {
  return Math.floor(milliTokens / MILLI_TOKENS_PER_CALL);
}

/** A clock that steps back must neither refill the bucket nor keep it from refilling until time has caught up. */
function refill(bucket: TokenBucket, tokensPerSecond: number, nowMs: number, minBurst: number): TokenBucket {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return {
    milliTokens: Math.min(
      capacityMilliTokens(tokensPerSecond, minBurst),
      bucket.milliTokens + elapsedMs * tokensPerSecond,
    ),
    atMs: nowMs,
  };
}

/** `takeCosts` where each of `calls` calls costs one token. */
export function takeCalls(bucket: TokenBucket, tokensPerSecond: number, calls: number, nowMs: number): Taken {
  return takeCosts(bucket, tokensPerSecond, Array<number>(calls).fill(1), nowMs);
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
 * @param tokensPerSecond calls per second, a positive integer. May differ from one call to the next: the new rate holds at once.
 * @param minBurst what the bucket holds at least, when it is full.
 * @returns for each call 0 (admitted), or the milliseconds after which it will be admitted if every refused call
 *   before it comes back at its own time and nobody else takes a token.
 */
export function takeCosts(
  bucket: TokenBucket,
  tokensPerSecond: number,
  costs: readonly number[],
  nowMs: number,
  minBurst = MIN_BURST_CALLS,
): Taken {
  const { atMs, milliTokens: full } = refill(bucket, tokensPerSecond, nowMs, minBurst);
  let milliTokens = full;
  let waitingMilliTokens = 0;
  const waitsMs = costs.map((cost) => {
    const costMilliTokens = cost * MILLI_TOKENS_PER_CALL;
    if (waitingMilliTokens === 0 && costMilliTokens <= milliTokens) {
      milliTokens -= costMilliTokens;
      return 0;
    }
    waitingMilliTokens += costMilliTokens;
    return Math.ceil((waitingMilliTokens - milliTokens) / tokensPerSecond);
  });
  return { bucket: { milliTokens, atMs }, waitsMs };
}
