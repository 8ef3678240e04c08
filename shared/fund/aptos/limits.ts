// Aptos only (MAX_EXPIRATION_SECONDS): the sender sets the expiration on Aptos.

/** As far ahead of our clock as a transaction may expire, seconds. */
export const MAX_EXPIRATION_SECONDS = 3_600n;
