import { join } from "node:path";
import type { Vite } from "vitest/node";
import { root } from "../../shared/cli/root.ts";

const FOLDERS = ["functions", "shared"].map((folder) => join(root, folder, "/"));
const LAZY_IMPORT = /\bimport\("([^"]+)"\)/g;

/**
 * Has the tests' runtime load with a module what the module would load on first use.
 *
 * All objects share one loader there. An object that ends while it loads a module leaves the loader waiting, and each
 * later object of that runtime would wait with it. A bundle has no such loader.
 */
export const loadedModules: Vite.Plugin = {
  name: "loaded-modules",
  // Global setups run in Node. They load wrangler, which has 15 MB, only to build.
  applyToEnvironment: ({ name }) => name !== "__vitest__",
  transform: (code, id) =>
    FOLDERS.some((folder) => id.startsWith(folder)) ? { code: withoutLazyImports(code), map: null } : null,
};

/** Replaces each lazy import of JavaScript. The lines keep their numbers. */
function withoutLazyImports(code: string): string {
  const names = new Map<string, string>();
  const replaced = code.replaceAll(LAZY_IMPORT, (_, module: string) => {
    const name = names.get(module) ?? `loadedModule${names.size}`;
    names.set(module, name);
    return `Promise.resolve(${name})`;
  });
  const loads = [...names].map(([module, name]) => `import * as ${name} from ${JSON.stringify(module)};`);
  return [replaced, ...loads].join("\n");
}
