import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, DEVELOPMENT_CHAIN, SERVICE } from "../../shared/cli/build.ts";
import { root } from "../../shared/cli/root.ts";
import { runSteps, summarize } from "./steps.ts";
import { verdictOfOne } from "./suite.ts";
import { LONG, SILENCE, TEST } from "./suites.ts";

/**
 * `npm test` and `npm run test:long`. Without arguments they run the whole suite, several runners beside each other.
 * With arguments (files, `--project`, `-t`) one runner gets them.
 */

const [mode, ...args] = process.argv.slice(2);
process.exitCode = args.length > 0 ? await runOne() : await runAll();

async function runAll(): Promise<number> {
  // Each runner would build them.
  await Promise.all([build(SERVICE), build(DEVELOPMENT_CHAIN)]);
  const steps = mode === "long" ? LONG : TEST;
  const beside = mode === "long" ? [SILENCE] : [];
  const runs = await runSteps(root, steps, beside);
  return summarize(runs.map(({ first }) => verdictOfOne(root, first)));
}

function runOne(): Promise<number> {
  const launcher = join(root, "shared/cli/with-node.js");
  const modes = mode === "long" ? ["--mode", "long"] : [];
  const child = spawn(process.execPath, [launcher, "vitest", "run", ...modes, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
