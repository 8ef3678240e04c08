import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../shared/cli/root.ts";
import { freePorts, untilGone, untilRunning, withScript } from "../harness/launcher.ts";
import { type Run, type TestFile, type Verdict, verdictAfterReruns } from "./suite.ts";

/** Those that come with Node 20 and with Node 24.4. Neither links the `bin` of the packaged Node. */
const NPM_VERSIONS = ["10.8.2", "11.4.2"];
const run = promisify(execFile);

/** Runs the README's first two commands as newcomers do, with each npm that they may have, at the same time. */
export async function firstUse(): Promise<Run> {
  return { exitCode: 0, files: await Promise.all(NPM_VERSIONS.map(firstUseWith)) };
}

/** Runs each that failed once more, alone: the caller waits until nothing else runs. */
export function verdictOfFirstUse(first: Run): Promise<Verdict> {
  const again = async (name: string): Promise<Run> => {
    const npmVersion = NPM_VERSIONS.find((version) => nameOf(version) === name);
    if (npmVersion === undefined) throw new Error(`no first use is ${name}`);
    return { exitCode: 0, files: [await firstUseWith(npmVersion)] };
  };
  return verdictAfterReruns(first, again, (name) => name);
}

function nameOf(npmVersion: string): string {
  return `with npm ${npmVersion}`;
}

/** Counts as a test file with one test. */
async function firstUseWith(npmVersion: string): Promise<TestFile> {
  const place = await mkdtemp(join(tmpdir(), "gasworks-first-use-"));
  try {
    return fileOf(npmVersion, await problemOfFirstUse(place, npmVersion));
  } catch (error) {
    return fileOf(npmVersion, String(error));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function fileOf(npmVersion: string, problem: string | null): TestFile {
  const status = problem === null ? "passed" : "failed";
  const failureMessages = problem === null ? [] : [problem];
  const test = { fullName: "npm ci && npm start", status, failureMessages };
  return { name: nameOf(npmVersion), status, assertionResults: [test] };
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
