import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether the long suite runs. */
    long: boolean;
  }
}

/**
 * Counts the rounds of a test that gains by repetition. Its file is in `REPEATED` of `test/run/suites.ts`, so that both
 * suites run it.
 *
 * @param full in the long suite.
 * @param few in `npm test`.
 */
export function rounds(full: number, few = Math.ceil(full / 10)): number {
  return inject("long") ? full : few;
}
