import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

/** May be combined with Apache-2.0 code, shipped in a bundle, and run by anyone. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);

/** Licences that pass in some packages only, and why. Development dependencies only: nothing of them is distributed. */
const EXCEPTIONS = [
  {
    packages: /^@img\/sharp-/,
    licence: "LGPL-3.0-or-later",
    reason: "libvips, a library of its own that Miniflare loads for image bindings, which Gasworks does not use",
  },
];

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), dev: z.boolean().optional() }),
  ),
});
const manifestSchema = z.object({
  license: z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]).optional(),
});

function licencesAllowedFor(name: string, development: boolean): ReadonlySet<string> {
  const exceptions = EXCEPTIONS.filter(({ packages }) => development && packages.test(name));
  return new Set([...ALLOWED, ...exceptions.map(({ licence }) => licence)]);
}

/** An SPDX expression passes when some choice of it needs allowed licences only. Nested expressions do not pass. */
export function satisfies(expression: string, allowed: ReadonlySet<string>): boolean {
  const text = expression.trim().replace(/^\((.*)\)$/, "$1");
  return text.split(/ OR /).some((choice) => choice.split(/ AND /).every((licence) => allowed.has(licence.trim())));
}

/**
 * Every package of the lock file, installed on this machine or not (other platforms' binaries are not): the package's
 * own manifest counts, the lock's copy of it where it is not installed.
 *
 * @returns one line for each package that must not be there.
 */
export async function forbiddenLicences(
  root: string,
): Promise<{ readonly checked: number; readonly offenders: readonly string[] }> {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  const dependencies = Object.entries(packages).filter(([path]) => path !== "");
  const offenders: string[] = [];
  for (const [path, locked] of dependencies) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const manifest = join(root, path, "package.json");
    const installed = existsSync(manifest) ? manifestSchema.parse(JSON.parse(await readFile(manifest, "utf8"))) : null;
    const licence = installed?.license ?? locked.license;
    if (licence === undefined || !satisfies(licence, licencesAllowedFor(name, locked.dev === true)))
      offenders.push(`${name}@${locked.version ?? "?"}: ${licence ?? "no licence stated"}`);
  }
  return { checked: dependencies.length, offenders };
}
