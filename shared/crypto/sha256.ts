import { createHash } from "node:crypto";

/** Returns the SHA-256 of bytes, or of a text's UTF-8, as base64url: the form of every fingerprint and scoped key. */
export function sha256Base64url(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("base64url");
}
