import { done, type Outcome, refuse, WALLET_EXISTS } from "../errors.ts";
import { IDEMPOTENCY_TTL_MS, type IdempotencyClaim } from "../idempotency.ts";

/** How a wallet that exists was made. */
export interface MadeWallet {
  /** Of the call that made it; null: it brought no Idempotency-Key. */
  readonly claim: IdempotencyClaim | null;
  readonly createdAtMs: number;
}

/**
 * What becomes of a call that would make a wallet that exists: it is a repeat of the call that made it, to be answered
 * with the same address, or refused.
 *
 * @param claim of this call; null: it brought no Idempotency-Key.
 * @returns done for a repeat; `idempotency_conflict` for the same key with other params, `wallet_exists` for all else.
 */
export function checkRepeatedCreation(made: MadeWallet, claim: IdempotencyClaim | null, nowMs: number): Outcome<null> {
  const repeats = claim !== null && made.claim?.scope === claim.scope && nowMs < made.createdAtMs + IDEMPOTENCY_TTL_MS;
  if (!repeats) return refuse("wallet_exists", WALLET_EXISTS);
  return made.claim?.fingerprint === claim.fingerprint ? done(null) : idempotencyConflict();
}

/** One key for two different requests. */
export function idempotencyConflict(): ReturnType<typeof refuse> {
  return refuse("idempotency_conflict", "this Idempotency-Key was used for another request");
}
