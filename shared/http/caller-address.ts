/**
 * The header with the caller's address. Cloudflare overwrites the caller's own value. On own machines the launcher's
 * door does.
 */
export const CALLER_ADDRESS_HEADER = "cf-connecting-ip";

const MAX_CHARACTERS = 64;

/** Returns the caller's address, bounded. Empty if nobody set it. Behind an own proxy it is the proxy's. */
export function callerAddress(headers: Headers): string {
  return (headers.get(CALLER_ADDRESS_HEADER) ?? "").slice(0, MAX_CHARACTERS);
}
