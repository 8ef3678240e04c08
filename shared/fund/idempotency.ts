import { refuse } from "../errors.ts";
import { IDEMPOTENCY_TTL_MS, type IdempotencyClaim } from "../idempotency.ts";
import type { FundBooks, IdempotencyRecord } from "./ledger/books.ts";

/** Finds the record of an Idempotency-Key. Null if the key had no effect, or if its day is over. */
export function findIdempotency(
  books: FundBooks,
  { scope }: IdempotencyClaim,
  nowMs: number,
): IdempotencyRecord | null {
  const record = books.idempotency(scope);
  return record !== null && nowMs < record.expiresAtMs ? record : null;
}

/** Records the effect of a call, in the commit that has the effect. A null claim means that the caller sent no key. */
export function recordIdempotency(
  books: FundBooks,
  claim: IdempotencyClaim | null,
  reference: string,
  nowMs: number,
): void {
  if (claim === null) return;
  books.putIdempotency({ ...claim, reference, expiresAtMs: nowMs + IDEMPOTENCY_TTL_MS });
}

/** Releases a key whose effect was undone, so that a repeat may try again. Leaves a later effect of the key alone. */
export function releaseIdempotency(
  books: FundBooks,
  claim: IdempotencyClaim | null,
  reference: string,
  nowMs: number,
): void {
  const record = claim === null ? null : findIdempotency(books, claim, nowMs);
  if (record?.reference === reference) books.putIdempotency({ ...record, expiresAtMs: nowMs });
}

/** Refuses a key that was used for another request. */
export function reusedKeyRefusal() {
  return refuse("idempotency_conflict", "this Idempotency-Key was used for another request: use a new key");
}

/**
 * Refuses a key whose sponsorship has expired.
 *
 * @param data names the transaction in the terms of its chain.
 */
export function spentKeyRefusal(data: Readonly<Record<string, string>>) {
  return refuse("idempotency_conflict", "the sponsorship of this Idempotency-Key has expired: use a new key", data);
}
