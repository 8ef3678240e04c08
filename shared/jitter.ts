/** The longest time that is added to a wait. */
const MAX_JITTER_MS = 10_000;

/**
 * Returns a longer wait, in whole ms: up to twice as long, and by at most ten seconds. Callers that were refused together
 * then do not return together.
 *
 * @param random returns 0 up to 1.
 */
export function jittered(waitMs: number, random: () => number): number {
  return Math.ceil(waitMs + Math.min(waitMs, MAX_JITTER_MS) * random());
}

/** Returns a source of numbers from 0 up to 1. */
export function fractionsOf(randomBytes: (length: number) => Uint8Array): () => number {
  return () => (randomBytes(1)[0] ?? 0) / 256;
}
