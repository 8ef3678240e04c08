import { decode, encode } from "./codec.ts";
import type { MessageName } from "./messages.ts";

/** The headers of a reply. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** A reply and its headers, of one call. */
export interface Reply<T> {
  readonly headers: Promise<ReplyHeaders>;
  readonly response: Promise<T>;
}

/** Ends a call early. */
export interface CallOptions {
  readonly abort?: AbortSignal;
}

const FRAME_HEADER_BYTES = 5;
/** The highest version of the protocol whose types the SDK's codec reads. A test compares it with the SDK's. */
const CLIENT_PROTOCOL_VERSION = "138";
/** The codes of `google.rpc.Code` by their numbers. */
const CODES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** The error of a call that a node refused. */
class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
  /** A name of `google.rpc.Code`. */
  readonly code: string;
  readonly meta: ReplyHeaders;

  constructor(message: string, code: string, meta: ReplyHeaders) {
    super(message);
    this.code = code;
    this.meta = meta;
  }
}

/** A method of a service. Its messages are named after it. */
interface Method {
  readonly url: string;
  readonly name: string;
  /** Returns a whole reply with its status, as `boundedFetch` does. */
  readonly fetch: typeof globalThis.fetch;
}

/**
 * Calls a method of a node once, in the binary format of gRPC-web. Both promises reject if no reply comes. The response
 * also rejects if the node refuses the call.
 */
export function call<T>({ url, name, fetch }: Method, request: object, { abort }: CallOptions = {}): Reply<T> {
  const asked = ask(url, encode(`${name}Request` as MessageName, request), fetch, abort);
  const headers = asked.then((answer) => answer.headers);
  const response = asked.then((answer) => {
    if (answer.body === null) throw refusalOf(answer.headers);
    return decode(`${name}Response` as MessageName, answer.body) as T;
  });
  // A caller may leave one of both promises alone. Its rejection is no fault then.
  for (const promise of [headers, response]) promise.catch(() => {});
  return { headers, response };
}

interface Answer {
  readonly headers: ReplyHeaders;
  /** Null if the node refused the call. */
  readonly body: Uint8Array | null;
}

async function ask(
  url: string,
  message: Uint8Array,
  fetch: typeof globalThis.fetch,
  abort: AbortSignal | undefined,
): Promise<Answer> {
  const body = new Uint8Array(FRAME_HEADER_BYTES + message.length);
  new DataView(body.buffer).setUint32(1, message.length);
  body.set(message, FRAME_HEADER_BYTES);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/grpc-web+proto",
      "x-grpc-web": "1",
      "x-sui-client-protocol-version": CLIENT_PROTOCOL_VERSION,
    },
    body,
    signal: abort ?? null,
  });
  const headers = Object.fromEntries(response.headers);
  if ((headers["grpc-status"] ?? "0") !== "0") return { headers, body: null };
  return { headers, body: messageOf(new Uint8Array(await response.arrayBuffer())) };
}

/** Returns the message of a whole reply. @throws if it has only trailers. */
function messageOf(reply: Uint8Array): Uint8Array {
  // The trailers' frame has the greatest bit of its first byte.
  if (reply[0] !== 0) throw new Error("the node's reply has no message");
  const bytes = new DataView(reply.buffer, reply.byteOffset).getUint32(1);
  return reply.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + bytes);
}

function refusalOf(headers: ReplyHeaders): RefusedCallError {
  const code = CODES[Number(headers["grpc-status"])] ?? "INTERNAL";
  return new RefusedCallError(decoded(String(headers["grpc-message"] ?? code)), code, headers);
}

/** Decodes the text of a status. A text that is not percent-encoded stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
