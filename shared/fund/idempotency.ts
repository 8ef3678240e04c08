import { refuse } from "../errors.ts";
import { IDEMPOTENCY_TTL_MS, type IdempotencyClaim } from "../idempotency.ts";
import type { FundBooks, IdempotencyRecord } from "./ledger/books.ts";

/** What an Idempotency-Key has caused, while it is remembered. */
export function findIdempotency(
  books: FundBooks,
  { scope }: IdempotencyClaim,
  nowMs: number,
): IdempotencyRecord | null {
  const record = books.idempotency(scope);
  return record !== null && nowMs < record.expiresAtMs ? record : null;
}

/** Written in the commit that has the effect; null: the caller sent no Idempotency-Key. */
export function recordIdempotency(
  books: FundBooks,
  claim: IdempotencyClaim | null,
  reference: string,
  nowMs: number,
): void {
  if (claim === null) return;
  books.putIdempotency({ ...claim, reference, expiresAtMs: nowMs + IDEMPOTENCY_TTL_MS });
}

/** What the key has caused came to nothing: a repeat may try again. Leaves alone what the key has caused since. */
export function releaseIdempotency(
  books: FundBooks,
  claim: IdempotencyClaim | null,
  reference: string,
  nowMs: number,
): void {
  const record = claim === null ? null : findIdempotency(books, claim, nowMs);
  if (record?.reference === reference) books.putIdempotency({ ...record, expiresAtMs: nowMs });
}

export function reusedKeyRefusal() {
  return refuse("idempotency_conflict", "this Idempotency-Key was used for another request");
}

/** @param data names the transaction in the terms of its chain. */
export function spentKeyRefusal(data: Readonly<Record<string, string>>) {
  return refuse("idempotency_conflict", "the sponsorship of this Idempotency-Key has expired: use a new key", data);
}
