import * as z from "zod";
import type { Node } from "../api/route.ts";
import type { Json } from "../move/values.ts";
import { type Field, parseQuery } from "./parse.ts";
import { filtered, project, type Row, selectRows } from "./rows.ts";
import { TABLES } from "./tables.ts";
import { QueryError } from "./tokens.ts";

const AGGREGATE = "_aggregate";

const QueryRequest = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.json()).nullish(),
});

/** Answers a GraphQL request as the public indexer does: what is wrong with a query comes as an error with status 200. */
export async function answerQuery(node: Node, request: Request): Promise<Response> {
  try {
    const body = QueryRequest.safeParse(await request.json().catch(() => undefined));
    if (!body.success) throw new QueryError(`the key 'query' was not found: ${z.prettifyError(body.error)}`);
    const fields = parseQuery(body.data.query, body.data.variables ?? {});
    return Response.json({ data: Object.fromEntries(fields.map((field) => [field.alias, answer(node, field)])) });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const extensions = { path: "$", code: "validation-failed" };
    return Response.json({ errors: [{ message: error.message, extensions }] });
  }
}

function answer(node: Node, field: Field): Json {
  if (field.name === "__typename") return "query_root";
  const isAggregate = field.name.endsWith(AGGREGATE);
  const name = isAggregate ? field.name.slice(0, -AGGREGATE.length) : field.name;
  const table = Object.hasOwn(TABLES, name) ? TABLES[name] : undefined;
  if (table === undefined) throw new QueryError(`field '${field.name}' not found in type: 'query_root'`);
  if (field.fields.length === 0) throw new QueryError(`missing selection set for '${field.name}'`);
  const rows = table(node);
  if (isAggregate) return aggregate(rows, field);
  return selectRows(rows, field).map((row) => project(row, field.fields, name));
}

function aggregate(rows: readonly Row[], field: Field): Json {
  const { length } = filtered(rows, field.arguments.where ?? null);
  return project({ aggregate: { count: length } }, field.fields, field.name);
}
