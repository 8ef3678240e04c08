import type { Refusal } from "../errors.ts";
import { retryAfterHeader } from "../http/retry-after.ts";
import type { Failure, Result, Success } from "../result.ts";

/**
 * Every reason for which a gateway itself refuses, with its status in HTTP and in gRPC (google.rpc.Code). Each
 * interface adds its own body: stock clients of a node read the node's own errors.
 */
const STATUS_CODES = {
  browser_origin: { http: 403, grpc: 7 },
  unknown_path: { http: 404, grpc: 12 },
  bad_path: { http: 400, grpc: 3 },
  bad_method: { http: 405, grpc: 3 },
  bad_content_type: { http: 415, grpc: 3 },
  body_too_long: { http: 413, grpc: 3 },
  bad_body: { http: 400, grpc: 3 },
  bad_query: { http: 400, grpc: 3 },
  query_not_allowed: { http: 400, grpc: 3 },
  query_too_complex: { http: 400, grpc: 3 },

  bad_key: { http: 401, grpc: 16 },
  wrong_region: { http: 401, grpc: 16 },
  wrong_network: { http: 401, grpc: 16 },
  missing_right: { http: 401, grpc: 7 },
  rate_limited: { http: 429, grpc: 8 },

  node_unavailable: { http: 503, grpc: 14 },
  overloaded: { http: 503, grpc: 14 },
  storage: { http: 503, grpc: 14 },
  project_moved: { http: 503, grpc: 14 },
  key_service: { http: 503, grpc: 14 },
  internal: { http: 500, grpc: 13 },
  outcome_unknown: { http: 504, grpc: 4 },
} as const satisfies Record<string, { http: number; grpc: number }>;

/** The reason of a refusal by a node interface. */
export type GatewayReason = keyof typeof STATUS_CODES;

/** A refusal by a node interface. */
export interface GatewayRefusal {
  readonly reason: GatewayReason;
  readonly details: string;
  /** The wait after which the same request would not be refused for this reason. */
  readonly retryAfterMs?: number;
  /** The hash or digest of a transaction whose outcome is unknown, for a look-up. */
  readonly reference?: string;
}

/** The result of a check of a request or a reply: its value, or the refusal. */
export type Checked<T> = Result<T, GatewayRefusal>;

/** Returns a check that passed. */
export function passed<T>(value: T): Success<T> {
  return { ok: true, value };
}

/** Returns a check that refused. */
export function refused(
  reason: GatewayReason,
  details: string,
  more: Pick<GatewayRefusal, "retryAfterMs" | "reference"> = {},
): Failure<GatewayRefusal> {
  return { ok: false, error: { reason, details, ...more } };
}

/** Translates a refusal by admission, or a fault before it. No other reason reaches a gateway. */
export function refusalOf({ reason, details, data }: Refusal): GatewayRefusal {
  const wait = data?.retryAfterMs;
  switch (reason) {
    case "bad_key":
    case "wrong_region":
    case "wrong_network":
    case "missing_right":
    case "overloaded":
    case "storage":
    case "project_moved":
    case "key_service":
      return { reason, details };
    case "rate_limited":
      return typeof wait === "number" ? { reason, details, retryAfterMs: wait } : { reason, details };
    default:
      return { reason: "internal", details };
  }
}

/** Returns the HTTP status of a refusal. */
export function httpStatusOf({ reason }: GatewayRefusal): number {
  return STATUS_CODES[reason].http;
}

/** Returns the gRPC code of a refusal. */
export function grpcCodeOf({ reason }: GatewayRefusal): number {
  return STATUS_CODES[reason].grpc;
}

/** Returns the headers that every refusal carries, with any body. */
export function refusalHeaders({ retryAfterMs }: GatewayRefusal): Record<string, string> {
  return { "cache-control": "no-store", ...retryAfterHeader(retryAfterMs) };
}
