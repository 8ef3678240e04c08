import { createHash, timingSafeEqual } from "node:crypto";

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/**
 * Whether a request carries this token as `Authorization: Bearer`. Compared by hash, so that neither content nor
 * length of the right token shows in the time that it takes.
 */
export function carriesBearer(headers: Headers, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(given), sha256(token));
}
