import type { GrpcTypes } from "@mysten/sui/grpc";
import { invalidArgument } from "./status.ts";

/** The reflection of a generated protobuf message type, as the SDK exports them. */
type Fields = Pick<typeof GrpcTypes.Object, "fields">;

/** A read mask as a tree: `"all"` keeps everything below this point. */
export type Mask = "all" | ReadonlyMap<string, Mask>;

interface MutableMask extends Map<string, "all" | MutableMask> {}

/**
 * Parses a read mask against the message it selects from. A shorter path swallows longer ones
 * (`effects` covers `effects.status`), as the node's `FieldMaskTree` does.
 * Throws `INVALID_ARGUMENT` for a path that names no field.
 */
export function parseMask(type: Fields, paths: readonly string[]): Mask {
  const tree: MutableMask = new Map();
  for (const path of paths) {
    if (path === "*") return "all";
    const segments = path.split(".");
    if (!namesField(type, segments)) throw invalidArgument(`invalid read_mask path: ${path}`);
    insertPath(tree, segments);
  }
  return tree;
}

/** The part of a mask below a field, or undefined when the mask leaves the field out. */
export function submask(mask: Mask, field: string): Mask | undefined {
  return mask === "all" ? "all" : mask.get(field);
}

/** Copies the masked fields of `message` into a new message of the same type. */
export function applyMask<Message extends object>(
  type: Fields & { create(): Message },
  message: Message,
  mask: Mask,
): Message {
  if (mask === "all") return message;
  const kept = type.create();
  for (const field of type.fields) {
    const below = mask.get(field.name ?? field.localName);
    if (below === undefined) continue;
    if (field.oneof !== undefined) {
      keepOneof(message, kept, field.oneof, field.localName);
      continue;
    }
    const value = Reflect.get(message, field.localName);
    if (value === undefined) continue;
    Reflect.set(kept, field.localName, field.kind === "message" ? maskValue(field.T(), value, below) : value);
  }
  return kept;
}

function maskValue(type: Fields & { create(): object }, value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(type, item, mask));
  return typeof value === "object" && value !== null ? applyMask(type, value, mask) : value;
}

function keepOneof(from: object, to: object, group: string, member: string): void {
  const selected = Reflect.get(from, group);
  if (selected?.oneofKind === member) Reflect.set(to, group, selected);
}

function insertPath(tree: MutableMask, segments: readonly string[]): void {
  let node = tree;
  for (const [index, segment] of segments.entries()) {
    const child = node.get(segment);
    if (child === "all") return;
    if (index === segments.length - 1) {
      node.set(segment, "all");
      return;
    }
    const next: MutableMask = child ?? new Map();
    node.set(segment, next);
    node = next;
  }
}

function namesField(type: Fields, segments: readonly string[]): boolean {
  const [first, ...rest] = segments;
  const field = type.fields.find((candidate) => (candidate.name ?? candidate.localName) === first);
  if (field === undefined) return false;
  if (rest.length === 0) return true;
  if (field.kind === "map") return rest.length === 1;
  return field.kind === "message" && namesField(field.T(), rest);
}
