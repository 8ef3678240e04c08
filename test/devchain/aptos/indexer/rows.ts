import type { Json } from "../move/values.ts";
import type { Argument, Field } from "./parse.ts";
import { QueryError } from "./tokens.ts";

/** A row of a table; a relation to one row of another is an object. */
export type Row = Readonly<Record<string, Json>>;

/** The public indexer answers no more rows at once. */
const MAX_ROWS = 100;

type Compare = (value: Json, other: Argument) => boolean;

const COMPARISONS: Readonly<Record<string, Compare>> = {
  _eq: (value, other) => value === other,
  _neq: (value, other) => value !== other,
  _gt: (value, other) => order(value, other) > 0,
  _gte: (value, other) => order(value, other) >= 0,
  _lt: (value, other) => order(value, other) < 0,
  _lte: (value, other) => order(value, other) <= 0,
  _in: (value, other) => Array.isArray(other) && other.includes(value),
  _nin: (value, other) => Array.isArray(other) && !other.includes(value),
  _is_null: (value, other) => (value === null) === other,
};

function order(one: Json, other: Argument): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [left, right] = [String(one), String(other)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The rows that a field asks for, by its `where`, `order_by`, `offset` and `limit`, as Hasura takes them. */
export function selectRows(rows: readonly Row[], { arguments: given }: Field): Row[] {
  const { where = null, order_by: by = null, offset = null, limit = null, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new QueryError(`unexpected argument '${unknown}'`);
  const start = count(offset, "offset") ?? 0;
  const wanted = Math.min(count(limit, "limit") ?? MAX_ROWS, MAX_ROWS);
  return sorted(filtered(rows, where), by).slice(start, start + wanted);
}

export function filtered(rows: readonly Row[], where: Argument): Row[] {
  return where === null ? [...rows] : rows.filter((row) => matches(row, where));
}

function matches(row: Row, where: Argument): boolean {
  return Object.entries(objectOf(where, "where")).every(([name, condition]) => {
    if (name === "_and") return listOf(condition).every((one) => matches(row, one));
    if (name === "_or") return listOf(condition).some((one) => matches(row, one));
    if (name === "_not") return !matches(row, condition);
    const value = row[name];
    if (value === undefined) throw new QueryError(`field '${name}' not found`);
    if (isRow(value)) return matches(value, condition);
    return Object.entries(objectOf(condition, name)).every(([operator, other]) => {
      const compare = COMPARISONS[operator];
      if (compare === undefined) throw new QueryError(`field '${operator}' not found`);
      return compare(value, other);
    });
  });
}

function sorted(rows: readonly Row[], by: Argument): Row[] {
  const keys = (by === null ? [] : listOf(by)).flatMap((one) => Object.entries(objectOf(one, "order_by")));
  return [...rows].sort((one, other) => {
    for (const [name, direction] of keys) {
      const difference = order(one[name] ?? null, other[name] ?? null);
      if (difference !== 0) return String(direction).startsWith("desc") ? -difference : difference;
    }
    return 0;
  });
}

/** Of a row, what was asked for, by the names that were asked for. */
export function project(row: Row, fields: readonly Field[], type: string): Row {
  return Object.fromEntries(fields.map((field) => [field.alias, fieldValue(row, field, type)]));
}

function fieldValue(row: Row, { name, fields }: Field, type: string): Json {
  if (name === "__typename") return type;
  const value = row[name];
  if (value === undefined) throw new QueryError(`field '${name}' not found in type: '${type}'`);
  if (isRow(value)) return project(value, fields, name);
  if (fields.length > 0) throw new QueryError(`unexpected subselection set for non-object field '${name}'`);
  return value;
}

function isRow(value: Json): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: Argument, name: string): Readonly<Record<string, Argument>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new QueryError(`expected an object for '${name}'`);
  }
  return Object.fromEntries(Object.entries(value));
}

function listOf(value: Argument): readonly Argument[] {
  return Array.isArray(value) ? value : [value];
}

function count(value: Argument, name: string): number | undefined {
  if (value === null) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new QueryError(`expecting a non-negative 32-bit integer for '${name}'`);
  }
  return value;
}
