import { createHash, timingSafeEqual } from "node:crypto";

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** What a request carries as `Authorization: Bearer`; null: nothing. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Whether a request carries this token as `Authorization: Bearer`. Compared by hash, so that neither content nor
 * length of the right token shows in the time that it takes.
 */
export function carriesBearer(headers: Headers, token: string): boolean {
  return timingSafeEqual(sha256(bearerOf(headers) ?? ""), sha256(token));
}
