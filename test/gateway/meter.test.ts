import fc from "fast-check";
import { parse } from "graphql";
import { describe, expect, inject, test } from "vitest";
import { LEAST_QUERY_UNITS, QUERY_LIMITS, quoteQuery } from "../../shared/gateway/graphql-meter.ts";

const seed = inject("seed");
const runs = { numRuns: 500, ...(seed !== null && { seed }) };

function quote(query: string, variables: Readonly<Record<string, unknown>> = {}, operationName: string | null = null) {
  return quoteQuery({ query, variables, operationName });
}

function unitsOf(query: string, variables?: Readonly<Record<string, unknown>>): number {
  const quoted = quote(query, variables);
  if (!quoted.ok) throw new Error(quoted.error.details);
  return quoted.value.computeUnits;
}

function reasonOf(query: string, variables?: Readonly<Record<string, unknown>>, operationName?: string): string | null {
  const quoted = quote(query, variables, operationName);
  return quoted.ok ? null : quoted.error.reason;
}

/** A query as the stock client sends it. */
const BALANCES = `query getAccountCoinsData($where: current_fungible_asset_balances_bool_exp!, $limit: Int = 50) {
  current_fungible_asset_balances(where: $where, limit: $limit) { amount metadata { name } } }`;

describe("a query costs ten units a root field and one for each row that it can have", () => {
  test.each([
    ["a list without a limit has all rows that are ever given", "{ a { b } }", {}, 110],
    ["a limit", "{ a(limit: 5) { b } }", {}, 15],
    ["no rows", "{ a(limit: 0) { b } }", {}, 10],
    ["a relation counts with each row", "{ a(limit: 5) { b { c } } }", {}, 20],
    ["a list inside a list", "{ a(limit: 5) { b(limit: 10) { c } } }", {}, 65],
    ["one row by its key", '{ a_by_pk(id: "x") { b } }', {}, 11],
    ["a count", "{ a_aggregate { aggregate { count } } }", {}, 62],
    ["the rows of a count", "{ a_aggregate { nodes { b } } }", {}, 161],
    ["the rows of a count with a limit", "{ a_aggregate(limit: 7) { nodes { b } } }", {}, 68],
    ["a field without rows", "{ a }", {}, 10],
    ["two names for one field", "{ x: a(limit: 5) { b } y: a(limit: 5) { b } }", {}, 30],
    ["a fragment, each time that it is used", "{ ...F ...F } fragment F on query_root { a(limit: 5) { b } }", {}, 30],
    ["an inline fragment", "{ ... on query_root { a(limit: 5) { b } } }", {}, 15],
    ["the limit of a variable", BALANCES, { where: {}, limit: 5 }, 20],
    ["the default of a variable", BALANCES, { where: {} }, 110],
    ["a variable that is null, which is no limit", BALANCES, { where: {}, limit: null }, 210],
    ["a limit beyond what is given", BALANCES, { where: {}, limit: 1e9 }, 210],
  ])("%s", (_, query, variables, units) => {
    expect(unitsOf(query, variables)).toBe(units);
  });

  test.each([-1, 1.5, "5", "nonsense", true, {}, [5], Number.NaN])("a limit of %j counts as none", (limit) => {
    expect(unitsOf(BALANCES, { where: {}, limit })).toBe(210);
  });
});

test.each([
  ["a mutation", "mutation { x }", "query_not_allowed"],
  ["a subscription", "subscription { x { y } }", "query_not_allowed"],
  ["a schema", "type T { x: Int }", "query_not_allowed"],
  ["no operation", "fragment F on T { x }", "bad_query"],
  ["two operations without a choice", "query A { a } query B { b }", "bad_query"],
  ["a text that ends too early", "{ a { ", "bad_query"],
  ["a fragment that is not there", "{ ...F }", "bad_query"],
  ["a fragment in itself", "fragment F on T { ...F } { a { ...F } }", "bad_query"],
  ["two fragments of one name", "{ ...F } fragment F on T { a } fragment F on T { b }", "bad_query"],
  ["many root fields", `{ ${Array.from({ length: 11 }, (_, n) => `a${n}`).join(" ")} }`, "query_too_complex"],
  [
    "many root fields in a fragment",
    `{ ...F } fragment F on T { ${Array.from({ length: 11 }, (_, n) => `a${n}`).join(" ")} }`,
    "query_too_complex",
  ],
  ["an argument that is given twice", "{ a(limit: 0, limit: 100) { b } }", "bad_query"],
  ["an argument of a field without rows that is given twice", "{ a(x: 1, x: 2) }", "bad_query"],
  ["an argument deep inside that is given twice", "{ a(limit: 1) { b(limit: 0, limit: 100) { c } } }", "bad_query"],
  ["a variable that is given twice", "query A($l: Int = 0, $l: Int = 100) { a(limit: $l) { b } }", "bad_query"],
  ["deep fields", "{a{a{a{a{a{a{a{a{a{b}}}}}}}}}}", "query_too_complex"],
  [
    "many fields",
    `{ a(limit: 0) { ${Array.from({ length: 300 }, (_, n) => `a${n}`).join(" ")} } }`,
    "query_too_complex",
  ],
  ["many rows", "{ a(limit: 100) { b(limit: 100) { c } } }", "query_too_complex"],
  ["many tokens", `{ x(${"a:1 ".repeat(3_000)}) }`, "bad_query"],
  ["a long text", `{ a } ${"#".repeat(QUERY_LIMITS.bytes)}`, "query_too_complex"],
])("%s is refused", (_, query, reason) => {
  expect(reasonOf(query)).toBe(reason);
});

