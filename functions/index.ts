import { Hono } from "hono";
import { createDeps, type Deps } from "../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../shared/bindings/directory.ts";
import type { Env } from "../shared/bindings/env.ts";
import { ConfigError } from "../shared/config/error.ts";
import { checkedSecrets, undecidedSecretsText, wrongSecretsText } from "../shared/crypto/key-check.ts";
import { isNewerState, type NewerSchema, newerBuildText } from "../shared/directory/newer-state.ts";
import { secretsVerdict } from "../shared/directory/right-secrets.ts";
import { type AppEnv, jsonError, requestLog } from "../shared/http/app.ts";
import { LIVE_PATH } from "../shared/http/overload.ts";
import { WorkflowKeys } from "../shared/workflow/keys.ts";
import { checkFundBalances } from "./check-fund-balances.ts";
import { createExampleApp, withExampleIssuer } from "./example/app.ts";
import { policy } from "./policy.ts";
import { createServiceApp } from "./service/app.ts";
import { createWorkflowsApp } from "./workflows.ts";

export { AccessKey } from "../shared/access/object.ts";
export { Directory } from "../shared/directory/object.ts";
export { Fund } from "../shared/fund/object.ts";
export { Project } from "../shared/project/object.ts";
export { Wallet } from "../shared/wallet/object.ts";
export { Session } from "../shared/wallet/session/object.ts";
export { WebhookInbox } from "../shared/webhooks/inbox/object.ts";
export { WorkflowUser } from "../shared/workflow/user/object.ts";

/** What is configured is mounted: the service where it has its secrets, the workflows where they have theirs. */
function createApp(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get(LIVE_PATH, (c) => c.body(null, 204));
  const keys = new WorkflowKeys(deps, policy);
  app.use(requestLog(deps));
  app.get("/health", async (c) => {
    const storage = await storageVerdict(c.env, deps);
    if (storage === "failed") return c.json({ status: "storage_failed", detail: STORAGE_DETAIL }, 503);
    if (storage !== "ok") return c.json({ status: "newer_state", detail: newerBuildText(storage.newer) }, 503);
    const { wrong, undecided } = await secretsVerdict(c.env, deps, checkedSecrets);
    if (wrong.length > 0) return c.json({ status: "wrong_secrets", detail: wrongSecretsText(wrong) }, 503);
    const unproved = undecided.filter(({ secret }) => secret === "MASTER_KEYS");
    const keysDiffer = await keys.verdict(c.env);
    // What opens is still served.
    return c.json({
      status: "ok",
      ...(unproved.length > 0 && { undecided: undecidedSecretsText(unproved) }),
      ...(keysDiffer !== null && { policy: keysDiffer }),
    });
  });
  const { service, flows, example } = deps.config;
  if (service !== null) app.route("/", createServiceApp(deps));
  const page = example === null ? null : createExampleApp(deps, example);
  if (page !== null) app.route("/", page);
  if (flows !== null)
    app.route("/", createWorkflowsApp(page === null ? deps : withExampleIssuer(deps, page), flows, app));
  app.notFound(() => jsonError(404, "not_found", "no such path"));
  app.onError((error, c) => {
    deps.log("fault", { requestId: c.var.requestId, error: String(error), stack: error.stack });
    return jsonError(
      500,
      "internal",
      "the service failed; its log has the fault under the x-request-id of this answer",
    );
  });
  return app;
}

const STORAGE_DETAIL =
  "the disk of the objects is full, read-only or broken: nothing can be stored. The log has the error as storage.failed";

/** Asked of the one object that there always is. No object at all means that nothing can be stored. */
async function storageVerdict(
  env: Env,
  { config, log }: Deps,
): Promise<"ok" | "failed" | { readonly newer: readonly NewerSchema[] }> {
  if (config.service === null) return "ok";
  try {
    const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
    if (!(await directory.canStore())) return "failed";
    const newer = await directory.newerSchemas();
    return newer.length === 0 ? "ok" : { newer };
  } catch (error) {
    log(isNewerState(error) ? "storage.newer" : "storage.failed", { object: DIRECTORY_NAME, error: String(error) });
    return isNewerState(error) ? { newer: [] } : "failed";
  }
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
  const started = { deps, app: createApp(deps) };
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
