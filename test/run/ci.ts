import { spawnSync } from "node:child_process";
import { root } from "../../shared/cli/root.ts";
import { firstUse } from "./first-use.ts";
import { runSuite } from "./suite.ts";

/** Runs both suites and the checks, and says at the end what failed, and what passed only the second time. */

const verdicts = [await firstUse(), await runSuite(root, "test"), await runSuite(root, "test:long")];
const isClean = spawnSync("npm", ["run", "check"], { cwd: root, stdio: "inherit" }).status === 0;

for (const failure of verdicts.flatMap(({ failures }) => failures)) console.log(`FAILED ${failure}`);
if (!isClean) console.log("FAILED npm run check");
for (const flaky of verdicts.flatMap((verdict) => verdict.flaky)) console.log(`FLAKY ${flaky}`);
const passed = verdicts.reduce((sum, verdict) => sum + verdict.passed, 0);
const failed = verdicts.reduce((sum, verdict) => sum + verdict.failed, isClean ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
