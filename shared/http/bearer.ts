import { createHash, timingSafeEqual } from "node:crypto";

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** Returns the token of `Authorization: Bearer`. Null if there is none. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Returns whether a request carries this token as `Authorization: Bearer`. It compares hashes. The time that this takes
 * shows neither the content nor the length of the right token.
 */
export function carriesBearer(headers: Headers, token: string): boolean {
  return timingSafeEqual(sha256(bearerOf(headers) ?? ""), sha256(token));
}
