import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../../shared/cli/root.ts";

export const PASSES = 'import { test } from "vitest"; test("holds", () => {});';
export const FAILS = 'import { test } from "vitest"; test("is broken", () => { throw new Error("broken"); });';
/** Fails in the first run of its file, and passes in the second. */
export const FAILS_ONCE = `
  import { existsSync, writeFileSync } from "node:fs";
  import { test } from "vitest";
  test("is late once", () => {
    if (existsSync("seen")) return;
    writeFileSync("seen", "");
    throw new Error("late");
  });`;

/** Makes an empty directory for one test. */
export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "gasworks-suite-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Writes a package of its own into the directory. A real runner runs its tests. */
export function writePackage(directory: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(directory, "tests"));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  const scripts = { test: "vitest run --root ." };
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module", scripts }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, "tests", name), text);
}
