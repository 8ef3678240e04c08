import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, type WriteStream } from "node:fs";
import { getPriority, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { memoryFolder } from "./memory-folder.ts";

/** More failed files than this are no chance: a second run of each would only cost time. */
const MAX_RERUN_FILES = 5;
const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_NICE = 19;
/** A faster test has no line of its own. */
const SLOW_TEST_MS = 20_000;
/** The runtime writes these about each object that a test ends, and about each error that a test expects. */
const OF_RUNTIME = /^(?:exception = |uncaught exception; |stack: |\s+at )/;

const testFileSchema = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string().optional(),
  assertionResults: z.array(
    z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
  ),
});
const reportSchema = z.object({ testResults: z.array(testFileSchema) });

export type TestFile = z.infer<typeof testFileSchema>;

export interface Run {
  /** Null: a signal ended the runner. */
  readonly exitCode: number | null;
  /** None where the runner wrote no report. */
  readonly files: readonly TestFile[];
}

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** `file: test (why)`, for each test that failed once, in a file that passed alone. */
  readonly flaky: readonly string[];
  readonly failures: readonly string[];
}

/** Tests that one runner runs. */
export interface Part {
  readonly script: string;
  /** Projects of the test configuration; none: all. */
  readonly projects: readonly string[];
  /** True if its temporary files may be in memory, where no program can be run. Absent: they are on the disk. */
  readonly isInMemory?: boolean;
  /** Added to the niceness of its processes: other parts get the CPU first. Absent: it gets as much as they do. */
  readonly niceness?: number;
}

/** Runs one npm script of tests, and each file that failed once more, alone. */
export async function runSuite(directory: string, script: string): Promise<Verdict> {
  const part = { script, projects: [] };
  return verdictOf(directory, part, await runPart(directory, part));
}

/** Runs each file that failed once more, alone: the caller waits until nothing else runs. */
export function verdictOf(directory: string, part: Part, first: Run): Promise<Verdict> {
  const again = (name: string) => runPart(directory, part, [name]);
  return verdictAfterReruns(first, again, (name) => relative(directory, name));
}

/**
 * Decides as `verdictOf`.
 *
 * @param again runs one file by its name.
 */
export async function verdictAfterReruns(
  first: Run,
  again: (name: string) => Promise<Run>,
  shorten: (name: string) => string,
): Promise<Verdict> {
  const failed = first.files.filter(hasFailed).map(({ name }) => name);
  const second = new Map<string, Run>();
  if (failed.length <= MAX_RERUN_FILES)
    for (const name of failed) {
      console.log(`\n${shorten(name)} failed: running it once more, alone.`);
      second.set(name, await again(name));
    }
  return judge(first, second, shorten);
}

/** Decides what a run says of which no file is run again. */
export function verdictOfOne(directory: string, first: Run): Verdict {
  return judge(first, new Map(), (name) => relative(directory, name));
}

/**
 * Decides what two runs say. A file that failed and then passes alone is flaky; one that fails twice has failed.
 *
 * @param first the run of the whole suite.
 * @param second the runs of single files, by name.
 */
export function judge(first: Run, second: ReadonlyMap<string, Run>, shorten: (name: string) => string): Verdict {
  let passed = 0;
  let failed = 0;
  const flaky: string[] = [];
  const failures: string[] = [];
  for (const file of first.files) {
    if (!hasFailed(file)) {
      passed += countPassed(file);
      continue;
    }
    const name = shorten(file.name);
    const tests = failedTests(file);
    const passedAlone = passedIn(second.get(file.name));
    if (passedAlone > 0) {
      passed += passedAlone;
      flaky.push(...tests.map(({ fullName, text }) => `${name}: ${fullName} (${firstLine(text)})`));
    } else {
      passed += countPassed(file);
      failed += tests.length;
      failures.push(...tests.map(({ fullName, text }) => `${name}: ${fullName}\n    ${text}`));
    }
  }
  // An error outside of every test, or a runner that died, belongs to no file that could be run again.
  if (first.exitCode !== 0 && !first.files.some(hasFailed)) {
    failed += 1;
    failures.push(`the run ended with exit code ${first.exitCode}, though no test failed`);
  }
  return { passed, failed, flaky, failures };
}

