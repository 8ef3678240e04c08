import type { Part } from "./suite.ts";

/**
 * What runs when. The parts of one step run beside each other, because most of their time is waiting. Steps follow one
 * another: tests that measure time or memory have the machine to themselves.
 */

/** The steps of `npm test`. */
export const TEST: readonly (readonly Part[])[] = [
  [
    { script: "test", projects: ["e2e"] },
    { script: "test", projects: ["pure", "workerd"] },
  ],
];

/** Ten minutes in which nobody calls, beside everything else. */
export const SILENCE: Part = { script: "test:long", projects: ["silence"] };

/** The steps of `npm run test:long`, while the silence lasts. */
export const LONG: readonly (readonly Part[])[] = [
  [
    { script: "test:long", projects: ["e2e"] },
    { script: "test:long", projects: ["pure", "workerd"] },
  ],
  [{ script: "test:long", projects: ["measured", "e2e-alone"] }],
];
