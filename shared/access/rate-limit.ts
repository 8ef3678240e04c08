/** A key with one call a second can still make the few calls of one user's action at once. */
export const MIN_BURST_CALLS = 5;

/**
 * The least size of a bucket of compute units: the most expensive admitted query. So every such query passes on a full
 * bucket, at any rate of the key. A low rate makes queries rare instead of impossible.
 */
export const MIN_BURST_COMPUTE_UNITS = 5_000;

/** MilliTokens of one call. Each millisecond refills exactly `tokensPerSecond` of them: integers, no drift. */
const MILLI_TOKENS_PER_CALL = 1000;

/**
 * The bucket is in memory of the object that counts. Its loss (eviction, restart) fills it: one burst too many, no
 * more.
 */
export interface TokenBucket {
  readonly milliTokens: number;
  readonly atMs: number;
}

function capacityMilliTokens(tokensPerSecond: number, minBurst: number): number {
  return Math.max(tokensPerSecond, minBurst) * MILLI_TOKENS_PER_CALL;
}

/** Returns a full bucket. */
export function fullBucket(tokensPerSecond: number, nowMs: number, minBurst = MIN_BURST_CALLS): TokenBucket {
  return { milliTokens: capacityMilliTokens(tokensPerSecond, minBurst), atMs: nowMs };
}

/** Returns the whole tokens in a bucket. */
export function tokensIn({ milliTokens }: TokenBucket): number {
  return Math.floor(milliTokens / MILLI_TOKENS_PER_CALL);
}

/** Refills a bucket. A clock that steps back neither refills it nor delays the refill until time has caught up. */
export function refill(
  bucket: TokenBucket,
  tokensPerSecond: number,
  nowMs: number,
  minBurst = MIN_BURST_CALLS,
): TokenBucket {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return {
    milliTokens: Math.min(
      capacityMilliTokens(tokensPerSecond, minBurst),
      bucket.milliTokens + elapsedMs * tokensPerSecond,
    ),
    atMs: nowMs,
  };
}

/** Runs `takeCosts` with a cost of one token for each of `calls` calls. */
export function takeCalls(bucket: TokenBucket, tokensPerSecond: number, calls: number, nowMs: number): Taken {
  return takeCosts(bucket, tokensPerSecond, Array<number>(calls).fill(1), nowMs);
}

/** The bucket afterwards, and the wait of each call in milliseconds. 0 if the call got its tokens. */
export interface Taken {
  readonly bucket: TokenBucket;
  readonly waitsMs: readonly number[];
}

/**
 * Takes the tokens of calls, in order, as far as there are any. A call that finds too few takes nothing, and no later
 * call overtakes it.
 *
 * @param costs tokens of each call, 1 to `minBurst`.
 * @param tokensPerSecond calls per second, a positive integer. It may differ from one call to the next. A new rate
 *   holds at once.
 * @param minBurst least size of a full bucket, in tokens.
 * @returns 0 for an admitted call, or the milliseconds until it will be admitted. They hold if every refused call
 *   before it returns at its own time and no other caller takes a token.
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
