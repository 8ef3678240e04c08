import { BinaryReader, BinaryWriter, WireType } from "@protobuf-ts/runtime";
import { oversized } from "../../bounded-reply.ts";
import { type Field, fieldsOf, isDescribed, type MessageName } from "./messages.ts";

/**
 * Protobuf's binary format for the messages of `messages.ts`. Values have the form of the SDK's types: an absent field
 * is undefined, a 64-bit integer is a bigint, and a choice is an object with its `oneofKind`.
 */

type Message = Record<string, unknown>;

/** The scalars of our messages, each with its form on the wire and its default. */
const SCALARS = {
  bool: [WireType.Varint, false],
  bytes: [WireType.LengthDelimited, new Uint8Array()],
  double: [WireType.Bit64, 0],
  int32: [WireType.Varint, 0],
  int64: [WireType.Varint, 0n],
  string: [WireType.LengthDelimited, ""],
  uint32: [WireType.Varint, 0],
  uint64: [WireType.Varint, 0n],
} as const;
type Scalar = keyof typeof SCALARS;

function isScalar(type: string): type is Scalar {
  return Object.hasOwn(SCALARS, type);
}

const numbered = new Map<string, ReadonlyMap<number, Field>>();

/** Returns the fields of a message by their numbers. */
function numberedFieldsOf(name: string): ReadonlyMap<number, Field> {
  const known = numbered.get(name);
  if (known !== undefined) return known;
  if (!isDescribed(name)) throw new Error(`there is no message ${name}`);
  const fields = new Map(fieldsOf(name).map((field) => [field.no, field]));
  numbered.set(name, fields);
  return fields;
}

/**
 * The most fields of a reply, those of all its messages together. An empty message takes two bytes in a reply and some
 * hundred in memory, and a sender can emit events of many small values. A transaction with 2,048 changed objects and
 * 1,024 events of ten values has fewer than 100,000.
 */
const MAX_FIELDS = 250_000;

/** Counts the fields that a reply may still have. */
class BoundedReader extends BinaryReader {
  fieldsLeft = MAX_FIELDS;
}

/**
 * Reads a message. Skips unknown fields, and the messages that `messages.ts` does not describe.
 *
 * @throws if the bytes are not protobuf, or have more than `MAX_FIELDS` fields.
 */
export function decode(name: MessageName, bytes: Uint8Array): unknown {
  const reader = new BoundedReader(bytes);
  return readMessage(reader, name, reader.len, emptyMessage(name));
}

/** A message in which no field was sent. */
function emptyMessage(name: string): Message {
  const message: Message = {};
  for (const { name: field, type, isList, isMap, hasDefault, choice } of numberedFieldsOf(name).values())
    if (choice !== null) message[choice] = { oneofKind: undefined };
    else if (isList) message[field] = [];
    else if (isMap) message[field] = {};
    else if (hasDefault && isScalar(type)) message[field] = SCALARS[type][1];
  return message;
}

function readMessage(reader: BoundedReader, name: string, end: number, message: Message): Message {
  const fields = numberedFieldsOf(name);
  while (reader.pos < end) {
    reader.fieldsLeft -= 1;
    if (reader.fieldsLeft < 0) throw new Error(oversized(MAX_FIELDS, "fields"));
    const [no, wireType] = reader.tag();
    const field = fields.get(no);
    if (field !== undefined && (isScalar(field.type) || isDescribed(field.type))) readField(reader, message, field);
    else reader.skip(wireType);
  }
  return message;
}

/** A message that is sent in parts is merged, and of other values the last one counts. */
function readField(reader: BoundedReader, message: Message, { name, type, isList, isMap, choice }: Field): void {
  if (isList) {
    (message[name] as unknown[]).push(readValue(reader, type));
  } else if (isMap) {
    const { key, value } = readValue(reader, type) as { readonly key: string; readonly value: unknown };
    (message[name] as Message)[key] = value;
  } else if (choice !== null) {
    const chosen = message[choice] as Message;
    const known = chosen.oneofKind === name ? chosen[name] : undefined;
    message[choice] = { oneofKind: name, [name]: readValue(reader, type, known) };
  } else {
    message[name] = readValue(reader, type, message[name]);
  }
}

function readValue(reader: BoundedReader, type: string, known?: unknown): unknown {
  if (isScalar(type)) return readScalar(reader, type);
  const bytes = reader.uint32();
  return readMessage(reader, type, reader.pos + bytes, (known as Message | undefined) ?? emptyMessage(type));
}

function readScalar(reader: BinaryReader, type: Scalar): unknown {
  return type === "int64" || type === "uint64" ? reader[type]().toBigInt() : reader[type]();
}

/** Writes a message. A field that is undefined is not sent. */
export function encode(name: MessageName, message: object): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writeMessage(writer, name, message as Message);
  return Uint8Array.from(writer.finish());
}

function writeMessage(writer: BinaryWriter, messageName: string, message: Message): void {
  for (const { no, name, type, isList, choice } of numberedFieldsOf(messageName).values()) {
    const value = choice === null ? message[name] : (message[choice] as Message | undefined)?.[name];
    const values = isList ? (value as readonly unknown[] | undefined) : [value];
    for (const one of values ?? []) if (one !== undefined) writeValue(writer, no, type, one);
  }
}

function writeValue(writer: BinaryWriter, no: number, type: string, value: unknown): void {
  if (isScalar(type)) {
    writer.tag(no, SCALARS[type][0])[type](value as never);
  } else {
    writer.tag(no, WireType.LengthDelimited).fork();
    writeMessage(writer, type, value as Message);
    writer.join();
  }
}
