/** So many wrong secrets in a row are a mistake; more are guesses. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** After so long without a wrong secret the count starts anew. */
export const WRONG_SECRETS_FORGOTTEN_AFTER_MS = 86_400_000;

/**
 * Wrong secrets that one access key brought for one wallet in a row.
 *
 * The right secret always passes, so that nobody locks the wallet's owner out, and a wait bounds no guessing: that does
 * the derivation which each guess costs, of which an access key has so many a second. The wait tells a mistaken caller
 * to slow down, and keeps a flood of guesses from writing to disk.
 */
export interface WrongSecrets {
  readonly count: number;
  readonly lastAtMs: number;
}

export const NO_WRONG_SECRETS: WrongSecrets = { count: 0, lastAtMs: 0 };

/** How long further wrong secrets of this access key are not counted, and refused as too many; 0: they count. */
export function waitAfterWrongSecretsMs({ count, lastAtMs }: WrongSecrets, nowMs: number): number {
  if (count < FREE_TRIES) return 0;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(count - FREE_TRIES, 20), LONGEST_WAIT_MS);
  return Math.max(0, lastAtMs + waitMs - nowMs);
}

/** One more wrong secret. */
export function afterWrongSecret({ count, lastAtMs }: WrongSecrets, nowMs: number): WrongSecrets {
  const fresh = nowMs - lastAtMs >= WRONG_SECRETS_FORGOTTEN_AFTER_MS;
  return { count: fresh ? 1 : count + 1, lastAtMs: nowMs };
}

/** Whether the operator is told: once when guessing begins, and at each further doubling. */
export function isReportable({ count }: WrongSecrets): boolean {
  return count >= FREE_TRIES && Number.isInteger(Math.log2(count / FREE_TRIES));
}
