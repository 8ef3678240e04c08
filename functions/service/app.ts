import { type Context, Hono } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { Deadline } from "../../shared/deadline.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { ARRIVAL_HEADER, arrivalOf, refuseLate } from "../../shared/http/overload.ts";
import { ADMIN_PATH } from "../../shared/http/problem.ts";
import { answerOverloaded } from "../../shared/http/turned-away.ts";
import { answerUnknownPath, type CallAtFund, dispatch } from "../../shared/rpc/dispatch.ts";
import { anyPrefix, methodTable } from "../../shared/rpc/handler.ts";
import { discoverHandler } from "../../shared/rpc/openrpc.ts";
import { cors, WORKFLOWS_PATH } from "../../shared/workflow/cors.ts";
import { createAdminApp, createMetricsApp } from "./admin/app.ts";
import { OperatorAdmission } from "./admin/operators/admission.ts";
import { authenticate } from "./admin/operators/authenticate.ts";
import { RequestAdmission } from "./admission.ts";
import { aptosGasApi } from "./aptos-gas/index.ts";
import { aptosKeyApi } from "./aptos-key/index.ts";
import { aptosWalletApi } from "./aptos-wallet/index.ts";
import { createDashboardApp, DASHBOARD_PATH } from "./dashboard.ts";
import { gatewayRoute } from "./gateway/call-upstream.ts";
import { upstreams } from "./gateway/upstreams.ts";
import type { JsonRpcApi } from "./json-rpc-api.ts";
import { suiGasApi } from "./sui-gas/index.ts";
import { suiWalletApis } from "./sui-wallet/index.ts";
import { WalletRefusals } from "./wallet-refusals.ts";

const METRICS_PATH = "/metrics";

const apis: readonly JsonRpcApi[] = [suiGasApi, ...suiWalletApis, aptosKeyApi, aptosWalletApi, aptosGasApi];

interface RouteParts {
  readonly deps: Deps;
  readonly admission: RequestAdmission;
  readonly refusals: WalletRefusals;
}

function rpcRoute({ deps, admission, refusals }: RouteParts, api: JsonRpcApi, path: string) {
  const { contract, handlers } = api;
  const table = methodTable([...handlers, discoverHandler(contract)]);
  const methods = contract.acceptsAnyPrefix ? anyPrefix(table) : table;
  const tableAtFund = methodTable(api.atFund ?? []);
  // A fund keeps the refusals of its calls itself.
  const isGas = api === suiGasApi || api === aptosGasApi;
  return async (c: Context<AppEnv>): Promise<Response> => {
    const { env } = c;
    const { arrivedAtMs, requestId } = c.var;
    const answered = await dispatch(c.req.raw, {
      handlers: methods,
      admit: (calls, derivations, fundMayAdmit) =>
        admission.atKey(c, { chain: contract.chain, calls, derivations, ...(fundMayAdmit && { fundMayAdmit }) }),
      atFund: {
        has: (method) => tableAtFund.has(method),
        begin: (method) => {
          const handler = tableAtFund.get(method);
          const wanted = { chain: contract.chain, calls: [handler?.contract.rights ?? []] };
          const caller = handler === undefined ? null : admission.atFund(c, wanted);
          if (handler === undefined || caller === null) return null;
          const answer: CallAtFund["answer"] = (params, claimFor) =>
            handler.answer(params, (decoded) => {
              const idempotency = claimFor(decoded);
              return { caller, idempotency, env, deps, arrivedAtMs, requestId, deadline: new Deadline() };
            });
          return { keyId: caller.keyId, answer, verdict: () => caller.verdict() };
        },
      },
      context: (caller, idempotency) => ({
        caller,
        idempotency,
        env,
        deps,
        arrivedAtMs,
        requestId,
        // The URL is computed only for a document that needs it.
        get interfaceUrl() {
          return new URL(path, c.req.url).href;
        },
        deadline: new Deadline(),
      }),
      logFault: (method, error) =>
        deps.log("fault", { requestId, method, error: String(error), stack: stackOf(error) }),
    });
    c.set("rpc", answered);
    const { refusal } = answered;
    if (refusal !== undefined && !isGas) refusals.note(c, refusal.caller, refusal.method, refusal.error);
    return answered.response;
  };
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

/**
 * Returns the root of an interface, `/sui/gas/v1` → `/sui/gas`. Every path below it belongs to the callers of this
 * interface.
 */
function rootOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/**
 * Refuses a late request. The refusal carries the CORS headers, because pages call the workflows and must be able to
 * read it.
 */
function refuseOverloaded(c: Context<AppEnv>, { config }: Deps) {
  const refuse = async () => {
    c.res = await answerOverloaded(c.req.raw);
  };
  const { flows } = config;
  return flows !== null && c.req.path.startsWith(WORKFLOWS_PATH) ? cors(flows)(c, refuse) : refuse();
}

/** Makes the app of the service's interfaces and of the operator's API. */
export function createServiceApp(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    const nowMs = deps.clock.nowMs();
    const arrivedAtMs = arrivalOf(c.req.raw.headers.get(ARRIVAL_HEADER), nowMs);
    if (refuseLate(arrivedAtMs, nowMs) !== null) return refuseOverloaded(c, deps);
    c.set("arrivedAtMs", arrivedAtMs);
    return next();
  });
  const admission = new RequestAdmission(deps);
  const refusals = new WalletRefusals(deps);
  for (const api of apis) {
    const { path, oldPath } = api.contract;
    for (const one of oldPath === undefined ? [path] : [path, oldPath]) {
      const route = rpcRoute({ deps, admission, refusals }, api, one);
      app.all(one, route);
      app.all(`${one}/:key`, route);
      app.all(`${rootOf(one)}/*`, (c) => answerUnknownPath(c.req.raw));
    }
  }
  for (const upstream of upstreams) {
    const route = gatewayRoute(upstream, deps);
    app.all(rootOf(upstream.path), route);
    app.all(`${rootOf(upstream.path)}/*`, route);
  }
  const operators = new OperatorAdmission(deps);
  const authenticated = authenticate(deps, operators);
  app.route(ADMIN_PATH, createAdminApp(deps, authenticated));
  // Scrapers look here unless they are told otherwise. It is the same route, with the same tokens.
  app.route(METRICS_PATH, createMetricsApp(deps, authenticated));
  app.route(DASHBOARD_PATH, createDashboardApp(deps, operators));
  return app;
}
