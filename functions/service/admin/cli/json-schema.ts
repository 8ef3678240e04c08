import * as z from "zod";

/** A JSON Schema as the OpenAPI document has it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const known = new WeakMap<z.ZodType, { input?: JsonSchema; output?: JsonSchema }>();

/** Returns the JSON Schema of a caller's input (`input`), or of the service's answer (`output`). */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const made = known.get(schema) ?? {};
  known.set(schema, made);
  made[io] ??= z.toJSONSchema(schema, { io });
  return made[io];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}

/** Returns the alternatives of a schema that are not null. One schema without alternatives is its only one. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).filter(isSchema);
  return alternatives.length === 0 ? [schema] : alternatives.filter(({ type }) => type !== "null");
}

/** Returns whether a value may be null. */
export function isNullable(schema: JsonSchema): boolean {
  const alternatives = [schema, ...(schema.anyOf ?? []).filter(isSchema)];
  return alternatives.some(({ type }) => type === "null" || (Array.isArray(type) && type.includes("null")));
}

/** Returns the only alternative besides null. The description of the whole schema stays. */
export function nonNull(schema: JsonSchema): JsonSchema {
  const [only = schema, ...others] = alternativesOf(schema);
  if (others.length > 0) return schema;
  const { description = only.description } = schema;
  return { ...only, ...(description !== undefined && { description }) };
}

/** Returns the fields of an object. None if it is no object. */
export function fieldsOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(nonNull(schema).properties ?? {}).filter((entry): entry is [string, JsonSchema] =>
    isSchema(entry[1]),
  );
}

/** Returns the field of an object, or the schema of all fields of a record. Null without either. */
export function fieldOf(schema: JsonSchema, name: string): JsonSchema | null {
  const known = fieldsOf(schema).find(([each]) => each === name)?.[1];
  const { additionalProperties: any } = nonNull(schema);
  return known ?? (isSchema(any) ? any : null);
}

/** Returns the schema of the entries of a list. Null if it is no list. */
export function entryOf(schema: JsonSchema): JsonSchema | null {
  const { items } = nonNull(schema);
  return isSchema(items) && !Array.isArray(items) ? items : null;
}

/** Returns whether a value is of this type. */
export function isOfType(schema: JsonSchema, wanted: string): boolean {
  const { type } = nonNull(schema);
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.includes(wanted);
}

/** Returns the values of an enumeration, or of a constant. None if it is neither. */
export function choicesOf(schema: JsonSchema): readonly string[] {
  const { enum: choices = [], const: only } = nonNull(schema);
  return (only === undefined ? choices : [only]).map(String);
}

/** Returns whether a field is an amount of MIST or octas. */
export function isAtoms(schema: JsonSchema): boolean {
  return schema["x-unit"] === "atoms" || nonNull(schema)["x-unit"] === "atoms";
}

/** Returns whether any field within is such an amount. */
export function hasAtoms(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"x-unit":"atoms"');
}
