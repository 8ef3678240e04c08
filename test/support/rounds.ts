import { describe, inject, TestRunner, test } from "vitest";

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
 * that `npm test` has left out. A `describe` over variants is `describeVariants`.
 *
 * @param every `npm test` runs one of so many, the first one included.
 */
export function variants<T>(all: readonly T[], every = 4): readonly T[] {
  const isInShort = (index: number) => index % every === 0;
  if (inject("afterShort")) return all.filter((_, index) => !isInShort(index));
  return inject("long") ? all : all.filter((_, index) => isInShort(index));
}

/** The suites that `describeVariants` has made. */
const ofVariants = new WeakSet<object>();

/** The suite that is being collected, and those around it. */
function suitesAround(): readonly object[] {
  const around: object[] = [];
  for (let suite = TestRunner.getCurrentSuite().suite; suite !== undefined; suite = suite.suite) around.push(suite);
  return around;
}

/**
 * Describes each of the variants that this suite runs. A `shortTest` in it throws: for a variant that `npm test` leaves
 * out, no suite would run it.
 *
 * @param every as for `variants`.
 */
export function describeVariants<T>(all: readonly T[], every: number, name: string, body: (variant: T) => void): void {
  describe.each(variants(all, every).map((variant) => ({ variant })))(name.replace("%s", "$variant"), ({ variant }) => {
    const [own] = suitesAround();
    if (own !== undefined) ofVariants.add(own);
    body(variant);
  });
}

/** A test of the long suite alone. Another test, which `npm test` runs, proves the same guarantee in fewer cases. */
export const longTest = inject("long") ? test : test.skip;

/**
 * As `shortTest`, for `shortCases.each`. Not within `describeVariants`: no suite would run it for a variant that
 * `npm test` leaves out.
 */
export const shortCases = inject("afterShort") ? test.skip : test;

/**
 * A test of both suites, in a file that has tests of the long suite alone. The long suite skips it after `npm test`.
 *
 * @throws within `describeVariants`.
 */
export function shortTest(name: string, body: () => Promise<unknown> | unknown, timeoutMs?: number): void {
  if (suitesAround().some((suite) => ofVariants.has(suite)))
    throw new Error(`${name}: a shortTest among variants would run in no suite: use test`);
  const run = inject("afterShort") ? test.skip : test;
  run(name, async () => void (await body()), timeoutMs);
}
