import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { countInto, type UpstreamTally } from "../observe/upstream-calls.ts";
import type { AnsweredCalls } from "../rpc/answer-calls.ts";
import { newRequestId } from "./request-id.ts";

/** The bindings and variables of a request in Hono. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** The arrival of a request at the service, Unix milliseconds. */
    arrivedAtMs: number;
    /** The calls to nodes and indexers until now. */
    upstream: UpstreamTally;
    /** The service's interfaces set it for the log. */
    rpc?: Pick<AnsweredCalls, "methods" | "keyId" | "reason" | "digest">;
    /** The fund of the call's key, for the log. */
    fundId?: string;
  };
}

/** Builds an error of the routes without JSON-RPC and without the operator's problem documents. */
export function jsonError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  retryable = false,
): Response {
  return Response.json({ error: { code, message, retryable } }, { status, headers });
}

/**
 * Logs one line per request. It holds only the route's pattern, because an access key may be part of the path itself.
 *
 * @param countsItself returns true for a path whose routes add all calls to nodes to `upstream`. For others, each call
 * that they begin is counted.
 */
export function requestLog(
  { clock, log }: Deps,
  countsItself: (path: string) => boolean = () => false,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAtMs = clock.nowMs();
    const requestId = newRequestId(startedAtMs);
    const upstream: UpstreamTally = { calls: 0 };
    c.set("requestId", requestId);
    c.set("upstream", upstream);
    await (countsItself(c.req.path) ? next() : countInto(upstream, next));
    c.res.headers.set("x-request-id", requestId);
    const rpc = c.get("rpc");
    log("request", {
      requestId,
      method: c.req.method,
      path: routePath(c),
      rpc: rpc?.methods.join(",") || undefined,
      keyId: rpc?.keyId,
      fundId: c.get("fundId"),
      digest: rpc?.digest,
      reason: rpc?.reason,
      status: c.res.status,
      durationMs: clock.nowMs() - startedAtMs,
      upstreamCalls: upstream.calls,
    });
  };
}
