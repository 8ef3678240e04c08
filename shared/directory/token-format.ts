/**
 * The text of an operator's token is `admin_` and 64 lower-case hex digits. They are 32 bytes with the fields of an
 * access key (`shared/access/key-format.ts`): pepper version, id, secret, check. The check covers the prefix, so no
 * access key is a token, and no token an access key. It keeps mistyped and made-up tokens away from storage.
 */
import { hasValidCheck, KEY_SECRET_BYTES, withCheck } from "../access/key-format.ts";
import { fromHex, toHex } from "../bytes.ts";
import type { VersionedSecrets } from "../config/secret-versions.ts";

const TOKEN_TEXT = /^admin_([0-9a-f]{2})([0-9a-f]{20})([0-9a-f]{32})([0-9a-f]{10})$/;

/** The form of a token's id: `adm_` and 20 hex digits. It is not secret, and may be logged. */
export const TOKEN_ID = /^adm_[0-9a-f]{20}$/;

/** The id and the secret of a token's text. */
export interface ParsedToken {
  readonly tokenId: string;
  readonly secret: Uint8Array;
}

/**
 * Writes a new token under the current pepper.
 *
 * @param tokenId `adm_` and 20 hex digits.
 * @param secret 16 random bytes, never used for another token.
 */
export function issueOperatorToken(tokenId: string, secret: Uint8Array, peppers: VersionedSecrets): string {
  if (!TOKEN_ID.test(tokenId) || secret.length !== KEY_SECRET_BYTES)
    throw new Error(`a token has an id of 20 hex digits and a secret of ${KEY_SECRET_BYTES} bytes`);
  const version = peppers.current.toString(16).padStart(2, "0");
  return withCheck(`admin_${version}${tokenId.slice("adm_".length)}${toHex(secret)}`, peppers);
}

/** Splits a token. Null if it has another form, or no pepper of this service made its check. */
export function parseOperatorToken(text: string, peppers: VersionedSecrets): ParsedToken | null {
  const [, version, id, secret, check] = TOKEN_TEXT.exec(text) ?? [];
  if (version === undefined || id === undefined || secret === undefined || check === undefined) return null;
  const checked = {
    pepperVersion: Number.parseInt(version, 16),
    checkedText: text.slice(0, -check.length),
    check,
  };
  return hasValidCheck(checked, peppers) ? { tokenId: `adm_${id}`, secret: fromHex(secret) } : null;
}
