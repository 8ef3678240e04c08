import type { IncomingMessage } from "node:http";
import { WORKFLOWS_PATH } from "../../workflow/cors.ts";
import { LOOPBACK } from "../ports.ts";

/** Headers that belong to one connection, not to the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The methods that a `Request` takes and an interface reads. */
const PLAIN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The headers of an HTTP message, by lower-case name. */
export type MessageHeaders = Record<string, string | string[]>;

/** Returns the headers of a message without those of its connection. */
export function endToEnd(headers: IncomingMessage["headers"]): MessageHeaders {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) || named.includes(name) ? [] : [[name, value]],
    ),
  );
}

/** Returns a URL for any request target. A target that is no path gives the root. */
export function urlOf({ url = "" }: IncomingMessage): string {
  const origin = `http://${LOOPBACK}`;
  const target = `${origin}${url}`;
  return URL.canParse(target) ? target : origin;
}

/** Returns true for a path of the workflows. */
export function isWorkflow({ url = "" }: Pick<IncomingMessage, "url">): boolean {
  return url.startsWith(WORKFLOWS_PATH);
}

/** Returns the length of a body in bytes. */
export function bytesOf(body: readonly Buffer[]): number {
  return body.reduce((sum, { length }) => sum + length, 0);
}

/** Makes the `Request` that a refusal's text depends on. Never throws, for any target and method. */
export function asRequest(incoming: IncomingMessage, body: readonly Buffer[]): Request {
  const url = urlOf(incoming);
  const headers = new Headers();
  for (const [name, value] of Object.entries(endToEnd(incoming.headers)))
    for (const one of [value].flat()) headers.append(name, one);
  const { method = "GET" } = incoming;
  if (!PLAIN_METHODS.has(method)) return new Request(url, { method: "GET", headers });
  const bare = method === "GET" || method === "HEAD" || body.length === 0;
  return new Request(url, { method, headers, ...(!bare && { body: Buffer.concat(body) }) });
}
