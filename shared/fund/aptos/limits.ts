// Aptos only (MAX_EXPIRATION_SECONDS, MAX_ORDERLESS_SECONDS): the sender sets the expiration on Aptos.

/** The longest lifetime of a transaction from our clock on, seconds. */
export const MAX_EXPIRATION_SECONDS = 3_600n;

/**
 * The longest lifetime of an orderless transaction, seconds. The chain requires a short one (aptos-framework,
 * `transaction_validation.move`: 60 seconds, and five more for clocks that differ).
 */
export const MAX_ORDERLESS_SECONDS = 60n;
