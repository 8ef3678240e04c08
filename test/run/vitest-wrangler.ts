import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../shared/cli/root.ts";

/**
 * wrangler.toml without the flag that keeps dependencies from importing the environment: the test runner, which runs in
 * the same isolate, imports it.
 *
 * @returns the path of the copy.
 */
export function wranglerConfigForTests(): string {
  const text = readFileSync(join(root, "wrangler.toml"), "utf8");
  const main = JSON.stringify(join(root, "functions/index.ts"));
  const copy = text.replace(/^ *"disallow_importable_env",\n/m, "").replace(/^main = .*$/m, `main = ${main}`);
  if (copy.includes("disallow_importable_env")) throw new Error("wrangler.toml has another form than expected");
  const folder = join(root, "node_modules/.cache/gasworks");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "wrangler.toml");
  const next = `${path}.${process.pid}`;
  writeFileSync(next, copy);
  // A checkout whose packages are hard links to another one's would write into that one's file.
  renameSync(next, path);
  return path;
}
