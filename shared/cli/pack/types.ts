import { join, relative } from "node:path";
import ts from "typescript";
import { LaunchError } from "../terminal.ts";
import { ENTRIES } from "./sources.ts";

/** The types that every consumer has. The sources of the package may use nothing else. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  types: [],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  declaration: true,
  emitDeclarationOnly: true,
};

/** Declarations by their path in the package, from `types/`. */
export type Declarations = ReadonlyMap<string, string>;

/**
 * Compiles the declarations of the package, those that an entry needs.
 *
 * @param directory the folder with the sources, as in the repository.
 * @throws LaunchError with the compiler's errors.
 */
export function compileTypes(directory: string): Declarations {
  const rootDir = join(directory, "shared");
  const entries = Object.values(ENTRIES).map((path) => join(directory, path));
  const program = ts.createProgram(entries, { ...OPTIONS, rootDir, outDir: "/types" });
  const written = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => written.set(relative("/types", path), text));
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (errors.length > 0) throw new LaunchError(ts.formatDiagnostics(errors, formatHost(directory)));
  return reachable(written);
}

/** Returns the path of the declarations of an entry. */
export function declarationsOf(entry: string): string {
  return (ENTRIES[entry] ?? "").replace(/^shared\//, "").replace(/\.ts$/, ".d.ts");
}

function formatHost(directory: string): ts.FormatDiagnosticsHost {
  return {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => directory,
    getNewLine: () => "\n",
  };
}

function reachable(written: Declarations): Declarations {
  const reached = new Map<string, string>();
  const waiting = Object.keys(ENTRIES).map(declarationsOf);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = written.get(path);
    if (text === undefined) throw new LaunchError(`TypeScript wrote no declarations for ${path}: run npm run check`);
    if (reached.has(path)) continue;
    reached.set(path, text);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (!fileName.startsWith("."))
        throw new LaunchError(`the types of ${path} need the package ${fileName}: remove that import`);
      waiting.push(join(path, "..", fileName.replace(/\.js$/, ".d.ts")));
    }
  }
  return new Map([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
}
