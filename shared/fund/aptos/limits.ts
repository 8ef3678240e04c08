// Aptos only (MAX_EXPIRATION_SECONDS): the sender sets the expiration on Aptos.

/** The furthest ahead of our clock that a transaction may expire, seconds. */
export const MAX_EXPIRATION_SECONDS = 3_600n;
