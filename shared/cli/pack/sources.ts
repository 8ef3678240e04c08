import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";
import { root } from "../root.ts";
import { LaunchError } from "../terminal.ts";
import { writeClients } from "./clients.ts";
import { writeEvents } from "./events.ts";

/** Each entry of the package, by its name after `gasworks`, with its source file. */
export const ENTRIES: Readonly<Record<string, string>> = {
  index: "shared/client/package/index.ts",
  aptos: "shared/client/aptos-submitter.ts",
  flows: "shared/client/flows/index.ts",
  webhooks: "shared/client/webhooks/index.ts",
};

/** Source files that are written for the package, because those in their places need the server's schemas. */
const WRITTEN: Readonly<Record<string, () => string>> = {
  "shared/client/package/clients.ts": writeClients,
  "shared/client/webhooks/events.ts": writeEvents,
};

/** The files that the package may hold beside `shared/client/`. They are small and need nothing of the server. */
const PURE = new Set([
  "shared/errors.ts",
  "shared/exact-json.ts",
  "shared/http/bounded-text.ts",
  "shared/http/fetch.ts",
  "shared/http/retry-after.ts",
  "shared/idempotency.ts",
  "shared/network-names.ts",
  "shared/result.ts",
  "shared/u64.ts",
  "shared/waits.ts",
]);

/** A source file of the package, by its path in the repository. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Reads the source files that the entries are made of.
 *
 * @throws LaunchError if one of them imports code of the server, or a package.
 */
export async function readSources(): Promise<Sources> {
  const sources = new Map<string, string>();
  const waiting = Object.values(ENTRIES);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sources.has(path)) continue;
    const text = WRITTEN[path]?.() ?? (await readFile(join(root, path), "utf8"));
    sources.set(path, text);
    waiting.push(...importsOf(path, text));
  }
  return new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the files that a file imports, with those that it imports only types from. */
export function importsOf(path: string, text: string): readonly string[] {
  return ts.preProcessFile(text).importedFiles.map(({ fileName }) => {
    const imported = join(dirname(path), fileName);
    const isAllowed = fileName.startsWith(".") && (imported.startsWith("shared/client/") || PURE.has(imported));
    if (!isAllowed)
      throw new LaunchError(`${path} must not import ${fileName}: the package holds no code of the server`);
    return imported;
  });
}

/** Returns a file whose imports end with `.js` instead of `.ts`, as Node resolves them. */
export function withJsImports(text: string): string {
  let out = text;
  for (const { fileName, pos } of ts.preProcessFile(text).importedFiles.toReversed()) {
    // The position is that of the quote before the name.
    const end = pos + 1 + fileName.length;
    if (/^\..*\.ts$/.test(fileName)) out = `${out.slice(0, end - 3)}.js${out.slice(end)}`;
  }
  return out;
}
