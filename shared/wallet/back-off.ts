/** Up to this many wrong secrets in a row count as a mistake. More count as guesses. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** The count starts anew after this time without a wrong secret. */
export const WRONG_SECRETS_FORGOTTEN_AFTER_MS = 86_400_000;

/**
 * The row of wrong secrets of one access key for one wallet.
 *
 * The right secret always passes, so that no caller can lock out the wallet's owner. The wait therefore does not bound
 * guessing. Each guess costs a derivation, and an access key has only so many a second: these bound guessing. The wait
 * slows down a mistaken caller. It also keeps a flood of guesses from writing to disk.
 */
export interface WrongSecrets {
  readonly count: number;
  readonly lastAtMs: number;
}

/** The state without a wrong secret. */
export const NO_WRONG_SECRETS: WrongSecrets = { count: 0, lastAtMs: 0 };

/**
 * Returns the milliseconds for which further wrong secrets are refused without being counted. 0 if the next one counts.
 */
export function waitAfterWrongSecretsMs({ count, lastAtMs }: WrongSecrets, nowMs: number): number {
  if (count < FREE_TRIES) return 0;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(count - FREE_TRIES, 20), LONGEST_WAIT_MS);
  return Math.max(0, lastAtMs + waitMs - nowMs);
}

/** Counts one more wrong secret. */
export function afterWrongSecret({ count, lastAtMs }: WrongSecrets, nowMs: number): WrongSecrets {
  const fresh = nowMs - lastAtMs >= WRONG_SECRETS_FORGOTTEN_AFTER_MS;
  return { count: fresh ? 1 : count + 1, lastAtMs: nowMs };
}

/** Returns true when guessing begins, and at each further doubling. The operator then gets an event. */
export function isReportable({ count }: WrongSecrets): boolean {
  return count >= FREE_TRIES && Number.isInteger(Math.log2(count / FREE_TRIES));
}
