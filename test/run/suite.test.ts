import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, vi } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { memoryFolder } from "./memory-folder.ts";
import { emptyDirectory, FAILS_ONCE, PASSES, writePackage } from "./sample-package.ts";
import { runSteps, summarize } from "./steps.ts";
import { judge, type Run, runPart, runSuite, type TestFile } from "./suite.ts";
import { ALONE, MEASURED, repeatedFiles } from "./suites.ts";

let directory = "";

beforeEach(() => {
  directory = emptyDirectory();
});

longTest("a file that fails once and passes alone lets the run go on, and is named", async () => {
  writePackage(directory, { "good.test.js": PASSES, "late.test.js": FAILS_ONCE });
  const flaky = ["tests/late.test.js: is late once (Error: late)"];
  expect(await runSuite(directory, "test")).toEqual({ passed: 2, failed: 0, flaky, failures: [] });
});

longTest("a runner that dies without a report fails the run", async () => {
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts: { test: "exit 3" } }));
  expect(await runSuite(directory, "test")).toMatchObject({ passed: 0, failed: 1, flaky: [] });
});

function file(name: string, status: "passed" | "failed"): TestFile {
  return { name, status, assertionResults: [{ fullName: "it", status, failureMessages: [] }] };
}

shortTest("a second run that proves nothing does not excuse the first", () => {
  const first: Run = { exitCode: 1, files: [file("a", "failed")] };
  const proofless: Run[] = [
    { exitCode: 0, files: [] },
    { exitCode: 1, files: [file("a", "passed")] },
    { exitCode: 0, files: [{ name: "a", status: "passed", assertionResults: [] }] },
  ];
  for (const second of proofless)
    expect(judge(first, new Map([["a", second]]), String)).toMatchObject({ failed: 1, flaky: [] });
  expect(judge(first, new Map(), String)).toMatchObject({ failed: 1, flaky: [] });
});

shortTest("an error outside of every test fails the run", () => {
  const first: Run = { exitCode: 1, files: [file("a", "passed")] };
  expect(judge(first, new Map(), String)).toMatchObject({ passed: 1, failed: 1 });
});

/** Ends once the other one has begun. */
const MEETS = `
  import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
  const [own, other] = process.argv.slice(2);
  writeFileSync(own, "");
  const poll = setInterval(() => {
    if (!existsSync(other)) return;
    writeFileSync(own + "-ended", "");
    clearInterval(poll);
  }, 20);`;

shortTest("the parts of a step run at once, and the next step begins when all have ended", async () => {
  const scripts = {
    one: "node meets.js one two #",
    two: "node meets.js two one #",
    beside: "node meets.js beside one #",
    after: "test -f one-ended -a -f two-ended #",
  };
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module", scripts }));
  writeFileSync(join(directory, "meets.js"), MEETS);
  const part = (script: string) => ({ script, projects: [] });
  const runs = await runSteps(directory, [[part("one"), part("two")], [part("after")]], [part("beside")]);
  expect(runs.map(({ part: { script }, first }) => [script, first.exitCode])).toEqual([
    ["one", 0],
    ["two", 0],
    ["after", 0],
    ["beside", 0],
  ]);
});

longTest("a folder is in memory only if it has room, and a part that may use it leaves nothing there", async () => {
  const memory = memoryFolder();
  expect(memoryFolder(join(directory, "none"))).toBeNull();
  const script = `node -e "require('fs').writeFileSync('seen', require('os').tmpdir())" #`;
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts: { one: script } }));
  const run = await runPart(directory, { script: "one", projects: [], isInMemory: true });
  expect(run.exitCode).toBe(0);
  const seen = readFileSync(join(directory, "seen"), "utf8");
  expect(memory === null ? seen : dirname(seen)).toBe(memory ?? tmpdir());
  expect(existsSync(seen)).toBe(memory === null);
});

longTest("a part that gives way leaves the CPU to the others, and no other part does", async () => {
  const script = `node -e "console.log('at', require('os').getPriority())" #`;
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts: { one: script } }));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  await runPart(directory, { script: "one", projects: [] });
  await runPart(directory, { script: "one", projects: [], niceness: 5 });
  const [own, lower] = log.mock.calls.flat().flatMap((line) => /^at (\d+)$/.exec(String(line))?.[1] ?? []);
  expect([Number(own), Number(lower)]).toEqual([getPriority(), getPriority() + 5]);
});

longTest("what fills the rest of a step begins once, when all parts of the last step but one have ended", async () => {
  const scripts = { first: "true #", short: "true #", long: "node long.js #" };
  // It ends once the rest has begun.
  writeFileSync(
    join(directory, "long.js"),
    `const poll = setInterval(() => require("fs").existsSync("begun") && clearInterval(poll), 20);`,
  );
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts }));
  const part = (script: keyof typeof scripts) => ({ script, projects: [] });
  let begun = 0;
  await runSteps(
    directory,
    [
      [part("first"), part("first")],
      [part("short"), part("long")],
    ],
    [],
    () => {
      begun += 1;
      writeFileSync(join(directory, "begun"), "");
    },
  );
  expect(begun).toBe(1);
});

longTest("the terminal shows what the runner says, and the log in dist also what the runtime says", async () => {
  const lines = ["exception = gone", "stack: a@1", "uncaught exception; it is", "    at here", "✓ holds"];
  writeFileSync(join(directory, "said.txt"), lines.join("\n"));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ scripts: { "one:long": "cat said.txt #" } }));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  await runPart(directory, { script: "one:long", projects: ["some"] });
  const shown = log.mock.calls.flat().map(String);
  expect(shown).toContain("some | ✓ holds");
  for (const line of lines.slice(0, -1)) expect(shown.join("\n")).not.toContain(line);
  expect(readFileSync(join(directory, "dist/one-long-some.log"), "utf8")).toContain(lines.join("\n"));
});

shortTest("the last line sums all runs, and only a run that proves something and fails nothing exits with 0", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const good = { passed: 2, failed: 0, flaky: ["late.test.js: is late"], failures: [] };
  const bad = { passed: 1, failed: 1, flaky: [], failures: ["bad.test.js: is broken"] };
  const nothing = { passed: 0, failed: 0, flaky: [], failures: [] };
  expect([summarize([good, nothing]), summarize([good, bad]), summarize([nothing])]).toEqual([0, 1, 1]);
  expect(log.mock.calls.flat()).toEqual([
    "FLAKY late.test.js: is late",
    "2 passed, 0 failed",
    "FAILED bad.test.js: is broken",
    "FLAKY late.test.js: is late",
    "3 passed, 1 failed",
    "0 passed, 0 failed",
  ]);
});

shortTest("each file that must run alone is there: a moved one would run beside others", () => {
  expect([...MEASURED, ...ALONE].filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

shortTest(
  "both suites run each file that counts its rounds: one that is not listed would never run all of them",
  () => {
    const counting = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
      // The test of the counting itself counts no rounds.
      .filter((name) => /(?<!\.long)\.test\.ts$/.test(name) && name !== "support/rounds.test.ts")
      .filter((name) => readFileSync(join(root, "test", name), "utf8").includes('/rounds.ts"'))
      .map((name) => `test/${name}`);
    expect(repeatedFiles()).toEqual(counting.sort());
  },
);
