import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";
import type { Part } from "./suite.ts";

/**
 * What runs when. The parts of one step run beside each other, because most of their time is waiting. Steps follow one
 * another: tests that measure time have the machine to themselves.
 */

/** The niceness of what gets about a third of the CPU that another process gets. */
export const GIVES_WAY = 5;

/** The steps of `npm test`. */
export const TEST: readonly (readonly Part[])[] = [
  [
    { script: "test", projects: ["e2e"] },
    { script: "test", projects: ["workerd"], isInMemory: true },
    // It is ready to run all the time, and the others wait in between. Without this, they would end long after it.
    { script: "test", projects: ["pure"], niceness: GIVES_WAY },
  ],
];

/** Ten minutes in which nobody calls, beside everything else. */
export const SILENCE: Part = { script: "test:long", projects: ["silence"] };

/** Parts of the long suite that need no quiet. */
export const LONG_BESIDE: readonly Part[] = [
  { script: "test:long", projects: ["e2e"] },
  { script: "test:long", projects: ["workerd"], isInMemory: true },
  { script: "test:long", projects: ["pure"] },
];

/** The part of the long suite beside which nothing runs but the silence. */
export const LONG_ALONE: Part = { script: "test:long", projects: ["measured", "e2e-alone"] };

/** The steps of `npm run test:long`, while the silence lasts. */
export const LONG: readonly (readonly Part[])[] = [LONG_BESIDE, [LONG_ALONE]];

/** They measure time, so nothing runs beside them. A test of memory compares processes of its own, and needs no quiet. */
export const MEASURED = ["test/overload/self-host.long.test.ts", "test/workflow/sign-in.long.test.ts"];

/** End-to-end files with a thousand calls at once, which a busy machine would refuse. Nothing runs beside each of them. */
export const ALONE = ["test/drain/flood.e2e.long.test.ts", "test/service/sui-gas/load.e2e.long.test.ts"];

/** Lists the files of both suites: `npm test` runs a part of their rounds, variants or tests (`test/support/rounds.ts`). */
export function repeatedFiles(): readonly string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".long.test.ts"))
    .filter((name) => readFileSync(join(root, "test", name), "utf8").includes('/support/rounds.ts"'))
    .map((name) => `test/${name}`)
    .sort();
}
