import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../shared/cli/root.ts";

const run = promisify(execFile);

/** The folder in which a command keeps what Node compiles. */
async function cacheOf(settings: NodeJS.ProcessEnv): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-with-node-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const script = join(directory, "script.ts");
  await writeFile(script, "console.log(process.env.NODE_COMPILE_CACHE as string);");
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const launcher = join(root, "shared/cli/with-node.js");
  const { stdout } = await run(process.execPath, [launcher, script], { env: { ...env, ...settings } });
  return stdout.trim();
}

test("a command keeps what Node compiles for the next one, in the packages' cache or where the caller says", async () => {
  expect(await cacheOf({})).toBe(join(root, "node_modules/.cache/gasworks/compiled"));
  expect(await cacheOf({ NODE_COMPILE_CACHE: tmpdir(), NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(tmpdir());
});
