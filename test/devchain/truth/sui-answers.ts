import { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase64 } from "@mysten/sui/utils";

const FRAME_HEADER_BYTES = 5;
const TRAILER_FLAG = 0x80;

/** The JSON form of a message in protocol buffers. */
interface MessageType {
  fromBinary(bytes: Uint8Array): object;
  fromJson(json: never): object;
  toBinary(message: object): Uint8Array;
  toJson(message: object): unknown;
}

const TYPES: Readonly<Record<string, unknown>> = GrpcTypes;

function messageType(name: string): MessageType {
  return TYPES[name] as MessageType;
}

export function requestType(method: string): MessageType {
  return messageType(`${method.split("/")[1]}Request`);
}

/** What a node said to one call, however its frames are cut. */
export interface SuiAnswer {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** That there are details of an error, beside its message. */
  readonly hasDetails: boolean;
  /** Of the node; their values go by time. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reply: unknown;
}

export function answerOf(
  method: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): SuiAnswer {
  let reply: unknown = null;
  const said: Record<string, string> = { ...headers };
  for (let at = 0; at + FRAME_HEADER_BYTES <= body.length; ) {
    const end = at + FRAME_HEADER_BYTES + new DataView(body.buffer, body.byteOffset + at).getUint32(1);
    const payload = body.subarray(at + FRAME_HEADER_BYTES, end);
    if (((body[at] ?? 0) & TRAILER_FLAG) !== 0) Object.assign(said, trailersOf(payload));
    else reply = replyOf(method, payload);
    at = end;
  }
  return {
    status,
    code: Number(said["grpc-status"] ?? 0),
    message: decodeURIComponent(said["grpc-message"] ?? ""),
    hasDetails: said["grpc-status-details-bin"] !== undefined,
    headers: headersOf(headers),
    reply,
  };
}

/** The message in the frames of an answer. Null: there is none. */
export function messageIn(body: Uint8Array): Uint8Array | null {
  const isMessage = body.length >= FRAME_HEADER_BYTES && ((body[0] ?? 0) & TRAILER_FLAG) === 0;
  if (!isMessage) return null;
  const end = FRAME_HEADER_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.subarray(FRAME_HEADER_BYTES, end);
}

/** Of an id in hex, its length stands for it: by chance it may look like a number. */
function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-sui-"));
  return Object.fromEntries(
    own.map(([name, value]) => [name, name === "x-sui-chain-id" ? `${value.length} digits` : value]),
  );
}

function trailersOf(payload: Uint8Array): Readonly<Record<string, string>> {
  const lines = new TextDecoder()
    .decode(payload)
    .split(/\r?\n/)
    .filter((line) => line.includes(":"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

function replyOf(method: string, payload: Uint8Array): unknown {
  const type = messageType(`${method.split("/")[1]}Response`);
  return withoutBytes(type.toJson(type.fromBinary(payload)));
}

const BYTES: ReadonlySet<string> = new Set(["pure", "value"]);

/** The length of BCS stands for it: what is in it is in the other fields as well. */
function withoutBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== "object" || value === null) return value;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const isBytes = typeof field === "string" && BYTES.has(name);
      return [name, isBytes ? `${fromBase64(field).length} bytes` : withoutBytes(field)];
    }),
  );
}
