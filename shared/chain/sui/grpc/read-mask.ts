import type { Result } from "../../../result.ts";
import { type Field, fieldsOf, isDescribed } from "./messages.ts";

/** The parts of an executed transaction that this service keeps or can read again. */
const SERVED = [
  "digest",
  "transaction.bcs",
  "transaction.digest",
  "signatures",
  "effects.bcs",
  "effects.status",
  "effects.epoch",
  "effects.gas_used",
  "effects.transaction_digest",
  "effects.gas_object",
  "effects.events_digest",
  "effects.dependencies",
  "effects.lamport_version",
  "effects.changed_objects",
  "events.events",
  "checkpoint",
  "timestamp",
  "balance_changes",
];

/** The fields that an answer shows: nested by name, and null for a whole field. */
export interface ReadMask extends ReadonlyMap<string, ReadMask | null> {}

type Growing = Map<string, Growing | null>;

/** Messages of protobuf that JSON writes as values. */
const VALUES = new Set(["Timestamp", "Value"]);

/** Returns the name of a field in the protocol. */
function protocolName(jsonName: string): string {
  return jsonName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function fieldNamed(fields: readonly Field[], segment: string): Field | undefined {
  return fields.find(({ name }) => segment === name || segment === protocolName(name));
}

/** True for the messages whose fields `messages.ts` does not describe: a node alone knows them. */
function isUndescribed(type: string): boolean {
  return /^[A-Z]/.test(type) && !isDescribed(type);
}

/** Returns a path by the names of the protocol. Null if the message has no such field. */
function resolved(path: string): readonly string[] | null {
  const names: string[] = [];
  const segments = path.split(".");
  let fields = fieldsOf("ExecutedTransaction");
  for (const [index, segment] of segments.entries()) {
    const field = fieldNamed(fields, segment);
    if (field === undefined) return null;
    names.push(protocolName(field.name));
    if (isUndescribed(field.type)) return [...names, ...segments.slice(index + 1).map(protocolName)];
    fields = VALUES.has(field.type) || !isDescribed(field.type) ? [] : fieldsOf(field.type);
  }
  return names;
}

const startsWith = (path: string, start: string) => path === start || path.startsWith(`${start}.`);

/**
 * Reads a field mask over an executed transaction, as a Sui node reads its `read_mask`. A field may have its name in
 * the protocol or in JSON. `*` names every served field.
 *
 * @returns an error that names the path, for a field that does not exist, and for one that is not served.
 */
export function readMaskOf(paths: readonly string[]): Result<ReadMask, string> {
  const mask: Growing = new Map();
  for (const path of paths.flatMap((one) => (one === "*" ? SERVED : [one]))) {
    const names = resolved(path);
    if (names === null) return { ok: false, error: `read_mask: invalid read_mask path: ${path}` };
    const name = names.join(".");
    const served = SERVED.filter((one) => startsWith(name, one) || startsWith(one, name));
    if (served.length === 0) return { ok: false, error: `read_mask: ${path} is not served: ask a node for it` };
    add(mask, names);
  }
  return { ok: true, value: mask };
}

/** Adds a path. A whole field covers its parts. */
function add(mask: Growing, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const known = mask.get(name);
  if (known === null) return;
  if (rest.length === 0) {
    mask.set(name, null);
    return;
  }
  const below = known ?? new Map();
  mask.set(name, below);
  add(below, rest);
}

/** Returns true if a mask shows any part of a field. */
export function shows(mask: ReadMask, path: string): boolean {
  let at: ReadMask | null | undefined = mask;
  for (const name of path.split(".")) {
    if (at === null) return true;
    at = at?.get(name);
    if (at === undefined) return false;
  }
  return true;
}

/** A message in its JSON form. */
export type JsonObject = Record<string, unknown>;

/** Returns true if a JSON value is a message. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Keeps the fields of a message in its JSON form that a mask shows. Masks lists item by item. */
export function masked(message: JsonObject, mask: ReadMask): JsonObject {
  return Object.fromEntries(
    Object.entries(message).flatMap(([jsonName, value]) => {
      const below = mask.get(protocolName(jsonName));
      return below === undefined ? [] : [[jsonName, below === null ? value : maskedValue(value, below)]];
    }),
  );
}

function maskedValue(value: unknown, mask: ReadMask): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskedValue(item, mask));
  return isObject(value) ? masked(value, mask) : value;
}
