import { blake2b } from "./blake2b.ts";
import { toHex, utf8 } from "./bytes.ts";
import { fieldsOf } from "./calls.ts";
import { NAME_BYTES } from "./limits.ts";

/** Names a thing by its parts. */
export function idOf(...parts: readonly string[]): string {
  return toHex(blake2b(utf8(JSON.stringify(parts)), NAME_BYTES)).slice(2);
}

/**
 * Returns the user whom a token names, so that two users of one browser never share an attempt. Empty for a token that
 * is not a JWT. Verifies nothing, because the service does.
 */
export function userOf(token: string): string {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const { iss, sub } = fieldsOf(JSON.parse(atob(payload)));
    return JSON.stringify([iss, sub]);
  } catch {
    return "";
  }
}
