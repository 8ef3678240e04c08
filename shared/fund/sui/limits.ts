/** A sponsorship whose signature is handed out at once. */
export const SPONSORSHIP_TTL_MS = 3_600_000;

/** A sponsorship that waits for its sender's signature while no signature of ours exists. */
export const PREPARED_TTL_MS = 600_000;

/** A caller could inflate the charge at will; the chain only sets a lower bound. */
export const MAX_PRICE_FACTOR = 5n;

/** How often a quarantined coin is compared with the chain. */
export const QUARANTINE_CHECK_MS = 300_000;

/** A late user's transaction may still be on its way when the hour ends. */
export const RECYCLE_GRACE_MS = 10_000;

/** One that was given up waits so long for the company of others. */
export const GIVEN_UP_WAIT_MS = 10_000;
