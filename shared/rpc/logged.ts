import type { Outcome } from "../errors.ts";

/** The answers of this service name a transaction under one of these. */
const DIGEST_FIELDS = ["txDigest", "digest", "hash", "transactionHash"];
/** A digest in base58, or a hash in hex. A node may have sent it, so any other text is left out. */
const DIGEST = /^(0x)?[0-9A-Za-z]{32,64}$/;

function digestIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const field of DIGEST_FIELDS) {
    const digest: unknown = Reflect.get(value, field);
    if (typeof digest === "string" && DIGEST.test(digest)) return digest;
  }
  return undefined;
}

/** The parts of the answers that the log may show. */
export interface LoggedParts {
  /** The reason of the first refusal among the answers. */
  readonly reason?: string;
  /** The digest of a transaction among the answers. */
  readonly digest?: string;
}

/** Returns the first answer that is a refusal, or names a transaction. */
export function loggedParts(outcomes: readonly Outcome<unknown>[]): LoggedParts {
  for (const outcome of outcomes) {
    if (!outcome.ok) return { reason: outcome.error.reason };
    const digest = digestIn(outcome.value);
    if (digest !== undefined) return { digest };
  }
  return {};
}
