// Sui only (SPONSORSHIP_TTL_MS, PREPARED_TTL_MS): the fund sets the expiration on Sui.
// Sui only (QUARANTINE_CHECK_MS, RECYCLE_GRACE_MS, GIVEN_UP_WAIT_MS): only coins are recycled.

/** A sponsorship whose signature is handed out at once. */
export const SPONSORSHIP_TTL_MS = 3_600_000;

/** A sponsorship that waits for its sender's signature while no signature of ours exists. */
export const PREPARED_TTL_MS = 600_000;

/** How often a quarantined coin is compared with the chain. */
export const QUARANTINE_CHECK_MS = 300_000;

/** A late user's transaction may still be on its way when the hour ends. */
export const RECYCLE_GRACE_MS = 10_000;

/** One that was given up waits so long for the company of others. */
export const GIVEN_UP_WAIT_MS = 10_000;
