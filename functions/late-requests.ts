import type { Context, MiddlewareHandler } from "hono";
import type { Deps } from "../shared/bindings/deps.ts";
import type { AppEnv } from "../shared/http/app.ts";
import { ARRIVAL_HEADER, arrivalOf, refuseLate } from "../shared/http/overload.ts";
import { answerOverloaded } from "../shared/http/turned-away.ts";
import { cors, WORKFLOWS_PATH } from "../shared/workflow/cors.ts";

/**
 * Refuses a late request. The refusal carries the CORS headers, because pages call the workflows and must be able to
 * read it.
 */
function refuseOverloaded(c: Context<AppEnv>, { config }: Pick<Deps, "config">) {
  const refuse = async () => {
    c.res = await answerOverloaded(c.req.raw);
  };
  const { flows } = config;
  return flows !== null && c.req.path.startsWith(WORKFLOWS_PATH) ? cors(flows)(c, refuse) : refuse();
}

/** Notes the arrival of each request, and refuses those that could not begin in time, before anything is done. */
export function refuseLateRequests(deps: Pick<Deps, "clock" | "config">): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const nowMs = deps.clock.nowMs();
    const arrivedAtMs = arrivalOf(c.req.raw.headers.get(ARRIVAL_HEADER), nowMs);
    if (refuseLate(arrivedAtMs, nowMs) !== null) return refuseOverloaded(c, deps);
    c.set("arrivedAtMs", arrivedAtMs);
    return next();
  };
}
