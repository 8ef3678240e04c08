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

/** They measure time or memory, so nothing runs beside them. */
export const MEASURED = [
  "test/byzantine-node/flood.long.test.ts",
  "test/chain/sui/memory.long.test.ts",
  "test/gateway/memory.long.test.ts",
  "test/overload/self-host.long.test.ts",
  "test/workflow/sign-in.long.test.ts",
];

/** End-to-end files in which something has to happen within seconds, so nothing runs beside them. */
export const ALONE = [
  "test/drain/flood.e2e.long.test.ts",
  "test/service/sui-gas/expiry.e2e.long.test.ts",
  "test/service/sui-gas/load.e2e.long.test.ts",
  "test/service/sui-gas/lost-answers.e2e.long.test.ts",
];
