import type { Outcome } from "../errors.ts";

/** The answers of this service name a transaction under one of these. */
const DIGEST_FIELDS = ["txDigest", "digest", "hash", "transactionHash"];
/** Answers that show a whole transaction have it in one of these. */
const TRANSACTION_FIELDS = ["pendingTransaction", "transaction"];
/** A digest in base58, or a hash in hex. A node may have sent it, so any other text is left out. */
const DIGEST = /^(0x)?[0-9A-Za-z]{32,64}$/;

function fieldsOf(value: unknown, names: readonly string[]): readonly unknown[] {
  return typeof value === "object" && value !== null ? names.map((name): unknown => Reflect.get(value, name)) : [];
}

function digestIn(value: unknown): string | undefined {
  return [value, ...fieldsOf(value, TRANSACTION_FIELDS)]
    .flatMap((part) => fieldsOf(part, DIGEST_FIELDS))
    .find((digest): digest is string => typeof digest === "string" && DIGEST.test(digest));
}

/** The parts of the answers that the log may show. */
export interface LoggedParts {
  /** The reason of the first refusal among the answers. */
  readonly reason?: string;
  /** The digest of a transaction among the answers, or of one whose outcome is unknown. */
  readonly digest?: string;
}

/** Returns the first answer that is a refusal, or names a transaction. */
export function loggedParts(outcomes: readonly Outcome<unknown>[]): LoggedParts {
  for (const outcome of outcomes) {
    const digest = digestIn(outcome.ok ? outcome.value : outcome.error.data);
    if (!outcome.ok) return { reason: outcome.error.reason, ...(digest !== undefined && { digest }) };
    if (digest !== undefined) return { digest };
  }
  return {};
}
