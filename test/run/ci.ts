import { spawn } from "node:child_process";
import { build, DEVELOPMENT_CHAIN, SERVICE } from "../../shared/cli/build.ts";
import { root } from "../../shared/cli/root.ts";
import { firstUse, verdictOfFirstUse } from "./first-use.ts";
import { runSteps, summarize } from "./steps.ts";
import { giveWay, runPart, type Verdict, verdictOf } from "./suite.ts";
import { GIVES_WAY, LONG_ALONE, LONG_BESIDE, SILENCE, TEST } from "./suites.ts";

/** Runs both suites and the checks. At the end it names what failed, and what passed only the second time. */

// The ten minutes of silence bound the whole run, so they begin first.
const silence = runPart(root, SILENCE);
const beganMs = performance.now();
// Each runner would build them.
await Promise.all([build(SERVICE), build(DEVELOPMENT_CHAIN)]);
let checked: Promise<Verdict> | null = null;
const beginCheck = (): Promise<Verdict> => {
  checked ??= check();
  return checked;
};
// Its last part leaves some of the machine idle. The checks begin there and give way, so it takes hardly longer.
const runs = [...(await runSteps(root, TEST, [], beginCheck))];
console.log(`npm test took ${Math.round((performance.now() - beganMs) / 1_000)} s`);
// The long suite leaves out what has run. A file that failed runs again as it did.
process.env.AFTER_NPM_TEST = "1";
const [used, found, beside] = await Promise.all([firstUse(), beginCheck(), runSteps(root, [LONG_BESIDE])]);
runs.push(...beside, ...(await runSteps(root, [[LONG_ALONE]])));
// A failure runs again alone: no other part runs now.
const verdicts: Verdict[] = [await verdictOfFirstUse(used), found];
for (const { part, first } of runs) verdicts.push(await verdictOf(root, part, first));
verdicts.push(await verdictOf(root, SILENCE, await silence));
process.exit(summarize(verdicts));

async function check(): Promise<Verdict> {
  const child = spawn("npm", ["run", "check"], { cwd: root, stdio: "inherit" });
  giveWay(child, GIVES_WAY);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const failures = exitCode === 0 ? [] : ["npm run check"];
  return { passed: 0, failed: failures.length, flaky: [], failures };
}
