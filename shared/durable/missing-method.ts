/** A roll-out reaches every object within some seconds. A call that meets an earlier build is worth sending again then. */
export const ROLL_OUT_MS = 5_000;

/** The text without "the method" is the one of the Workers test runner. */
const MISSING = /does not implement (?:the method )?"([^"]+)"/;

/**
 * Returns whether an object lacks the called method, because it runs the code of an earlier build during a roll-out.
 * The call has then done nothing. An object that misses a method of another object throws the same text with another
 * name. It may have done something before.
 */
export function isMissingMethod(error: unknown, method: string): boolean {
  return missingMethodOf(error) === method;
}

/**
 * Returns the name of the method that an object of an earlier build lacks. Null for every other error. The object may be
 * another one than the one that was called.
 */
export function missingMethodOf(error: unknown): string | null {
  if (!(error instanceof TypeError)) return null;
  return MISSING.exec(error.message)?.[1] ?? null;
}
