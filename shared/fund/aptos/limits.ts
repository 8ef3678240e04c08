// Aptos only (MAX_EXPIRATION_SECONDS, MAX_ORDERLESS_SECONDS): the sender sets the expiration on Aptos.

/** The furthest ahead of our clock that a transaction may expire, seconds. */
export const MAX_EXPIRATION_SECONDS = 3_600n;

/**
 * The same for an orderless transaction, which must be near its end for the chain (aptos-framework,
 * `transaction_validation.move`: 60 seconds, and five more for clocks that differ).
 */
export const MAX_ORDERLESS_SECONDS = 60n;
