/** Up to this many wrong secrets in a row count as a mistake, more as guesses. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** Without a wrong secret for this time, the count starts anew. */
export const WRONG_SECRETS_FORGOTTEN_AFTER_MS = 86_400_000;

/**
 * Wrong secrets in a row, of one access key for one wallet.
 *
 * The right secret always passes, so that nobody locks the wallet's owner out. So the wait bounds no guessing: each guess
 * costs a derivation, and an access key has only so many a second. The wait slows down a mistaken caller, and keeps a
 * flood of guesses from writing to disk.
 */
export interface WrongSecrets {
  readonly count: number;
  readonly lastAtMs: number;
}

export const NO_WRONG_SECRETS: WrongSecrets = { count: 0, lastAtMs: 0 };

/** Returns the milliseconds in which further wrong secrets are refused uncounted. 0: the next one counts. */
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

/** True when guessing begins, and at each further doubling. Then the operator gets an event. */
export function isReportable({ count }: WrongSecrets): boolean {
  return count >= FREE_TRIES && Number.isInteger(Math.log2(count / FREE_TRIES));
}
