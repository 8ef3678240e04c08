import type { MiddlewareHandler } from "hono";
import type { FlowsConfig } from "../config/workflows.ts";
import { type AppEnv, jsonError } from "../http/app.ts";

const PREFLIGHT_SECONDS = "600";

/**
 * Lets the app's own pages call the workflows, by exact origin, with a token in a header and never with cookies.
 * Whoever names another origin is refused before anything else is looked at; whoever names none is no page.
 */
export function cors({ origins }: FlowsConfig): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const origin = c.req.header("origin");
    if (origin !== undefined && !origins.includes(origin)) {
      c.res = jsonError(403, "origin_refused", "this origin is not one of FLOWS_ORIGINS", { vary: "Origin" });
      return;
    }
    if (origin !== undefined && c.req.method === "OPTIONS")
      c.res = new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "GET, POST",
          "access-control-allow-headers": "authorization, content-type, idempotency-key",
          "access-control-max-age": PREFLIGHT_SECONDS,
        },
      });
    else await next();
    c.res.headers.set("vary", "Origin");
    if (origin === undefined) return;
    c.res.headers.set("access-control-allow-origin", origin);
    c.res.headers.set("access-control-expose-headers", "retry-after, x-request-id");
  };
}
