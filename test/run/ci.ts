import { spawn } from "node:child_process";
import { root } from "../../shared/cli/root.ts";
import { firstUse } from "./first-use.ts";
import { runSteps, summarize } from "./steps.ts";
import { runPart, type Verdict, verdictOf } from "./suite.ts";
import { LONG, SILENCE, TEST } from "./suites.ts";

/** Runs both suites and the checks, and says at the end what failed, and what passed only the second time. */

// The ten minutes of silence bound the whole run, so they begin first.
const silence = runPart(root, SILENCE);
const [used, checked] = await Promise.all([firstUse(), check()]);
const verdicts: Verdict[] = [used, checked];
const runs = await runSteps(root, [...TEST, ...LONG]);
// A file that failed runs again alone: no other part runs now.
for (const { part, first } of runs) verdicts.push(await verdictOf(root, part, first));
verdicts.push(await verdictOf(root, SILENCE, await silence));
process.exit(summarize(verdicts));

async function check(): Promise<Verdict> {
  const child = spawn("npm", ["run", "check"], { cwd: root, stdio: "inherit" });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const failures = exitCode === 0 ? [] : ["npm run check"];
  return { passed: 0, failed: failures.length, flaky: [], failures };
}
