import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  TokenKind,
  type VariableNode,
} from "graphql";
import { MIN_BURST_COMPUTE_UNITS } from "../access/rate-limit.ts";
import { type Checked, passed, refused } from "./errors.ts";

/**
 * The cost of a query to an indexer, from its text alone. The dialect is Hasura's (hasura.io/docs, "API limits"). It
 * cuts lists at a number of rows, so no schema is needed. A root field costs 10 units, and each row that a list can
 * have costs 1. The rows of a list inside a list multiply. A list without a limit has the highest number of rows.
 */

export const QUERY_LIMITS = {
  bytes: 16_384,
  tokens: 2_000,
  depth: 8,
  rootFields: 10,
  fields: 300,
  /** The dearest query passes on a full bucket at any rate. */
  computeUnits: MIN_BURST_COMPUTE_UNITS,
} as const;

/** Each field takes at least one step. Steps above that are fragments around few fields. */
const MAX_STEPS = 10 * QUERY_LIMITS.fields;
const ROW_CAP = 100;
const ROOT_FIELD_UNITS = 10;
const AGGREGATE_UNITS = 50;
const INTROSPECTION_UNITS = 500;

/** The cost of the cheapest query in compute units. */
export const LEAST_QUERY_UNITS = ROOT_FIELD_UNITS;

/** A GraphQL request. */
export interface Query {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** The highest cost of a query. */
export interface QueryQuote {
  readonly computeUnits: number;
  /** The operation and the fragments that it uses, as they were counted. */
  readonly query: string;
}

/** Ends a walk over a query. It never leaves this file. */
class Refused extends Error {
  readonly reason: "bad_query" | "query_too_complex";
  constructor(reason: Refused["reason"], details: string) {
    super(details);
    this.reason = reason;
  }
}

interface Document {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

function readDocument({ query, operationName }: Query): Checked<Document> {
  if (new TextEncoder().encode(query).length > QUERY_LIMITS.bytes)
    return refused("query_too_complex", `the query must have at most ${QUERY_LIMITS.bytes} bytes`);
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  try {
    const { definitions } = parse(query, { maxTokens: QUERY_LIMITS.tokens });
    for (const definition of definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
      else if (definition.kind !== Kind.FRAGMENT_DEFINITION)
        return refused("query_not_allowed", "only queries and their fragments are answered: send nothing else");
      else if (fragments.has(definition.name.value))
        return refused("bad_query", `two fragments have the name ${definition.name.value}: rename one`);
      else fragments.set(definition.name.value, definition);
    }
  } catch (error) {
    return refused("bad_query", error instanceof Error ? error.message : "the query cannot be read: check its syntax");
  }
  const chosen = operations.filter(({ name }) => operationName === null || name?.value === operationName);
  const [operation, another] = chosen;
  if (operation === undefined)
    return refused("bad_query", "the query has no operation of that name: check operationName");
  if (another !== undefined) return refused("bad_query", "set operationName: the query has several operations");
  if (operation.operation !== OperationTypeNode.QUERY)
    return refused("query_not_allowed", `a ${operation.operation} is refused: send a query`);
  return passed({ operation, fragments });
}

/**
 * Writes a definition as the tokens that were read, so that another reader cannot read something else. It has no
 * comments, and each string is a plain one.
 */
function textOf({ loc }: OperationDefinitionNode | FragmentDefinitionNode): string {
  const words: string[] = [];
  for (let token = loc?.startToken; token; token = token === loc?.endToken ? undefined : (token.next ?? undefined)) {
    const { kind, value, next } = token;
    const isString = kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
    const isSpread = kind === TokenKind.SPREAD && next?.kind === TokenKind.NAME && next.value !== "on";
    // Some readers take no space after these signs.
    const end = isSpread || kind === TokenKind.DOLLAR || kind === TokenKind.AT ? "" : " ";
    if (kind !== TokenKind.COMMENT) words.push(isString ? JSON.stringify(value) : (value ?? kind), end);
  }
  return words.join("").trimEnd();
}

/** Returns a limit as the indexer will take it: the sent value, `null` included, or else its default. Null if neither. */
function limitOf({ value }: ArgumentNode, { operation }: Document, variables: Query["variables"]): unknown {
  if (value.kind === Kind.INT) return Number(value.value);
  if (value.kind !== Kind.VARIABLE) return null;
  const name = value.name.value;
  if (Object.hasOwn(variables, name)) return variables[name];
  const definition = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name);
  return definition?.defaultValue?.kind === Kind.INT ? Number(definition.defaultValue.value) : null;
}

/**
 * Returns the rows that a limit allows. Any value except a whole number counts as the cap. The indexer may refuse it,
 * or read it as no limit.
 */
function rowsOf(limit: unknown): number {
  return typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0 ? Math.min(limit, ROW_CAP) : ROW_CAP;
}

/**
 * Refuses two values under one name: another reader may take the other value (GraphQL specification, 5.4.2 and 5.8.1).
 */
function refuseTwice(named: readonly (ArgumentNode | VariableNode)[], what: string): void {
  const names = new Set<string>();
  for (const { name } of named) {
    if (names.has(name.value)) throw new Refused("bad_query", `the ${what} ${name.value} is given twice: give it once`);
    names.add(name.value);
  }
}

type Role = "list" | "one" | "aggregate";

/**
 * Returns the role of a field, by Hasura's names and the field's depth. A relation without arguments counts as one row.
 */
function roleOf({ name, arguments: given = [] }: FieldNode, isRoot: boolean): Role {
  if (name.value.endsWith("_aggregate")) return "aggregate";
  if (name.value.endsWith("_by_pk") || name.value.startsWith("__")) return "one";
  return isRoot || given.length > 0 ? "list" : "one";
}

interface Place {
  readonly depth: number;
  /** The number of times that a field at this place is answered. */
  readonly times: number;
  /** The rows of `nodes` inside an aggregate. Null outside an aggregate. */
  readonly nodes: number | null;
}

/** Computes the highest cost of a query, for as long as the query stays within the limits. */
class Walk {
  readonly #document: Document;
  readonly #variables: Query["variables"];
  readonly #open = new Set<string>();
  readonly used = new Set<string>();
  #units = 0;
  #fields = 0;
  #rootFields = 0;
  #steps = 0;

