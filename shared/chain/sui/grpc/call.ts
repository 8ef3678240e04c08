import { FRAME_HEADER_BYTES, type GrpcFetch, type WholeReply } from "./bounded-fetch.ts";
import { decode, encode } from "./codec.ts";
import type { MessageName } from "./messages.ts";

/** The headers of a reply. */
export type ReplyHeaders = Pick<Headers, "get">;

/** A reply and its headers, of one call. */
export interface Reply<T> {
  readonly headers: Promise<ReplyHeaders>;
  readonly response: Promise<T>;
}

/** Ends a call early. */
export interface CallOptions {
  readonly abort?: AbortSignal;
}

/** The highest version of the protocol whose types the SDK's codec reads. A test compares it with the SDK's. */
const CLIENT_PROTOCOL_VERSION = "138";

/** A method of a service. Its messages are named after it. */
interface Method {
  readonly url: string;
  readonly name: string;
  readonly fetch: GrpcFetch;
}

/**
 * Calls a method of a node once, in the binary format of gRPC-web. Both promises reject if no reply comes, and if the
 * node refuses the call.
 */
export function call<T>({ url, name, fetch }: Method, request: object, { abort }: CallOptions = {}): Reply<T> {
  const asked = ask(url, encode(`${name}Request` as MessageName, request), fetch, abort);
  const headers = asked.then((reply) => reply.headers);
  const response = asked.then(({ message }) => decode(`${name}Response` as MessageName, message) as T);
  // A caller may leave one of both promises alone. Its rejection is no fault then.
  for (const promise of [headers, response]) promise.catch(() => {});
  return { headers, response };
}

function ask(url: string, message: Uint8Array, fetch: GrpcFetch, abort: AbortSignal | undefined): Promise<WholeReply> {
  const body = new Uint8Array(FRAME_HEADER_BYTES + message.length);
  new DataView(body.buffer).setUint32(1, message.length);
  body.set(message, FRAME_HEADER_BYTES);
  const headers = {
    "content-type": "application/grpc-web+proto",
    "x-grpc-web": "1",
    "x-sui-client-protocol-version": CLIENT_PROTOCOL_VERSION,
  };
  return fetch(url, { method: "POST", headers, body, signal: abort ?? null });
}
