/**
 * Signatures by Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks, spec): HMAC-SHA-256,
 * version `v1`, over `id.timestamp.body`. A header may hold several, separated by spaces. `shared/webhooks/sign.ts`
 * makes them.
 */
const SECRET_PREFIX = "whsec_";
const VERSION_PREFIX = "v1,";
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const SIGNATURE_BYTES = 32;
/** Limit for the one header. During a rotation it has two or three signatures. */
const MAX_SIGNATURES = 10;

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Returns null if the text is not base64. */
function fromBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Returns the keys of secrets. @throws TypeError if one is not a `whsec_…`, or if the list is empty. */
export async function openSecrets(secrets: readonly string[]): Promise<readonly CryptoKey[]> {
  if (secrets.length === 0) throw new TypeError("give the webhook's secret");
  return Promise.all(
    secrets.map((secret) => {
      const bytes = secret.startsWith(SECRET_PREFIX) ? fromBase64(secret.slice(SECRET_PREFIX.length)) : null;
      if (bytes === null || bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES)
        throw new TypeError("a webhook's secret is whsec_ and 24 to 64 bytes in base64");
      return crypto.subtle.importKey("raw", bytes, HMAC, false, ["verify"]);
    }),
  );
}

/**
 * Returns true if one of the signatures is of one of the keys. WebCrypto compares in constant time.
 *
 * @param head the part of the signed content before the body.
 * @param signatures the header as received.
 */
export async function isSigned(
  head: string,
  body: string | Uint8Array,
  signatures: string,
  keys: readonly CryptoKey[],
): Promise<boolean> {
  const encoder = new TextEncoder();
  const [start, rest] = [encoder.encode(head), typeof body === "string" ? encoder.encode(body) : body];
  const content = new Uint8Array(start.length + rest.length);
  content.set(start);
  content.set(rest, start.length);
  const given = signatures
    .split(" ", MAX_SIGNATURES)
    .filter((entry) => entry.startsWith(VERSION_PREFIX))
    .map((entry) => fromBase64(entry.slice(VERSION_PREFIX.length)))
    .filter((signature) => signature?.length === SIGNATURE_BYTES);
  const verdicts = keys.flatMap((key) =>
    given.map((signature) => signature !== null && crypto.subtle.verify(HMAC, key, signature, content)),
  );
  return (await Promise.all(verdicts)).includes(true);
}
