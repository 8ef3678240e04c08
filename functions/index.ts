import { createDeps, type Deps } from "../shared/bindings/deps.ts";
import type { Env } from "../shared/bindings/env.ts";
import { ConfigError } from "../shared/config/error.ts";
import { keyServiceRefusal } from "../shared/crypto/key-service.ts";
import { type AppEnv, countUpstreamCalls, jsonError, requestLog } from "../shared/http/app.ts";
import { Hono } from "../shared/http/hono.ts";
import { LIVE_PATH } from "../shared/http/overload.ts";
import { WorkflowKeys } from "../shared/workflow/keys.ts";
import { checkFundBalances } from "./check-fund-balances.ts";
import { createExampleApp, withExampleIssuer } from "./example/app.ts";
import { refuseLateRequests } from "./late-requests.ts";
import { policy } from "./policy.ts";
import { createServiceApp } from "./service/app.ts";
import { health } from "./service/health.ts";
import { ready } from "./service/ready.ts";
import { createWorkflowsApp } from "./workflows.ts";

export { AccessKey } from "../shared/access/object.ts";
export { Directory } from "../shared/directory/object.ts";
export { FundArchive } from "../shared/fund/archive/object.ts";
export { Fund } from "../shared/fund/object.ts";
export { Project } from "../shared/project/object.ts";
export { Wallet } from "../shared/wallet/object.ts";
export { Session } from "../shared/wallet/session/object.ts";
export { WebhookInbox } from "../shared/webhooks/inbox/object.ts";
export { WorkflowUser } from "../shared/workflow/user/object.ts";

/** Mounts the service if its secrets are set, and the workflows if theirs are. */
function createApp(deps: Deps, { EXAMPLE_PAGE }: Env): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get(LIVE_PATH, (c) => c.body(null, 204));
  app.use(requestLog(deps));
  app.get("/health", health(deps, new WorkflowKeys(deps, policy)));
  app.get("/ready", ready(deps));
  const { service, flows, example } = deps.config;
  if (service !== null) app.route("/", createServiceApp(deps));
  else app.use(refuseLateRequests(deps));
  // The service's routes come before this and pass it by.
  app.use(countUpstreamCalls);
  const page = example === null ? null : createExampleApp(deps, example, EXAMPLE_PAGE);
  if (page !== null) app.route("/", page);
  if (flows !== null)
    app.route("/", createWorkflowsApp(page === null ? deps : withExampleIssuer(deps, page), flows, app));
  app.notFound(() => jsonError(404, "not_found", "no such path: check the URL"));
  app.onError((error, c) => {
    deps.log("fault", { requestId: c.get("requestId"), error: String(error), stack: error.stack });
    const refusal = keyServiceRefusal(error);
    if (refusal !== null) return jsonError(503, refusal.reason, refusal.details, {}, true);
    return jsonError(500, "internal", "internal error: search the log for the x-request-id of this response");
  });
  return app;
}

interface Running {
  readonly deps: Deps;
  readonly app: Hono<AppEnv>;
}

/** Configuration is read once for each set of bindings, not once for each request. */
const runningByEnv = new WeakMap<Env, Running>();

function running(env: Env): Running {
  const known = runningByEnv.get(env);
  if (known !== undefined) return known;
  const deps = createDeps(env);
  const started = { deps, app: createApp(deps, env) };
  runningByEnv.set(env, started);
  return started;
}

export default {
  async fetch(request, env, ctx) {
    try {
      return await running(env).app.fetch(request, env, ctx);
    } catch (error) {
      if (error instanceof ConfigError) return jsonError(503, "not_configured", error.message);
      throw error;
    }
  },

  async scheduled(_controller, env) {
    const { deps } = running(env);
    if (deps.config.service !== null) await checkFundBalances(env, deps);
  },
} satisfies ExportedHandler<Env>;
