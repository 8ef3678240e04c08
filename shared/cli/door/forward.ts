import { type Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { CALLER_ADDRESS_HEADER } from "../../http/caller-address.ts";
import { ARRIVAL_HEADER } from "../../http/overload.ts";
import { LOOPBACK } from "../ports.ts";
import { bytesOf, endToEnd, type MessageHeaders } from "./message.ts";

/** A request at the door: the message, its response, and the received part of its body. */
export interface DoorRequest {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: readonly Buffer[];
}

/** The runtime behind the door. */
export interface Upstream {
  readonly port: number;
  readonly agent: Agent;
}

/**
 * Passes a request on to the runtime, and its answer back.
 *
 * @param arrivedAtMs time of arrival by `performance.now()`.
 * @param unreachable called if the runtime took no connection, so that nothing was sent.
 * @throws Error for a request that Node does not send.
 */
export function forward(
  { incoming, response, body }: DoorRequest,
  arrivedAtMs: number,
  { port, agent }: Upstream,
  unreachable: () => void,
): void {
  const isWhole = incoming.readableEnded;
  const { [CALLER_ADDRESS_HEADER]: _, ...named } = endToEnd(incoming.headers);
  const headers = framed(named, isWhole ? body : null);
  const sent = request({
    host: LOOPBACK,
    port,
    // A body that is passed on as it comes occupies its connection.
    agent: isWhole ? agent : false,
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, ...addressOf(incoming), [ARRIVAL_HEADER]: stampOf(arrivedAtMs) },
  });
  sent.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
    // A stream may send nothing for minutes after its head.
    response.flushHeaders();
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  sent.on("error", (error) => {
    // Only the caller knows whether it may repeat the request after any other error, as without a door.
    if ("code" in error && error.code === "ECONNREFUSED") unreachable();
    else response.destroy();
  });
  response.on("close", () => sent.destroy());
  for (const chunk of body) sent.write(chunk);
  if (isWhole) sent.end();
  else incoming.pipe(sent);
}

/**
 * Frames a body for the runtime (RFC 9112, 6.3), for any headers of the caller. The runtime would read a body that Node
 * sends without a frame as the next request of the connection.
 *
 * @param body null if it passes unchanged.
 */
function framed({ "content-length": _, ...headers }: MessageHeaders, body: readonly Buffer[] | null): MessageHeaders {
  if (body === null) return { ...headers, "transfer-encoding": "chunked" };
  return body.length === 0 ? headers : { ...headers, "content-length": String(bytesOf(body)) };
}

/** The connection proves the address. A caller could write any into a header. */
function addressOf({ socket: { remoteAddress } }: IncomingMessage): MessageHeaders {
  return remoteAddress === undefined ? {} : { [CALLER_ADDRESS_HEADER]: remoteAddress };
}

/** Stamps by the runtime's clock, less the time since the arrival. A change of the clock in between has no effect. */
function stampOf(arrivedAtMs: number): string {
  return String(Date.now() - Math.round(performance.now() - arrivedAtMs));
}
