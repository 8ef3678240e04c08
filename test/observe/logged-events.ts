import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The commands write to a terminal. */
const COMMANDS = "shared/cli/";

/** What the sources log. */
export interface LoggedEvents {
  readonly names: ReadonlySet<string>;
  /** The calls whose event is no text of their file, as `path:line`. */
  readonly unnamed: readonly string[];
}

/** Reads the names of all events that the service logs, from its sources below `root`. */
export function loggedEvents(root: string): LoggedEvents {
  const names = new Set<string>();
  const unnamed: string[] = [];
  for (const path of sourcesBelow(root)) {
    const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true);
    for (const argument of loggedArguments(source)) {
      const found = textsOf(argument, source);
      for (const name of found) names.add(name);
      const { line } = source.getLineAndCharacterOfPosition(argument.getStart());
      if (found.length === 0) unnamed.push(`${path}:${line + 1}`);
    }
  }
  return { names, unnamed };
}

function sourcesBelow(root: string): readonly string[] {
  return ["shared", "functions"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith(".ts") && !path.startsWith(COMMANDS));
}

function descendants(node: ts.Node): readonly ts.Node[] {
  const below: ts.Node[] = [];
  node.forEachChild((child) => void below.push(child, ...descendants(child)));
  return below;
}

/** The first arguments of all calls of a `log`, without those of `console`. */
function loggedArguments(source: ts.SourceFile): readonly ts.Expression[] {
  return descendants(source)
    .filter(ts.isCallExpression)
    .flatMap(({ expression, arguments: [first] }) => {
      const isLog = /(^|[.?])log$/.test(expression.getText()) && !expression.getText().startsWith("console");
      return isLog && first !== undefined ? [first] : [];
    });
}

/** The texts that an expression can be. A name stands for the constants of that name in its file. */
function textsOf(expression: ts.Expression, source: ts.SourceFile): readonly string[] {
  if (ts.isStringLiteral(expression)) return [expression.text];
  if (ts.isConditionalExpression(expression))
    return [...textsOf(expression.whenTrue, source), ...textsOf(expression.whenFalse, source)];
  if (!ts.isIdentifier(expression)) return [];
  return descendants(source)
    .filter(ts.isVariableDeclaration)
    .filter(({ name }) => name.getText() === expression.text)
    .flatMap(({ initializer }) => (initializer === undefined ? [] : textsOf(initializer, source)));
}
