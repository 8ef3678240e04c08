import {
  type Checked,
  type GatewayRefusal,
  grpcCodeOf,
  httpStatusOf,
  passed,
  refusalHeaders,
  refused,
} from "./errors.ts";
import { grpcWebFormat, readWhole, statusResponse } from "./grpc-web.ts";
import { isRejectedUnprocessed } from "./http-status.ts";
import type { RequestTarget } from "./request-target.ts";
import { SUI_EXECUTE, SUI_STREAM_METHODS, SUI_UNARY_METHODS } from "./sui-methods.ts";
import type { HeadVerdict, ResponseHead, Upstream, UpstreamRequest, WholeResponse } from "./upstream.ts";

/** Rules of gRPC-web to Sui full nodes. Answers are HTTP 200, and their trailers hold the result's status. */

const METHOD_SEGMENTS = 2;

/** Finds service and method in the path. The access key may precede them, for clients that cannot send a header. */
export function classifySui({ segments }: RequestTarget, { headers }: Request): Checked<UpstreamRequest> {
  const [pathKey = null, ...rest] = segments.length > METHOD_SEGMENTS ? segments : [null, ...segments];
  const [service = "", method = ""] = rest;
  if (rest.length !== METHOD_SEGMENTS || service === "" || method === "")
    return refused("bad_path", "the path must end with a service and a method");
  const name = `${service}/${method}`;
  const streams = SUI_STREAM_METHODS.has(name);
  if (!streams && !SUI_UNARY_METHODS.has(name)) return refused("unknown_path", "no such method: check its name");
  if (grpcWebFormat(headers) === null)
    return refused("bad_content_type", "only gRPC-web is answered: send application/grpc-web+proto");
  return passed({ logName: name, target: `/${name}`, kind: name === SUI_EXECUTE ? "write" : "read", streams, pathKey });
}

/** Codes of `google.rpc.Code` with which an endpoint cannot answer now, while another one may. */
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;

function isEndpointFailure(code: number | null): boolean {
  return code === RESOURCE_EXHAUSTED || code === UNAVAILABLE;
}

/** Judges a node's answer by its status and headers. */
export function checkSuiHead({ status, headers }: ResponseHead, { kind }: UpstreamRequest): HeadVerdict {
  if (status !== 200) {
    const fault = `HTTP ${status}`;
    return isRejectedUnprocessed(status) ? { kind: "failed", fault, nothingDone: true } : { kind: "failed", fault };
  }
  if (grpcWebFormat(headers) === null) return { kind: "failed", fault: "an answer that is no gRPC-web" };
  const code = headers.get("grpc-status");
  if (kind === "read" && code !== null && isEndpointFailure(Number(code)))
    return { kind: "failed", fault: `gRPC status ${code}` };
  return { kind: "pass", ofNetwork: false };
}

/**
 * Judges a whole answer. An answer about a transaction passes with any status, because the caller knows the
 * transaction's digest.
 */
export function checkSuiBody(
  { headers, body }: WholeResponse,
  { kind }: UpstreamRequest,
): ReturnType<NonNullable<Upstream["transformBody"]>> {
  const format = grpcWebFormat(headers);
  const statusInHead = body.length === 0 && headers.has("grpc-status");
  if (format === null || statusInHead) return { kind: "pass", body };
  const whole = readWhole(format, body);
  if (whole === null) return { kind: "failed", fault: "an answer that is cut off" };
  if (kind === "read" && !whole.hasMessage && isEndpointFailure(whole.status))
    return { kind: "failed", fault: `gRPC status ${whole.status}` };
  return { kind: "pass", body };
}

/**
 * Answers a refusal as gRPC-web. Its HTTP status is 200 for callers of gRPC-web. Other callers read the HTTP status.
 */
export function suiError(refusal: GatewayRefusal, { method, headers }: Request): Response {
  const format = grpcWebFormat(headers);
  const { details, reference, retryAfterMs } = refusal;
  const speaks = method === "POST" && format !== null;
  return statusResponse(format ?? "binary", {
    code: grpcCodeOf(refusal),
    message: reference === undefined ? details : `${details} [${reference}]`,
    // gRFC A6: the time until the next try.
    trailers: retryAfterMs === undefined ? {} : { "grpc-retry-pushback-ms": String(retryAfterMs) },
    status: speaks ? 200 : httpStatusOf(refusal),
    headers: { ...refusalHeaders(refusal), ...(refusal.reason === "bad_method" && { allow: "POST" }) },
  });
}
