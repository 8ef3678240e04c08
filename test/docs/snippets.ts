import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { root } from "../../shared/cli/root.ts";
import { blocksOf, type Page } from "./pages.ts";

/** Declares the names that every block may use. */
const PRELUDE = join(root, "test/docs/prelude.ts");

interface Snippet {
  readonly page: string;
  /** The line of the page before the block's first line. */
  readonly line: number;
  /** The file that the compiler sees. It does not exist on disk. */
  readonly file: string;
  readonly text: string;
}

/** The blocks of a page that are compiled: `ts` and `tsx`. */
function snippetsOf({ path, text }: Page): readonly Snippet[] {
  return blocksOf(text).flatMap(({ info, text: code, line }) => {
    if (info !== "ts" && info !== "tsx") return [];
    // A block whose first line names its file imports from there. The others import from the page's folder.
    const [, named = path] = /^\/\/ (\S+\.tsx?)\n/.exec(code) ?? [];
    return [{ page: path, line, file: join(root, dirname(named), `snippet-${line}.${info}`), text: code }];
  });
}

/** The blocks that neither are compiled nor say why not. */
function unmarked({ path, text }: Page): readonly string[] {
  return blocksOf(text)
    .filter(({ info }) => /^(tsx?|typescript|jsx?|javascript)\b/.test(info))
    .filter(({ info }) => !/^tsx?( not compiled: \S.*)?$/.test(info))
    .map(({ info }) => `${path}: the block is neither ts nor says why it is not compiled: \`\`\`${info}`);
}

/** The names that the prelude exports. */
function exportedBy(path: string): readonly string[] {
  const text = ts.sys.readFile(path) ?? "";
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return statement.name?.text ?? [];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));
  });
}

/** The names that a block declares or imports itself. */
function declaredIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const { name } = node as Partial<ts.NamedDeclaration>;
    if (name !== undefined && ts.isIdentifier(name)) names.add(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("snippet.ts", text, ts.ScriptTarget.Latest));
  return names;
}

/** A block as a module. The import stands at its end, so that the lines stay those of the page. */
function moduleOf({ text, file }: Snippet, prelude: readonly string[], preludePath: string): string {
  const declared = declaredIn(text);
  const names = prelude.filter((name) => !declared.has(name)).join(", ");
  const path = relative(dirname(file), preludePath);
  return `${text}\nimport { ${names} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [PRELUDE], include: [] }, ts.sys, root);
  // The types of Node come first: those of Workers declare `process` as any. A block need not use what it declares.
  const types = ["node", ...(options.types ?? [])];
  return { ...options, types, noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false };
}

/**
 * Type-checks the `ts` and `tsx` blocks of the pages against the project, by its own compiler options.
 *
 * @returns a line for each error, with the page and the line, and for each block that says nothing of its compilation.
 */
export function snippetFindings(pages: readonly Page[], preludePath = PRELUDE): readonly string[] {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const prelude = exportedBy(preludePath);
  const snippets = new Map(pages.flatMap(snippetsOf).map((snippet) => [resolve(snippet.file), snippet]));
  const sources = new Map([...snippets].map(([path, snippet]) => [path, moduleOf(snippet, prelude, preludePath)]));
  const program = ts.createProgram([...sources.keys()], options, {
    ...host,
    fileExists: (path) => sources.has(resolve(path)) || host.fileExists(path),
    readFile: (path) => sources.get(resolve(path)) ?? host.readFile(path),
    getSourceFile: (path, target) => {
      const text = sources.get(resolve(path));
      return text === undefined ? host.getSourceFile(path, target) : ts.createSourceFile(path, text, target, true);
    },
  });
  const errors = [...snippets].flatMap(([path, { page, line }]) => {
    const source = program.getSourceFile(path);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(({ start = 0, messageText }) => {
      const at = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      return `${page}:${line + at + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
  return [...pages.flatMap(unmarked), ...errors];
}
