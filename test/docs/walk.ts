import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/** A file on the way of a request, and the export by which the file before it goes there. */
export interface Step {
  readonly file: string;
  /** Null: the first file, where the walk begins. */
  readonly name: string | null;
}

/** Reads a source file of the repository. */
export type Read = (path: string) => string;

/** Steps of a numbered list: a path as the first inline code of its line, and an export after a comma. */
export function stepsOf(list: string): readonly Step[] {
  return [...list.matchAll(/^\d+\. `([^`]+)`(?:, `([^`]+)`)?/gm)].map(([, file = "", name]) => ({
    file,
    name: name ?? null,
  }));
}

function parse(path: string, read: Read): ts.SourceFile {
  return ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
}

/** The file that an import or export names, from the root of the repository. */
function pathOf(path: string, specifier: ts.Expression | undefined): string | null {
  if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return null;
  return normalize(join(dirname(path), specifier.text));
}

/** Whether the text has this identifier anywhere but in its imports. */
function uses(source: ts.SourceFile, name: string): boolean {
  const visit = (node: ts.Node): boolean =>
    !ts.isImportDeclaration(node) &&
    ((ts.isIdentifier(node) && node.text === name) || ts.forEachChild(node, visit) === true);
  return visit(source);
}

function imports(source: ts.SourceFile, from: string, name: string): boolean {
  return source.statements.some((statement) => {
    if (!ts.isImportDeclaration(statement) || pathOf(source.fileName, statement.moduleSpecifier) !== from) return false;
    const bindings = statement.importClause?.namedBindings;
    return (
      bindings !== undefined &&
      ts.isNamedImports(bindings) &&
      bindings.elements.some((element) => (element.propertyName ?? element.name).text === name)
    );
  });
}

function exportsFrom(source: ts.SourceFile, from: string, name: string): boolean {
  return source.statements.some(
    (statement) =>
      ts.isExportDeclaration(statement) &&
      pathOf(source.fileName, statement.moduleSpecifier) === from &&
      statement.exportClause !== undefined &&
      ts.isNamedExports(statement.exportClause) &&
      statement.exportClause.elements.some((element) => element.name.text === name),
  );
}

/** The binding of a Durable Object class in wrangler.toml; null if it has none. */
function bindingOf(className: string, wrangler: string): string | null {
  const entry = new RegExp(`name = "([A-Z_]+)"[\\s,]+class_name = "${className}"`).exec(wrangler);
  return entry?.[1] ?? null;
}

/** The platform goes from `env.<binding>` to the class that the Worker exports: no file imports it. */
function callsByBinding(source: ts.SourceFile, { file, name }: Step, worker: ts.SourceFile, read: Read): boolean {
  if (name === null || !exportsFrom(worker, file, name)) return false;
  const binding = bindingOf(name, read("wrangler.toml"));
  return binding !== null && source.text.includes(`env.${binding}.`);
}

/** Why the steps are no walk, a line each: every file goes to the next, and no folder comes twice. */
export function walkFindings(steps: readonly Step[], read: Read): readonly string[] {
  const [first] = steps;
  if (first === undefined) return ["no steps"];
  const sources = steps.map(({ file }) => parse(file, read));
  const [worker] = sources;
  const broken = steps.slice(1).flatMap((step, index) => {
    const from = sources[index];
    if (from === undefined || worker === undefined || step.name === null) return [`${step.file} names no export`];
    const goesThere = imports(from, step.file, step.name) && uses(from, step.name);
    return goesThere || callsByBinding(from, step, worker, read)
      ? []
      : [`${from.fileName} does not go to ${step.name} of ${step.file}`];
  });
  const entered = steps.map(({ file }) => dirname(file)).filter((folder, at, all) => folder !== all[at - 1]);
  const twice = entered.filter((folder, at) => entered.indexOf(folder) !== at);
  return [...broken, ...twice.map((folder) => `the walk enters ${folder} again`)];
}
