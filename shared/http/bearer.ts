import { createHash, timingSafeEqual } from "node:crypto";

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** Returns the token of `Authorization: Bearer`. Null without one. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Compares a text with a secret one by their hashes. The time that this takes shows neither the content nor the length
 * of the secret one.
 */
export function equalTexts(text: string, secret: string): boolean {
  return timingSafeEqual(sha256(text), sha256(secret));
}

/** Returns whether a request carries this token as `Authorization: Bearer`, compared as `equalTexts` does. */
export function carriesBearer(headers: Headers, token: string): boolean {
  return equalTexts(bearerOf(headers) ?? "", token);
}
