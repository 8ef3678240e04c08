import type { Fetch } from "../../../bindings/ports.ts";
import { oversized, readReply } from "../../bounded-reply.ts";
import { httpFault } from "../../failover.ts";

const KIB = 1_024;
/** One byte of flags, and four of the length (grpc/grpc, `doc/PROTOCOL-WEB.md`). */
export const FRAME_HEADER_BYTES = 5;
const MESSAGE_FRAME = 0x00;
const TRAILER_FRAME = 0x80;
const MAX_TRAILER_BYTES = 64 * KIB;
const OK_STATUS = "0";
/** `google.rpc.Code` from 1 to 16: every code but OK. */
const ERROR_STATUS = /^([1-9]|1[0-6])$/;
const MEDIA_TYPES = new Set(["application/grpc-web", "application/grpc-web+proto"]);

/** The bound of every method that the table below omits: facts of the chain, one balance, 50 coins. */
const MAX_MESSAGE_BYTES = 256 * KIB;
/**
 * A page of a thousand coins has about 300 KiB. A sender can make the changes and events of a transaction large. A
 * reply over the bound proves nothing. The charge of such a transaction can still be read by itself.
 */
const MAX_MESSAGE_BYTES_OF: Readonly<Record<string, number>> = {
  "MovePackageService/GetFunction": 64 * KIB,
  // Each balance change names its coin's type, which takes up to 80 KiB.
  "TransactionExecutionService/SimulateTransaction": 2 * 1_024 * KIB,
  "StateService/ListOwnedObjects": 1_024 * KIB,
  "StateService/ListBalances": 2 * 1_024 * KIB,
  "LedgerService/BatchGetTransactions": 8 * 1_024 * KIB,
  "TransactionExecutionService/ExecuteTransaction": 8 * 1_024 * KIB,
};

/** The names of `google.rpc.Code`, by number. */
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
] as const;

/** A status other than OK that a node gave, with its message. */
class GivenStatus extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request in the binary format of gRPC-web. */
export type GrpcRequest = Pick<RequestInit, "method" | "headers" | "body" | "signal">;

/** A reply with the status OK. */
export interface WholeReply {
  readonly headers: Headers;
  /** The message of the reply, in protobuf. */
  readonly message: Uint8Array;
}

/** Sends one request of gRPC-web, and returns the whole reply. */
export type GrpcFetch = (url: string, request: GrpcRequest) => Promise<WholeReply>;

/**
 * Makes a fetch for binary gRPC-web that returns whole replies only. If a reply announces or brings more bytes than its
 * method allows, drops it before it fills the memory. The fetch throws unless the reply is gRPC-web, and for a status
 * of the node other than OK.
 */
export function boundedFetch(fetch: Fetch): GrpcFetch {
  return async (url, request) => {
    // Redirects are not followed, so that only this endpoint gets the request.
    const response = await fetch(url, { ...request, redirect: "manual" });
    try {
      return await wholeReply(response, MAX_MESSAGE_BYTES_OF[methodOf(url)] ?? MAX_MESSAGE_BYTES);
    } catch (error) {
      await response.body?.cancel().catch(() => {});
      throw error;
    }
  };
}

/** Returns the name of the status that a node gave. Null if the error has no status of a node. */
export function givenStatus(error: unknown): string | null {
  return error instanceof GivenStatus ? error.code : null;
}

/** Returns `Service/Method` of a call's URL. */
function methodOf(url: string): string {
  return url.slice(url.lastIndexOf(".") + 1);
}

async function wholeReply(response: Response, maxMessageBytes: number): Promise<WholeReply> {
  // A gRPC answer is always HTTP 200. Any other status comes from a proxy before the node.
  if (response.status !== 200) throw new Error(httpFault(response.status));
  const { headers } = response;
  const early = headers.get("grpc-status");
  if (early !== null && early !== OK_STATUS) throw refusal(early, headers.get("grpc-message"));
  const mediaType = headers.get("content-type") ?? "";
  if (!MEDIA_TYPES.has(mediaType)) throw new Error(`the endpoint answered ${mediaType || "without a media type"}`);
  const { message, trailers } = framesOf(await boundedBody(response, maxMessageBytes));
  const status = trailers.get("grpc-status") ?? "";
  if (status !== OK_STATUS) throw refusal(status, trailers.get("grpc-message"));
  if (message === null) throw new Error("the node's reply has no message");
  return { headers, message };
}

function refusal(status: string, message: string | null | undefined): Error {
  const code = ERROR_STATUS.test(status) ? CODES[Number(status)] : undefined;
  if (code === undefined) return new Error("the node's reply has no gRPC status");
  // A node escapes all characters except printable ASCII. A message with others is dropped.
  return new GivenStatus(code, message != null && /^[\x20-\x7e]*$/.test(message) ? unescaped(message) : code);
}

/** Decodes a message of a node. A malformed one stays as it is. */
function unescaped(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** Reads a reply while its first frame and its whole length stay within the bound. */
function boundedBody(response: Response, maxMessageBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const head: number[] = [];
  return readReply(response, maxMessageBytes + MAX_TRAILER_BYTES + 2 * FRAME_HEADER_BYTES, (piece) => {
    if (head.length === FRAME_HEADER_BYTES) return;
    head.push(...piece.subarray(0, FRAME_HEADER_BYTES - head.length));
    if (head.length === FRAME_HEADER_BYTES && frameAt(Uint8Array.from(head), 0).length > maxMessageBytes)
      throw new Error(oversized(maxMessageBytes));
  });
}

interface Frame {
  readonly flag: number | undefined;
  readonly length: number;
}

function frameAt(body: Uint8Array, offset: number): Frame {
  if (body.length < offset + FRAME_HEADER_BYTES) throw new Error("the node's reply is cut short");
  return { flag: body[offset], length: new DataView(body.buffer, body.byteOffset).getUint32(offset + 1) };
}

/** A reply has at most one message, followed by the trailers. */
function framesOf(body: Uint8Array) {
  const first = frameAt(body, 0);
  const start = first.flag === MESSAGE_FRAME ? FRAME_HEADER_BYTES + first.length : 0;
  const { flag, length } = frameAt(body, start);
  const end = start + FRAME_HEADER_BYTES + length;
  if (flag !== TRAILER_FRAME || length > MAX_TRAILER_BYTES || end !== body.length)
    throw new Error("the node's reply is not one message and its trailers");
  const trailers = trailersOf(new TextDecoder().decode(body.subarray(end - length)));
  return { message: start === 0 ? null : body.subarray(FRAME_HEADER_BYTES, start), trailers };
}

function trailersOf(text: string): ReadonlyMap<string, string> {
  return new Map(text.split("\r\n").map((line) => [keyOf(line), line.slice(line.indexOf(":") + 1).trim()]));
}

function keyOf(line: string): string {
  return line
    .slice(0, Math.max(0, line.indexOf(":")))
    .trim()
    .toLowerCase();
}