/** A document as another reader sees it: a block string is a string. */
function readOf(text: string): unknown {
  return JSON.parse(
    JSON.stringify(parse(text, { noLocation: true }), (name, value) => (name === "block" ? false : value)),
  );
}

test("the text that goes to the indexer reads as the query does, without comments and block strings", () => {
  const text = `﻿query A($x: [Int!] = [1, -2.5e3]) @d(a: "q\\"\\u{1F600} \\u0041\\n\\\\") { # a comment "
    x: a(w: {k: $x, n: null, t: true, e: RED, s: """ " two
      lines \\""" # no comment""" }, limit: 3) { ...F ... on T @include(if: $x) { b } ... { c } } }
    # } another
    fragment F on T { d, e }`;
  const quoted = quote(text);
  const sent = quoted.ok ? quoted.value.query : "";
  expect(readOf(sent)).toEqual(readOf(text));
  expect(sent).not.toMatch(/comment "|another|"""|﻿|\n|\$ |@ /);
});

test("the operation that is named is the one that is quoted and sent, with the fragments that it uses", () => {
  const text = "query A { ...F } mutation B { b } fragment F on T { a } fragment G on T { g }";
  const quoted = quote(text, {}, "A");
  expect(quoted.ok && quoted.value.query.replace(/\s+/g, " ")).toBe("query A { ...F } fragment F on T { a }");
  expect(reasonOf(text, {}, "B")).toBe("query_not_allowed");
  expect(reasonOf(text, {}, "C")).toBe("bad_query");
});

/** Twice as many fields with each of its fragments. */
function bomb(levels: number, leaf: string): string {
  const fragments = Array.from({ length: levels }, (_, n) => `fragment F${n} on T { ...F${n + 1} ...F${n + 1} }`);
  return `${fragments.join("\n")} fragment F${levels} on T { ${leaf} } { r(limit: 0) { ...F0 } }`;
}

test("a bomb of fragments ends after a few steps", () => {
  expect(reasonOf(bomb(100, "a"))).toBe("query_too_complex");
  expect(reasonOf(bomb(100, "... on T { a }"))).toBe("query_too_complex");
});

const name = fc.constantFrom("a", "b_by_pk", "c_aggregate", "nodes", "__schema", "limit");
const limits = fc.constantFrom("", "(limit: 5)", "(limit: 0)", "(limit: $n)", "(limit: 1e3)", "(where: {x: [1]})");
const { selection } = fc.letrec<{ selection: string; set: string }>((tie) => ({
  selection: fc.oneof(
    { depthSize: "small" },
    name,
    fc.constantFrom("...F", "...G", "...Nobody"),
    fc.tuple(name, limits, tie("set")).map((parts) => parts.join(" ")),
    tie("set").map((set) => `... on T ${set}`),
  ),
  set: fc.array(tie("selection"), { minLength: 1, maxLength: 4 }).map((selections) => `{ ${selections.join(" ")} }`),
}));
const sets = fc.array(selection, { minLength: 1, maxLength: 4 }).map((selections) => `{ ${selections.join(" ")} }`);
const documents = fc
  .tuple(sets, sets, sets)
  .map(([root, f, g]) => `query Q($n: Int = 3) ${root} fragment F on T ${f} fragment G on T ${g}`);
const texts = fc.oneof(
  documents,
  fc.string({ maxLength: 200 }),
  fc.tuple(documents, fc.nat(300)).map(([text, at]) => text.slice(at)),
);

test("whatever the query, it is quoted within the limits or refused, and never throws", () => {
  fc.assert(
    fc.property(texts, fc.jsonValue(), (query, n) => {
      const quoted = quote(query, { n });
      if (!quoted.ok) return;
      expect(quoted.value.computeUnits).toBeGreaterThanOrEqual(LEAST_QUERY_UNITS);
      expect(quoted.value.computeUnits).toBeLessThanOrEqual(QUERY_LIMITS.computeUnits);
    }),
    runs,
  );
});

test("what goes up costs what was quoted", () => {
  fc.assert(
    fc.property(documents, fc.nat({ max: 150 }), (query, n) => {
      const quoted = quote(query, { n });
      if (quoted.ok) expect(unitsOf(quoted.value.query, { n })).toBe(quoted.value.computeUnits);
    }),
    runs,
  );
});

test("a greater limit never costs less", () => {
  fc.assert(
    fc.property(documents, fc.nat({ max: 200 }), fc.nat({ max: 200 }), (query, one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      const [lower, higher] = [quote(query, { n: less }), quote(query, { n: more })];
      if (higher.ok) expect(lower.ok && lower.value.computeUnits).toBeLessThanOrEqual(higher.value.computeUnits);
    }),
    runs,
  );
});
