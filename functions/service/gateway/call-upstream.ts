import type { Context } from "hono";
import { admit, verifyKey } from "../../../shared/access/admission.ts";
import type { Deps } from "../../../shared/bindings/deps.ts";
import { ATTEMPT_TIMEOUTS, type UpstreamResponse } from "../../../shared/gateway/attempt.ts";
import { createEndpointHealth } from "../../../shared/gateway/endpoint-health.ts";
import { type GatewayDeps, handleGatewayRequest } from "../../../shared/gateway/handle.ts";
import type { Upstream } from "../../../shared/gateway/upstream.ts";
import type { AppEnv } from "../../../shared/http/app.ts";
import { countInto } from "../../../shared/observe/upstream-calls.ts";

/**
 * Builds the response. The runtime sends a stream's length only if it counts the bytes itself. It then breaks off a
 * stream that is shorter or longer.
 */
function responseOf({ status, headers, body, lengthBytes }: UpstreamResponse): Response {
  if (body === null || body instanceof Uint8Array) return new Response(body, { status, headers });
  const { readable, writable } =
    lengthBytes === null ? new IdentityTransformStream() : new FixedLengthStream(lengthBytes);
  void body.pipeTo(writable);
  return new Response(readable, { status, headers });
}

/** Passes requests on to a node's interface. The state of endpoints is kept for as long as the isolate lives. */
export function gatewayRoute(upstream: Upstream, deps: Deps): (c: Context<AppEnv>) => Promise<Response> {
  const { config, nodeFetch, clock } = deps;
  const memory = createEndpointHealth(clock.nowMs);
  const gateOf = ({ env, var: { requestId, upstream: tally } }: Context<AppEnv>): GatewayDeps => ({
    config,
    fetch: (input, init) => countInto(tally, () => nodeFetch(input, init)),
    health: memory,
    timeouts: ATTEMPT_TIMEOUTS,
    verifyKey: (keys) => verifyKey(deps, keys),
    admit: (keys, calls, computeUnits) =>
      admit(env, deps, { keys, chain: upstream.chain, calls, ...(computeUnits !== undefined && { computeUnits }) }),
    logFault: (error) => deps.log("fault", { requestId, method: upstream.path, error: String(error) }),
  });
  return async (c) => {
    const result = await handleGatewayRequest(upstream, c.req.raw, gateOf(c));
    const { answer, logName, ...logged } = result;
    c.set("rpc", { methods: logName === null ? [] : [logName], ...logged });
    return answer.kind === "refused" ? answer.response : responseOf(answer.passing);
  };
}
