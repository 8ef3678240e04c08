/** Limits, lengths and times of the client. This file imports nothing, so that a bundler writes their values in place. */

export const MS_PER_SECOND = 1_000;
/** The service ends every call within 25 s. */
export const TRY_MS = 30_000;
/** The longest duration of a call with its repeats. */
export const CALL_MS = 60_000;
/** The most tries of one call. */
export const MAX_TRIES = 3;
/** The wait before the first repeat. Each further wait is longer. */
export const FIRST_WAIT_MS = 400;
/** The longest sleep of the client. For a longer wait, the caller gets the error with its wait. */
export const MAX_WAIT_MS = 5_000;
/** The longest answer that the client reads. */
export const MAX_ANSWER_BYTES = 2_097_152;
/** The longest wait in an error. */
export const MAX_ERROR_WAIT_MS = 86_400_000;
/** The longest name of an attempt. */
export const MAX_NAME_CHARACTERS = 100;
/** The HTTP status of a rate limit. */
export const HTTP_TOO_MANY_REQUESTS = 429;
/** The time for which ends and unsent attempts are kept. The service keeps an Idempotency-Key for the same time. */
export const KEPT_MS = 86_400_000;
/** The most transactions of a signer that are kept to refuse a repeat. */
export const MAX_USED = 64;
/** The size of a kind and a transaction of the chain's largest size in base64, with a signature and the rest. */
export const MAX_KEPT_CHARACTERS = 524_288;
/** The wallet's time to answer, unless the app sets another one. A fund holds gas on Sui for the same time. */
export const WALLET_MS = 600_000;
/** The wait in an error while the chain may still execute a transaction that the service refuses. */
export const OPEN_WAIT_MS = 60_000;
/** The least time that the user must have to sign an unsigned sponsorship that is used again. */
export const MIN_LEFT_MS = 20_000;
/** The longest result that is kept as it is. */
export const MAX_RESULT_CHARACTERS = 1_024;
/** The chain's own limits: bytes of a transaction, and coins in its payment. */
export const MAX_SUI_BYTES = 131_072;
/** The most coins in a payment (Sui, `max_gas_payment_objects`). */
export const MAX_PAYMENT_COINS = 256;
/** The length of a Sui digest. */
export const DIGEST_BYTES = 32;
/** The length of an address on both chains. */
export const ADDRESS_BYTES = 32;
/** The length of the nonce in a Sui expiration window. */
export const NONCE_BYTES = 4;
/** The chain's own limit for a transaction. */
export const MAX_APTOS_BYTES = 65_536;
/** The length of the hash that names an Aptos transaction. */
export const ID_BYTES = 32;
/** The longest lifetime that a fund pays for. The user's clock may be wrong by the same amount. */
export const HOUR_MS = 3_600_000;
/** The length of the hash that names an attempt. */
export const NAME_BYTES = 16;
/** The length of an Ed25519 public key (RFC 8032). */
export const ED25519_KEY_BYTES = 32;
/** The length of an Ed25519 signature (RFC 8032). */
export const ED25519_SIGNATURE_BYTES = 64;
/** The length of a random Idempotency-Key. */
export const KEY_BYTES = 16;
/** The longest message of an error that is passed on. */
export const MAX_MESSAGE_CHARACTERS = 2_000;