  constructor(document: Document, variables: Query["variables"]) {
    this.#document = document;
    this.#variables = variables;
  }

  total(): number {
    refuseTwice(this.#document.operation.variableDefinitions?.map(({ variable }) => variable) ?? [], "variable");
    this.#selections(this.#document.operation.selectionSet, { depth: 1, times: 1, nodes: null });
    return this.#units;
  }

  #count(what: "fields" | "rootFields" | "computeUnits", value: number, name: string): void {
    if (value > QUERY_LIMITS[what])
      throw new Refused("query_too_complex", `more than ${QUERY_LIMITS[what]} ${name}: ask for less`);
  }

  #spend(units: number): void {
    this.#units += units;
    this.#count("computeUnits", this.#units, "compute units");
  }

  #selections({ selections }: SelectionSetNode, place: Place): void {
    if (place.depth > QUERY_LIMITS.depth)
      throw new Refused("query_too_complex", `fields must not be nested deeper than ${QUERY_LIMITS.depth}`);
    for (const selection of selections) {
      this.#steps += 1;
      if (this.#steps > MAX_STEPS) throw new Refused("query_too_complex", "too many fragments: use fewer");
      if (selection.kind === Kind.FIELD) this.#field(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#selections(selection.selectionSet, place);
      else this.#fragment(selection.name.value, place);
    }
  }

  #fragment(name: string, place: Place): void {
    const fragment = this.#document.fragments.get(name);
    if (fragment === undefined) throw new Refused("bad_query", `there is no fragment ${name}: define it`);
    if (this.#open.has(name)) throw new Refused("bad_query", `the fragment ${name} contains itself: break the circle`);
    this.used.add(name);
    this.#open.add(name);
    this.#selections(fragment.selectionSet, place);
    this.#open.delete(name);
  }

  #field(field: FieldNode, { depth, times, nodes }: Place): void {
    refuseTwice(field.arguments ?? [], "argument");
    const isRoot = depth === 1;
    this.#fields += 1;
    this.#count("fields", this.#fields, "fields");
    if (isRoot) {
      this.#rootFields += 1;
      this.#count("rootFields", this.#rootFields, "root fields");
      this.#spend(ROOT_FIELD_UNITS);
    }
    const { selectionSet, name } = field;
    if (selectionSet === undefined) return;
    const role = roleOf(field, isRoot);
    const limit = field.arguments?.find((argument) => argument.name.value === "limit");
    const rows = limit === undefined ? ROW_CAP : rowsOf(limitOf(limit, this.#document, this.#variables));
    const isNodes = nodes !== null && name.value === "nodes";
    const listed = isNodes ? nodes : role === "list" ? rows : 1;
    if (role === "aggregate") this.#spend(AGGREGATE_UNITS * times);
    if (isRoot && name.value.startsWith("__")) this.#spend(INTROSPECTION_UNITS);
    this.#spend(listed * times);
    const inside = { depth: depth + 1, times: listed * times, nodes: role === "aggregate" ? rows : null };
    this.#selections(selectionSet, inside);
  }
}

/**
 * Quotes a query, in a bounded number of steps. The quote is the highest cost of the query, with one exception. A
 * relation without arguments counts as one row, because without the schema it looks like an object. The quoted text is
 * the text that goes to the indexer.
 *
 * @returns refuses text that is no query with `bad_query`, and another operation with `query_not_allowed`. It refuses a
 * query beyond one of the limits with `query_too_complex`.
 */
export function quoteQuery(query: Query): Checked<QueryQuote> {
  const document = readDocument(query);
  if (!document.ok) return document;
  const { operation, fragments } = document.value;
  const walk = new Walk(document.value, query.variables);
  try {
    const computeUnits = walk.total();
    const used = [...walk.used].flatMap((name) => fragments.get(name) ?? []);
    return passed({ computeUnits, query: [operation, ...used].map(textOf).join(" ") });
  } catch (error) {
    if (error instanceof Refused) return refused(error.reason, error.message);
    throw error;
  }
}
