export const IDEMPOTENCY_HEADER = "idempotency-key";
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
export const BAD_IDEMPOTENCY_KEY = "Idempotency-Key must be 1 to 255 printable ASCII characters";

/** How long a repeat is answered with what the first call did. */
export const IDEMPOTENCY_TTL_MS = 86_400_000;

/**
 * A caller's wish that a call has its effect once, however often it is sent. Made at the edge for callers that have been
 * let in, honoured by the object that has the effect: a repeat of one scope is answered with what its first call did if
 * the fingerprints are equal, and refused as `idempotency_conflict` if they are not.
 */
export interface IdempotencyClaim {
  /** Access key id, method and the caller's own key: two access keys, or two methods, never meet. At most 400 characters. */
  readonly scope: string;
  /** Base64url of a SHA-256 over what was asked for: 43 characters, equal for calls that ask for the same. */
  readonly fingerprint: string;
}
