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
    /** The calls to nodes and indexers until now. Each route adds its own. */
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
 * Counts each call to a node or an indexer that a route begins. Every promise of the request then carries the tally. The
 * service's interfaces do without, and add their calls to `upstream` where they make them.
 */
export const countUpstreamCalls: MiddlewareHandler<AppEnv> = (c, next) => countInto(c.get("upstream"), next);

/** Logs one line per request. It holds only the route's pattern, because an access key may be part of the path itself. */
export function requestLog({ clock, log }: Pick<Deps, "clock" | "log">): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAtMs = clock.nowMs();
    const requestId = newRequestId(startedAtMs);
    const upstream: UpstreamTally = { calls: 0 };
    c.set("requestId", requestId);
    c.set("upstream", upstream);
    await next();
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
