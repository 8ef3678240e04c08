import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../shared/cli/root.ts";
import { freePorts, untilGone, untilRunning, withScript } from "../harness/launcher.ts";
import type { Verdict } from "./suite.ts";

/** Those that come with Node 20 and with Node 24.4. Neither links the `bin` of the packaged Node. */
const NPM_VERSIONS = ["10.8.2", "11.4.2"];
const run = promisify(execFile);

/** The README's first two commands with one npm. */
export interface FirstUse {
  readonly npmVersion: string;
  /** Null if all went as the README says. */
  readonly problem: string | null;
}

/** Runs the README's first two commands as newcomers do, with each npm that they may have, at the same time. */
export function firstUses(): Promise<readonly FirstUse[]> {
  return Promise.all(NPM_VERSIONS.map(firstUseWith));
}

/** Runs each that failed once more, alone: the caller waits until nothing else runs. */
export async function verdictOfFirstUses(uses: readonly FirstUse[]): Promise<Verdict> {
  const flaky: string[] = [];
  const failures: string[] = [];
  for (const { npmVersion, problem } of uses) {
    if (problem === null) continue;
    const what = `npm ci && npm start, with npm ${npmVersion}`;
    console.log(`\n${what} failed: running it once more, alone.\n${problem}`);
    const again = await firstUseWith(npmVersion);
    if (again.problem === null) flaky.push(`${what} (${problem.split("\n", 1)[0]})`);
    else failures.push(`${what}:\n    ${again.problem}`);
  }
  return { passed: uses.length - failures.length, failed: failures.length, flaky, failures };
}

async function firstUseWith(npmVersion: string): Promise<FirstUse> {
  const place = await mkdtemp(join(tmpdir(), "gasworks-first-use-"));
  try {
    return { npmVersion, problem: await problemOfFirstUse(place, npmVersion) };
  } catch (error) {
    return { npmVersion, problem: String(error) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function problemOfFirstUse(place: string, npmVersion: string): Promise<string | null> {
  // npm scripts put the project's own Node first: a newcomer's shell does not.
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { ...withoutNpm(process.env), PATH: path.join(delimiter) };
  const fetched = join(place, "npm");
  await run(
    "npm",
    ["install", "--prefix", fetched, "--prefer-offline", "--no-audit", "--no-fund", `npm@${npmVersion}`],
    {
      cwd: place,
      env,
    },
  );
  const npmEnv = { ...env, PATH: [join(fetched, "node_modules/.bin"), env.PATH].join(delimiter) };

  const clone = join(place, "clone");
  await copyTracked(clone);
  const install = await run("npm", ["ci", "--prefer-offline"], { cwd: clone, env: npmEnv });
  const warning = /^.*\b(?:warn|deprecated)\b.*$/im.exec(install.stdout + install.stderr);
  if (warning !== null) return `npm ci warns: ${warning[0]}`;

  const ports = await freePorts();
  return withScript(["start"], { cwd: clone, env: { ...npmEnv, ...ports } }, async (script) => {
    const output = await untilRunning(script);
    process.kill(-script.group, "SIGINT");
    await untilGone(script, ports);
    return /status +COMPLETE\n/.test(output) ? null : `npm start does not show the main job:\n${output}`;
  });
}

/** Drops what the outer npm has told its scripts: a newcomer has no such settings. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?:lifecycle|package|config_(?!registry|cache))/i.test(name)),
  );
}

async function copyTracked(to: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z"], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const name of stdout.split("\0").filter((name) => name !== ""))
    await cp(join(root, name), join(to, name), { recursive: true });
}
