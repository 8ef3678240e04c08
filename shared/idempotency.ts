/** The header that makes a repeat safe. */
export const IDEMPOTENCY_HEADER = "idempotency-key";
/** The form of an Idempotency-Key. */
export const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
/** The refusal of any other form. */
export const BAD_IDEMPOTENCY_KEY = "Idempotency-Key must be 1 to 255 printable ASCII characters";

/** The time in which a repeat gets the first call's answer. */
export const IDEMPOTENCY_TTL_MS = 86_400_000;

/**
 * A request that a call has its effect once, however often it is sent. The edge makes it for callers that were
 * admitted. The object that has the effect honours it. A repeat of a scope with an equal fingerprint gets the first
 * call's answer. A different fingerprint is refused as `idempotency_conflict`.
 */
export interface IdempotencyClaim {
  /**
   * Access key id, method and the caller's own key, so two access keys, or two methods, never meet. At most 400
   * characters.
   */
  readonly scope: string;
  /** Base64url of a SHA-256 over the request's content: 43 characters, equal for calls with the same content. */
  readonly fingerprint: string;
}
