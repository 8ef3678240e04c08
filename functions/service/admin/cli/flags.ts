import type * as z from "zod";
import {
  choicesOf,
  entryOf,
  fieldsOf,
  isAtoms,
  isNullable,
  isOfType,
  type JsonSchema,
  jsonSchemaOf,
  nonNull,
} from "./json-schema.ts";
import { coinAmount } from "./typed-amount.ts";

/** One flag of a command. */
export interface Flag {
  /** The name without the dashes, in kebab-case. */
  readonly name: string;
  /** `list`: may be repeated, or hold several entries with commas between them. */
  readonly kind: "text" | "boolean" | "list";
  /** The placeholder of its value. Empty for a boolean. */
  readonly hint: string;
  readonly description: string;
  /** The values that it may have. Empty if there is no such list. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** The field of the request that it sets. Null for a flag of the command line itself. */
  readonly field: Field | null;
}

/** A field of a request. */
export interface Field {
  readonly of: "body" | "query";
  /** The names from the outermost object on. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** The value of a flag as typed. */
export type Typed = string | boolean | readonly string[];

/** Returns the flag of a field: `policy.maxGasBudget` → `policy-max-gas-budget`. */
export function flagName(path: readonly string[]): string {
  return path
    .join("-")
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^-/, "");
}

/** A schema that a request never has anything in, such as `z.undefined()`. */
function isNothing(schema: z.ZodType): boolean {
  return schema.def.type === "undefined";
}

/** Returns the flags of all fields of a request's body or query. An inner object gives a flag for each of its fields. */
export function flagsOf(schema: z.ZodType, of: Field["of"]): readonly Flag[] {
  return isNothing(schema) ? [] : flagsOfObject(jsonSchemaOf(schema, "input"), of, [], true);
}

function flagsOfObject(
  schema: JsonSchema,
  of: Field["of"],
  parents: readonly string[],
  isAsked: boolean,
): readonly Flag[] {
  const required = new Set(nonNull(schema).required ?? []);
  return fieldsOf(schema).flatMap(([name, field]) => {
    const path = [...parents, name];
    const isRequired = isAsked && required.has(name) && field.default === undefined;
    if (fieldsOf(field).length > 0) return flagsOfObject(field, of, path, isRequired);
    return [flagOf({ of, path, schema: field }, isRequired)];
  });
}

function flagOf(field: Field, isRequired: boolean): Flag {
  const { schema, path } = field;
  const entry = entryOf(schema);
  const isBoolean = isOfType(schema, "boolean");
  const choices = choicesOf(entry ?? schema);
  return {
    name: flagName(path),
    kind: entry !== null ? "list" : isBoolean ? "boolean" : "text",
    hint: isBoolean ? "" : hintOf(schema, choices, entry !== null),
    description: descriptionOf(schema),
    choices,
    isRequired,
    field,
  };
}

function hintOf(schema: JsonSchema, choices: readonly string[], isList: boolean): string {
  const one = choices.length > 0 && choices.length <= 4 ? choices.join("|") : typeHint(schema, choices);
  return isList ? `${one},…` : one;
}

function typeHint(schema: JsonSchema, choices: readonly string[]): string {
  if (choices.length > 0) return "value";
  if (isAtoms(schema)) return "amount";
  return isOfType(schema, "integer") || isOfType(schema, "number") ? "number" : "text";
}

function descriptionOf(schema: JsonSchema): string {
  const { minimum, maximum, format, description } = nonNull(schema);
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    description,
    isAtoms(schema) && !/MIST/.test(description ?? "") ? "MIST or octas" : null,
    isAtoms(schema) ? "or with its coin: 0.01SUI, 2APT" : null,
    isBounded ? `${minimum} to ${maximum}` : null,
    format === "date-time" ? "ISO 8601, such as 2026-11-23T08:00:00Z" : null,
    isNullable(schema) && !/null:/.test(description ?? "") && schema.default !== null ? "null takes it away" : null,
    shownDefault(schema.default),
  ]
    .filter((part) => part !== null && part !== undefined)
    .join("; ");
}

function shownDefault(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return `default: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`;
}

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

function entriesOf(typed: Typed): readonly string[] {
  const texts = typeof typed === "object" ? typed : [String(typed)];
  return texts.flatMap((text) => text.split(",")).filter((entry) => entry !== "");
}

/** Converts a typed text to the value of a field. A text of no type stays a text, so that the schema refuses it. */
export function sentValue({ schema }: Field, typed: Typed): unknown {
  if (typeof typed === "boolean") return typed;
  const isNull = typed === "null" || (typeof typed === "object" && typed.length === 1 && typed[0] === "null");
  if (isNull && isNullable(schema)) return null;
  if (entryOf(schema) !== null) return entriesOf(typed);
  if (typeof typed !== "string") return typed;
  if (isAtoms(schema)) return coinAmount(typed)?.atoms ?? typed;
  const isNumber = isOfType(schema, "integer") || isOfType(schema, "number");
  return isNumber && NUMBER.test(typed) ? Number(typed) : typed;
}

/** Returns a copy of an object with the field of a path set. */
export function withField(
  object: Readonly<Record<string, unknown>>,
  [name = "", ...inner]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (inner.length === 0) return { ...object, [name]: value };
  const before = object[name];
  const within = isRecord(before) ? before : {};
  return { ...object, [name]: withField(within, inner, value) };
}

/** Returns whether a value is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
