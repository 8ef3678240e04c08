import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tailOf } from "../../shared/cli/log-tail.ts";

test("of a log only the end is read, however long it is", async () => {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-log-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "log");
  await writeFile(path, `${"x".repeat(1_000_000)}the end`);
  const tail = await tailOf(path);
  expect(tail.length).toBeLessThanOrEqual(65_536);
  expect(tail.endsWith("xthe end")).toBe(true);
  await writeFile(path, "short");
  expect(await tailOf(path)).toBe("short");
});
