import { QueryError, readTokens, type Tokens, unexpected } from "./tokens.ts";

/** What a field is given: already with the values of variables in it. */
export type Argument = string | number | boolean | null | readonly Argument[] | { readonly [name: string]: Argument };

export interface Field {
  readonly name: string;
  /** What the answer calls it. */
  readonly alias: string;
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly fields: readonly Field[];
}

const MAX_DEPTH = 10;
/** With what fragments stand for: without a bound a few of them could stand for any number. */
const MAX_FIELDS = 1_000;

type Selection =
  | { readonly field: Omit<Field, "fields">; readonly of: readonly Selection[] }
  | { readonly spread: string };

/** What is known while a document is read. */
interface Reading {
  readonly tokens: Tokens;
  readonly variables: Map<string, Argument>;
  readonly fragments: Map<string, readonly Selection[]>;
}

/**
 * Parses the one query of a document, with variables and fragments put in. It takes what clients of the indexer send:
 * no mutations, subscriptions, directives or inline fragments.
 */
export function parseQuery(query: string, variables: Readonly<Record<string, Argument>>): Field[] {
  const reading: Reading = {
    tokens: readTokens(query),
    variables: new Map(Object.entries(variables)),
    fragments: new Map(),
  };
  let root: readonly Selection[] | undefined;
  while (reading.tokens.peek().kind !== "end") {
    const found = definition(reading);
    if (found === undefined) continue;
    if (root !== undefined) throw new QueryError("only one query at a time");
    root = found;
  }
  if (root === undefined) throw new QueryError("not a valid graphql query: nothing is asked for");
  return resolve(root, { fragments: reading.fragments, fields: 0 }, 0);
}

/** A query's selections, or undefined for a fragment, which is kept. */
function definition(reading: Reading): Selection[] | undefined {
  const { tokens, fragments } = reading;
  if (tokens.take("{")) return selections(reading, 1);
  const word = tokens.expect("name");
  if (word === "fragment") {
    const name = tokens.expect("name");
    tokens.expect("name", "on");
    tokens.expect("name");
    tokens.expect("mark", "{");
    fragments.set(name, selections(reading, 1));
    return undefined;
  }
  if (word !== "query") throw new QueryError(`not a valid graphql query: no ${word} here`);
  if (tokens.peek().kind === "name") tokens.next();
  if (tokens.take("(")) declarations(reading);
  tokens.expect("mark", "{");
  return selections(reading, 1);
}

/** Types are not checked: a value that a table does not take is refused there. Defaults count where nothing is given. */
function declarations(reading: Reading): void {
  const { tokens, variables } = reading;
  while (!tokens.take(")")) {
    tokens.expect("mark", "$");
    const name = tokens.expect("name");
    tokens.expect("mark", ":");
    skipType(tokens);
    if (tokens.take("=")) {
      const otherwise = value(reading, 1);
      if (!variables.has(name)) variables.set(name, otherwise);
    }
  }
}

/** `[String!]!`: the brackets need not match, as nothing depends on them. */
function skipType(tokens: Tokens): void {
  while (tokens.take("["));
  tokens.expect("name");
  while (tokens.take("!") || tokens.take("]"));
}

function selections(reading: Reading, depth: number): Selection[] {
  requireDepth(depth);
  const { tokens } = reading;
  const found: Selection[] = [];
  while (!tokens.take("}")) {
    if (tokens.take("...")) {
      found.push({ spread: tokens.expect("name") });
      continue;
    }
    const alias = tokens.expect("name");
    const name = tokens.take(":") ? tokens.expect("name") : alias;
    const given = tokens.take("(") ? named(reading, ")", depth) : {};
    const of = tokens.take("{") ? selections(reading, depth + 1) : [];
    found.push({ field: { name, alias, arguments: given }, of });
  }
  return found;
}

const CONSTANTS: ReadonlyMap<string, Argument> = new Map<string, Argument>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function value(reading: Reading, depth: number): Argument {
  requireDepth(depth);
  const { tokens, variables } = reading;
  const token = tokens.next();
  if (token.kind === "string") return token.text;
  if (token.kind === "number") return Number(token.text);
  if (token.kind === "name") {
    const constant = CONSTANTS.get(token.text);
    return constant === undefined ? token.text : constant;
  }
  if (token.kind === "mark" && token.text === "$") return variables.get(tokens.expect("name")) ?? null;
  if (token.kind === "mark" && token.text === "{") return named(reading, "}", depth);
  if (token.kind !== "mark" || token.text !== "[") throw unexpected(token);
  const items: Argument[] = [];
  while (!tokens.take("]")) items.push(value(reading, depth + 1));
  return items;
}

function named(reading: Reading, end: ")" | "}", depth: number): Record<string, Argument> {
  const items: [string, Argument][] = [];
  while (!reading.tokens.take(end)) {
    const name = reading.tokens.expect("name");
    reading.tokens.expect("mark", ":");
    items.push([name, value(reading, depth + 1)]);
  }
  return Object.fromEntries(items);
}

/** Puts fragments in the place of their names. */
function resolve(
  selections: readonly Selection[],
  state: { readonly fragments: Reading["fragments"]; fields: number },
  depth: number,
): Field[] {
  requireDepth(depth);
  return selections.flatMap((selection) => {
    state.fields += 1;
    if (state.fields > MAX_FIELDS) throw new QueryError("the query has too many fields");
    if ("field" in selection) return [{ ...selection.field, fields: resolve(selection.of, state, depth + 1) }];
    const fragment = state.fragments.get(selection.spread);
    if (fragment === undefined) throw new QueryError(`fragment "${selection.spread}" not found`);
    return resolve(fragment, state, depth + 1);
  });
}

function requireDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new QueryError("the query is too deep");
}
