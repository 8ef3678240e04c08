import type { MiddlewareHandler } from "hono";
import type { FlowsConfig } from "../config/workflows.ts";
import { type AppEnv, jsonError } from "../http/app.ts";

const PREFLIGHT_SECONDS = "600";

/** The workflows' paths. Pages call these and no others. */
export const WORKFLOWS_PATH = "/flows/";

/** Returns the headers that let a page read an answer. @param origin null if the caller is no page. */
export function originHeaders(origin: string | null, origins: readonly string[]): Record<string, string> {
  const vary = { vary: "Origin" };
  if (origin === null || !origins.includes(origin)) return vary;
  return {
    ...vary,
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after, x-request-id",
  };
}

function refuseOrigin(): Response {
  return jsonError(403, "origin_refused", "this origin is not one of FLOWS_ORIGINS: add it there", { vary: "Origin" });
}

/** Answers a browser's preflight, which comes before a page's call. It checks nothing but the origin. */
export function answerPreflight(origin: string, origins: readonly string[]): Response {
  if (!origins.includes(origin)) return refuseOrigin();
  const headers = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, content-type, idempotency-key",
    "access-control-max-age": PREFLIGHT_SECONDS,
    ...originHeaders(origin, origins),
  };
  return new Response(null, { status: 204, headers });
}

/**
 * Lets the app's own pages call the workflows, by exact origin. They send a token in a header, never cookies. A call
 * with another origin is refused before anything else is checked. A caller without an origin is no page.
 */
export function cors({ origins }: FlowsConfig): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const origin = c.req.header("origin") ?? null;
    if (origin !== null && !origins.includes(origin)) {
      c.res = refuseOrigin();
      return;
    }
    if (origin !== null && c.req.method === "OPTIONS") {
      c.res = answerPreflight(origin, origins);
      return;
    }
    await next();
    for (const [name, value] of Object.entries(originHeaders(origin, origins))) c.res.headers.set(name, value);
  };
}
