import { inject, test } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether the long suite runs. */
    long: boolean;
    /** Whether `npm test` has run just before the long suite, as in `npm run ci`. */
    afterShort: boolean;
  }
}

/**
 * Counts the rounds of a test that gains by repetition. Both suites run each file that imports this one.
 *
 * @param full in the long suite.
 * @param few in `npm test`.
 */
export function rounds(full: number, few = Math.ceil(full / 10)): number {
  return inject("long") ? full : few;
}

/**
 * Chooses the variants of a test that gains by many of them. The long suite runs all. After `npm test` it runs those
 * that `npm test` has left out.
 *
 * @param every `npm test` runs one of so many, the first one included.
 */
export function variants<T>(all: readonly T[], every = 4): readonly T[] {
  const isInShort = (index: number) => index % every === 0;
  if (inject("afterShort")) return all.filter((_, index) => !isInShort(index));
  return inject("long") ? all : all.filter((_, index) => isInShort(index));
}

/** A test of the long suite alone. Another test, which `npm test` runs, proves the same guarantee in fewer cases. */
export const longTest = inject("long") ? test : test.skip;

/** A test of both suites, in a file that has tests of the long suite alone. The long suite skips it after `npm test`. */
export const shortTest = inject("afterShort") ? test.skip : test;
