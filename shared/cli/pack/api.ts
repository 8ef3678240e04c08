import { join } from "node:path";
import ts from "typescript";
import { ENTRIES } from "./sources.ts";
import { type Declarations, declarationsOf } from "./types.ts";

const FOLDER = "/types";

/**
 * Writes the public API as one text: each entry with what it exports, then the types that those name. Comments are left
 * out. A change of this text is a change for the package's users.
 */
export function publicApi(declarations: Declarations): string {
  const program = programOf(declarations);
  const checker = program.getTypeChecker();
  const shown = new Set<ts.Declaration>();
  const sections = Object.keys(ENTRIES).map((entry) => {
    const source = program.getSourceFile(join(FOLDER, declarationsOf(entry)));
    const module = source && checker.getSymbolAtLocation(source);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    const lines = sorted(exported.flatMap((symbol) => declarationsBehind(symbol, checker))).map((declaration) => {
      shown.add(declaration);
      return printed(declaration);
    });
    return [`// gasworks${entry === "index" ? "" : `/${entry}`}`, ...lines].join("\n\n");
  });
  const named = sorted(namedBy([...shown], checker)).map(printed);
  return `${[...sections, ["// named by these", ...named].join("\n\n")].join("\n\n")}\n`;
}

function programOf(declarations: Declarations): ts.Program {
  const options: ts.CompilerOptions = {
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const textOf = (path: string) =>
    path.startsWith(`${FOLDER}/`) ? declarations.get(path.slice(FOLDER.length + 1)) : null;
  return ts.createProgram(
    Object.keys(ENTRIES).map((entry) => join(FOLDER, declarationsOf(entry))),
    options,
    {
      ...host,
      directoryExists: () => true,
      fileExists: (path) => typeof textOf(path) === "string" || host.fileExists(path),
      readFile: (path) => textOf(path) ?? host.readFile(path),
      getSourceFile: (path, target) => {
        const text = textOf(path);
        return typeof text === "string"
          ? ts.createSourceFile(path, text, target, true)
          : host.getSourceFile(path, target);
      },
    },
  );
}

function declarationsBehind(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const behind = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return behind.declarations ?? [];
}

/** Returns the declarations of the package that others name, directly or through others. */
function namedBy(start: readonly ts.Declaration[], checker: ts.TypeChecker): readonly ts.Declaration[] {
  const seen = new Set(start);
  const waiting = [...start];
  const visit = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    for (const declaration of symbol === undefined ? [] : declarationsBehind(symbol, checker)) {
      const isTop = ts.isSourceFile(declaration.parent) || ts.isVariableDeclaration(declaration);
      if (!isTop || seen.has(declaration) || !declaration.getSourceFile().fileName.startsWith(`${FOLDER}/`)) continue;
      seen.add(declaration);
      waiting.push(declaration);
    }
    ts.forEachChild(node, visit);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) visit(next);
  return [...seen].filter((declaration) => !start.includes(declaration));
}

function nameOf(declaration: ts.Declaration): string {
  return ts.getNameOfDeclaration(declaration)?.getText() ?? "";
}

function sorted(declarations: readonly ts.Declaration[]): readonly ts.Declaration[] {
  return [...declarations].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function printed(declaration: ts.Declaration): string {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());
}
