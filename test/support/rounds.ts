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

/**
 * Chooses the variants of a test that gains by many of them. Its file is in `REPEATED`, too. The long suite runs all.
 *
 * @param every `npm test` runs one of so many, the first one included.
 */
export function variants<T>(all: readonly T[], every = 4): readonly T[] {
  return inject("long") ? all : all.filter((_, index) => index % every === 0);
}
