import type { Context } from "hono";
import { admit, keysOfRequest } from "../../../shared/access/admission.ts";
import type { Deps } from "../../../shared/bindings/deps.ts";
import type { Upstream } from "../../../shared/gateway/upstream.ts";
import type { AppEnv } from "../../../shared/http/app.ts";

/** Stands in for the service's gateways in a bench: the same admission call, and the node's answer as it is. */
export function gatewayRoute(upstream: Upstream, deps: Deps): (c: Context<AppEnv>) => Promise<Response> {
  const { chain, path } = upstream;
  return async (c) => {
    const { raw } = c.req;
    const admitted = await admit(c.env, deps, { keys: keysOfRequest(raw, null), chain, calls: [["node"]] });
    if (!admitted.ok || admitted.value.calls[0]?.ok !== true) return new Response(null, { status: 401 });
    const { urls } = upstream.urlsOf(deps.config, admitted.value.caller.network);
    const answer = await fetch(`${urls[0]}${raw.url.slice(raw.url.indexOf(path) + path.length)}`);
    // With headers that the request's log can add its own to.
    return new Response(answer.body, answer);
  };
}
