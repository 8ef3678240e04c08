import { done, type Outcome, refuse, WALLET_EXISTS } from "../errors.ts";
import { IDEMPOTENCY_TTL_MS, type IdempotencyClaim } from "../idempotency.ts";
import { jittered } from "../jitter.ts";

/** The origin of an existing wallet. */
export interface MadeWallet {
  /** Idempotency-Key of the creation. Null if it had none. */
  readonly claim: IdempotencyClaim | null;
  readonly createdAtMs: number;
}

/**
 * Decides a creation of a wallet that exists.
 *
 * @param claim claim of this call. Null if it has no Idempotency-Key.
 * @returns done for a repeat of the creation, which gets the same address; `idempotency_conflict` for the same key
 *   with other params; `wallet_exists` otherwise.
 */
export function checkRepeatedCreation(made: MadeWallet, claim: IdempotencyClaim | null, nowMs: number): Outcome<null> {
  const repeats = claim !== null && made.claim?.scope === claim.scope && nowMs < made.createdAtMs + IDEMPOTENCY_TTL_MS;
  if (!repeats) return refuse("wallet_exists", WALLET_EXISTS);
  return made.claim?.fingerprint === claim.fingerprint ? done(null) : idempotencyConflict();
}

/** Refuses one key for two different requests. */
export function idempotencyConflict(): ReturnType<typeof refuse> {
  return refuse("idempotency_conflict", "this Idempotency-Key was used for another request: use a new key");
}

const EXPORT_INTERVAL_MS = 60_000;

/**
 * Decides whether a wallet may be exported now.
 *
 * @param nextExportAtMs result of the last export. Null if no export was made, or it is long ago.
 * @param random returns 0 up to 1, for the jitter of `retryAfterMs`.
 * @returns the time of the next allowed export in ms, or `rate_limited` too soon after the last one.
 */
export function checkExportInterval(
  nextExportAtMs: number | null,
  nowMs: number,
  random: () => number,
): Outcome<number> {
  const waitMs = (nextExportAtMs ?? 0) - nowMs;
  if (waitMs > 0)
    return refuse("rate_limited", "this wallet was exported less than a minute ago: repeat in a minute", {
      limit: "export",
      retryAfterMs: jittered(waitMs, random),
    });
  return done(nowMs + EXPORT_INTERVAL_MS);
}
