import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";

/** Packages of tests that run inside the runtime, beside the dependencies of the service. */
const OF_TESTS = ["@aptos-labs/ts-sdk", "fast-check", "standardwebhooks"];
/** Packages of the command line, which runs in Node alone. */
const OF_COMMANDS = ["citty"];
/** The compiler imports them for each page of the dashboard. */
const JSX_RUNTIMES = ["hono/jsx/jsx-runtime", "hono/jsx/jsx-dev-runtime"];
const IMPORT = /(?:\bfrom|\bimport\(?)\s*"([^"./][^"]*)"/g;

const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

/**
 * Lists the modules of packages that the service and its tests import. Each runtime of the tests loads them as a few
 * files instead of hundreds, and a module that this list lacked would be loaded twice.
 */
export function runtimePackages(): readonly string[] {
  const { dependencies } = packageSchema.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const ofService = Object.keys(dependencies).filter((name) => !OF_COMMANDS.includes(name));
  const packages = [...ofService, ...OF_TESTS];
  const isOfThem = (name: string) => packages.some((one) => name === one || name.startsWith(`${one}/`));
  const found = new Set(JSX_RUNTIMES);
  for (const folder of ["functions", "shared", "test"])
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(path) || path.includes("node_modules")) continue;
      const text = readFileSync(join(root, folder, path), "utf8");
      for (const [, name = ""] of text.matchAll(IMPORT)) if (isOfThem(name)) found.add(name);
    }
  return [...found].sort();
}
