import { beforeEach, expect, test } from "vitest";
import { emptyDirectory, FAILS, FAILS_ONCE, PASSES, writePackage } from "./sample-package.ts";
import { runSuite } from "./suite.ts";

let directory = "";

beforeEach(() => {
  directory = emptyDirectory();
});

test("a file that fails twice fails the run, beside a flaky one", async () => {
  writePackage(directory, { "bad.test.js": FAILS, "late.test.js": FAILS_ONCE });
  const verdict = await runSuite(directory, "test");
  expect(verdict).toMatchObject({ passed: 1, failed: 1, flaky: ["tests/late.test.js: is late once (Error: late)"] });
  expect(verdict.failures).toEqual([expect.stringMatching(/^tests\/bad\.test\.js: is broken\n.*broken/)]);
});

test("a file that cannot be loaded fails the run", async () => {
  writePackage(directory, { "good.test.js": PASSES, "torn.test.js": 'import "./nowhere.js";' });
  const verdict = await runSuite(directory, "test");
  expect(verdict).toMatchObject({ passed: 1, failed: 1, flaky: [] });
});
