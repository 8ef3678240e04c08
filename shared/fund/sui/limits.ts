// Sui only (SPONSORSHIP_TTL_MS, PREPARED_TTL_MS): the fund sets the expiration on Sui.
// Sui only (QUARANTINE_CHECK_MS, LONGEST_QUARANTINE_CHECK_MS, RECYCLE_GRACE_MS, GIVEN_UP_WAIT_MS): only coins are recycled.

/** The validity of a sponsorship whose signature is handed out at once. */
export const SPONSORSHIP_TTL_MS = 3_600_000;

/** The validity of a sponsorship that waits for its sender's signature while the fund has signed nothing. */
export const PREPARED_TTL_MS = 600_000;

/** The interval at which a quarantined coin is compared with the chain. */
export const QUARANTINE_CHECK_MS = 300_000;

/** The longest such interval. A sponsorship without gas holds no coin, so it is looked up ever more seldom. */
export const LONGEST_QUARANTINE_CHECK_MS = 3_600_000;

/** The time after expiry before recycling. A late user's transaction may still be on its way when the hour ends. */
export const RECYCLE_GRACE_MS = 10_000;

/** The time that a given-up sponsorship waits for others, to be recycled in one batch. */
export const GIVEN_UP_WAIT_MS = 10_000;