/** How many tests passed; 0 where that run does not prove that the whole file holds. */
function passedIn(run: Run | undefined): number {
  if (run === undefined || run.exitCode !== 0 || run.files.some(hasFailed)) return 0;
  return run.files.reduce((sum, file) => sum + countPassed(file), 0);
}

function hasFailed({ status }: TestFile): boolean {
  return status === "failed";
}

function countPassed({ assertionResults }: TestFile): number {
  return assertionResults.filter(({ status }) => status === "passed").length;
}

/** A file that did not load has no tests to fail: it counts as one. */
function failedTests({ assertionResults, message }: TestFile): { readonly fullName: string; readonly text: string }[] {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [{ fullName: "(the file itself)", text: clip(message ?? "") }];
  return failed.map(({ fullName, failureMessages }) => ({
    fullName,
    text: clip((failureMessages ?? []).join("\n    ")),
  }));
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function clip(text: string): string {
  return text.slice(0, MAX_MESSAGE_CHARACTERS);
}

/**
 * Runs one part of the tests.
 *
 * @param files none: all of the part.
 */
export async function runPart(directory: string, part: Part, files: readonly string[] = []): Promise<Run> {
  const memory = part.isInMemory === true ? memoryFolder() : null;
  const place = mkdtempSync(join(memory ?? tmpdir(), "gasworks-report-"));
  const report = join(place, "report.json");
  const projects = part.projects.map((project) => `--project=${project}`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const quiet = `--slowTestThreshold=${SLOW_TEST_MS}`;
  try {
    const args = ["run", part.script, "--", ...projects, ...reporters, quiet, ...files];
    const env = { ...colouredEnv(), ...(memory !== null && { TMPDIR: place }) };
    const child = spawn("npm", args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"], env });
    giveWay(child, part.niceness ?? 0);
    const shown = showLines(child, part, logOf(directory, part, files.length > 0));
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    await shown;
    return { exitCode, files: readReport(report) };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Has a process that has just been started give way, before it starts others, which inherit that. */
export function giveWay({ pid }: ChildProcess, niceness: number): void {
  if (niceness > 0 && pid !== undefined) setPriority(pid, Math.min(getPriority() + niceness, MAX_NICE));
}

/** Opens `dist/<script>-<projects>.log`. The second run of a file writes behind the first run of its part. */
function logOf(directory: string, { script, projects }: Part, isSecondRun: boolean): WriteStream {
  const folder = join(directory, "dist");
  mkdirSync(folder, { recursive: true });
  const name = `${[script.replaceAll(":", "-"), ...projects].join("-")}.log`;
  return createWriteStream(join(folder, name), { flags: isSecondRun ? "a" : "w" });
}

/** Each line comes whole, and names its part. The log gets all lines, and the terminal all but the runtime's own. */
async function showLines({ stdout, stderr }: ChildProcess, { projects }: Part, log: WriteStream): Promise<void> {
  const label = projects.join("+");
  const show = async (stream: Readable | null): Promise<void> => {
    if (stream === null) return;
    for await (const line of createInterface({ input: stream })) {
      log.write(`${line}\n`);
      if (!OF_RUNTIME.test(stripVTControlCharacters(line))) console.log(label === "" ? line : `${label} | ${line}`);
    }
  };
  await Promise.all([show(stdout), show(stderr)]);
  log.end();
  await finished(log);
}

/** A runner that writes into a pipe has no colours by itself. */
function colouredEnv(): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env;
}

function readReport(path: string): readonly TestFile[] {
  try {
    return reportSchema.parse(JSON.parse(readFileSync(path, "utf8"))).testResults;
  } catch (error) {
    console.error(`the runner left no report that can be read: ${String(error)}`);
    return [];
  }
}
