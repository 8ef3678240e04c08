import { type Part, type Run, runPart, type Verdict } from "./suite.ts";

export interface PartRun {
  readonly part: Part;
  readonly first: Run;
}

/**
 * Runs step after step, and the parts of one step beside each other.
 *
 * @param beside runs beside all steps.
 * @param whenOneIsLeft is called once, when all parts of the last step but one have ended.
 */
export async function runSteps(
  directory: string,
  steps: readonly (readonly Part[])[],
  beside: readonly Part[] = [],
  whenOneIsLeft: () => void = () => {},
): Promise<readonly PartRun[]> {
  const run = async (part: Part): Promise<PartRun> => ({ part, first: await runPart(directory, part) });
  const others = Promise.all(beside.map(run));
  const runs: PartRun[] = [];
  for (const [index, step] of steps.entries()) {
    let left = step.length;
    const runOne = async (part: Part): Promise<PartRun> => {
      const one = await run(part);
      left -= 1;
      if (left === 1 && index === steps.length - 1) whenOneIsLeft();
      return one;
    };
    runs.push(...(await Promise.all(step.map(runOne))));
  }
  return [...runs, ...(await others)];
}

/**
 * Prints what failed, what passed only the second time, and the last line `N passed, N failed`.
 *
 * @returns the exit code: 0 only if something passed and nothing failed.
 */
export function summarize(verdicts: readonly Verdict[]): number {
  for (const failure of verdicts.flatMap(({ failures }) => failures)) console.log(`FAILED ${failure}`);
  for (const flaky of verdicts.flatMap((verdict) => verdict.flaky)) console.log(`FLAKY ${flaky}`);
  const passed = verdicts.reduce((sum, verdict) => sum + verdict.passed, 0);
  const failed = verdicts.reduce((sum, verdict) => sum + verdict.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}
