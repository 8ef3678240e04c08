import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

type Chain = "sui" | "aptos";

const NAME: Readonly<Record<Chain, string>> = { sui: "Sui", aptos: "Aptos" };

/** The source files of one fund, by their path below its folder. */
export type FundSources = ReadonlyMap<string, string>;

/**
 * Compares the files of two funds. Files of the same path are twins. What both twins export stands in the same order.
 * A header line explains a file without a twin, `Sui only: reason`, and exports without one, `Sui only (a, b): reason`.
 * No file imports from the other chain's folders.
 *
 * @returns one line for each rule that a file breaks.
 */
export function differencesOfTwins(sui: FundSources, aptos: FundSources): readonly string[] {
  return [
    ...differencesOf("sui", sui, aptos),
    ...differencesOf("aptos", aptos, sui),
    ...orderDifferences(sui, aptos),
    ...importsAcross("sui", sui, "aptos"),
    ...importsAcross("aptos", aptos, "sui"),
  ];
}

function importsAcross(chain: Chain, sources: FundSources, other: Chain): readonly string[] {
  return [...sources].flatMap(([path, source]) =>
    ts
      .preProcessFile(source)
      .importedFiles.filter(({ fileName }) => fileName.startsWith(".") && fileName.split("/").includes(other))
      .map(({ fileName }) => `fund/${chain}/${path}: imports ${fileName} of the other chain`),
  );
}

/** Reads the TypeScript files of a fund below `shared/fund/`. */
export function fundSources(root: string, chain: Chain): FundSources {
  const folder = join(root, "shared/fund", chain);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isCompared);
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function isCompared(path: string): boolean {
  return path.endsWith(".ts");
}

/**
 * Lists the exported functions, classes and constants of a source in their order. Types follow the functions that take them.
 * The key is the name that both twins share. It lacks the chain's name, and has the ledger's unit instead of the chain's.
 */
export function exportedNames(source: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const statement of ts.createSourceFile("fund.ts", source, ts.ScriptTarget.Latest, true).statements)
    if (ts.canHaveModifiers(statement) && isExported(statement))
      for (const name of declaredNames(statement)) names.set(commonName(name), name);
  return names;
}

function isExported(statement: ts.HasModifiers): boolean {
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

function declaredNames(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function commonName(name: string): string {
  return name
    .replace(/^(SUI|APTOS)_/, "")
    .replace(/(Sui|Aptos)(?=[A-Z]|$)/g, "")
    .replace(/^(sui|aptos)(?=[A-Z])/, "")
    .replace(/(Mist|Octas)$/, "Atoms")
    .replace(/_(MIST|OCTAS)$/, "_ATOMS")
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

interface Header {
  /** The whole file has no twin. */
  readonly explainsFile: boolean;
  /** Exports that have no twin. */
  readonly explained: ReadonlySet<string>;
}

/** Reads the comments before the first statement. */
function headerOf(source: string, chain: Chain): Header {
  const first = ts.createSourceFile("fund.ts", source, ts.ScriptTarget.Latest, true).statements[0];
  const text = source
    .slice(0, first?.getStart() ?? source.length)
    .replace(/^[\s/*]+/gm, " ")
    .replace(/\s+/g, " ");
  const lines = [...text.matchAll(new RegExp(`${NAME[chain]} only(?: \\(([^)]*)\\))?: \\S`, "g"))];
  const lists = lines.map(([, list]) => list);
  const names = lists.flatMap((list) => (list === undefined ? [] : list.split(",").map((name) => name.trim())));
  return { explainsFile: lists.includes(undefined), explained: new Set(names) };
}

function differencesOf(chain: Chain, files: FundSources, twins: FundSources): readonly string[] {
  return [...files].flatMap(([path, source]) => {
    const header = headerOf(source, chain);
    const twin = twins.get(path);
    const where = `fund/${chain}/${path}`;
    if (twin === undefined)
      return header.explainsFile ? [] : [`${where} has no twin and no line "${NAME[chain]} only: …"`];
    const names = exportedNames(source);
    const lone = new Set([...names].flatMap(([common, name]) => (exportedNames(twin).has(common) ? [] : [name])));
    return [
      ...(header.explainsFile ? [`${where} has a twin: its line "${NAME[chain]} only: …" must name exports`] : []),
      ...[...lone].filter((name) => !header.explained.has(name)).map((name) => `${where}: ${name} has no twin`),
      ...[...header.explained]
        .filter((name) => !lone.has(name))
        .map((name) => `${where}: ${name} is no export without a twin`),
    ];
  });
}

function orderDifferences(sui: FundSources, aptos: FundSources): readonly string[] {
  return [...sui].flatMap(([path, source]) => {
    const ofTwin = exportedNames(aptos.get(path) ?? "");
    const ofSui = [...exportedNames(source).keys()].filter((name) => ofTwin.has(name));
    const ofAptos = [...ofTwin.keys()].filter((name) => ofSui.includes(name));
    const at = ofSui.findIndex((name, index) => name !== ofAptos[index]);
    return at === -1 ? [] : [`fund/{sui,aptos}/${path}: ${ofSui[at]} and ${ofAptos[at]} stand in another order`];
  });
}
