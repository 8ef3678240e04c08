import type { Context } from "hono";
import { keysOfRequest } from "../../shared/access/admission.ts";
import type { Deps } from "../../shared/bindings/deps.ts";
import { type AppEnv, countUpstreamCalls } from "../../shared/http/app.ts";
import { Hono } from "../../shared/http/hono.ts";
import { ADMIN_PATH } from "../../shared/http/problem.ts";
import { answerUnknownPath, dispatch } from "../../shared/rpc/dispatch.ts";
import { anyPrefix, methodTable } from "../../shared/rpc/handler.ts";
import { discoverHandler } from "../../shared/rpc/openrpc.ts";
import { refuseLateRequests } from "../late-requests.ts";
import { createAdminApp, createMetricsApp } from "./admin/app.ts";
import { OperatorAdmission } from "./admin/operators/admission.ts";
import { authenticate } from "./admin/operators/authenticate.ts";
import { RequestAdmission } from "./admission.ts";
import { aptosGasApi } from "./aptos-gas/index.ts";
import { aptosGasStationApi } from "./aptos-gas-station/index.ts";
import { aptosKeyApi } from "./aptos-key/index.ts";
import { aptosWalletApi } from "./aptos-wallet/index.ts";
import { createDashboardApp, DASHBOARD_PATH } from "./dashboard.ts";
import { endpointFor, type ServiceParts } from "./endpoint.ts";
import { enokiApi } from "./enoki/index.ts";
import { gatewayRoute } from "./gateway/call-upstream.ts";
import { upstreams } from "./gateway/upstreams.ts";
import type { JsonRpcApi } from "./json-rpc-api.ts";
import { createRestApp, type RestApi } from "./rest.ts";
import { suiGasApi } from "./sui-gas/index.ts";
import { suiWalletApis } from "./sui-wallet/index.ts";
import { WalletRefusals } from "./wallet-refusals.ts";

const METRICS_PATH = "/metrics";

const restApis: readonly RestApi[] = [enokiApi, aptosGasStationApi];
const apis: readonly JsonRpcApi[] = [suiGasApi, ...suiWalletApis, aptosKeyApi, aptosWalletApi, aptosGasApi];

function rpcRoute(parts: ServiceParts, refusals: WalletRefusals, api: JsonRpcApi, path: string) {
  const { contract, handlers } = api;
  const table = methodTable([...handlers, discoverHandler(contract)]);
  const methods = contract.acceptsAnyPrefix ? anyPrefix(table) : table;
  const served = { chain: contract.chain, handlers: methods, atFund: methodTable(api.atFund ?? []) };
  // A fund keeps the refusals of its calls itself.
  const isGas = api === suiGasApi || api === aptosGasApi;
  return async (c: Context<AppEnv>): Promise<Response> => {
    const keys = keysOfRequest(c.req.raw, c.req.param("key") ?? null);
    const answered = await dispatch(c.req.raw, endpointFor(c, parts, served, { keys, path }));
    c.set("rpc", answered);
    const { refusal } = answered;
    if (refusal !== undefined && !isGas) refusals.note(c, refusal);
    return answered.response;
  };
}

/**
 * Returns the root of an interface, `/sui/gas/v1` → `/sui/gas`. Every path below it belongs to the callers of this
 * interface.
 */
function rootOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Makes the app of the service's interfaces and of the operator's API. */
export function createServiceApp(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(refuseLateRequests(deps));
  const parts = { deps, admission: new RequestAdmission(deps) };
  const refusals = new WalletRefusals(deps);
  const paths = apis.flatMap((api) => {
    const { path, oldPath } = api.contract;
    return (oldPath === undefined ? [path] : [path, oldPath]).map((one) => ({ api, path: one }));
  });
  for (const { api, path } of paths) {
    const route = rpcRoute(parts, refusals, api, path);
    app.all(path, route);
    app.all(`${path}/:key`, route);
  }
  // Mounted after all versions, because two of them can have one root.
  for (const { path } of paths) app.all(`${rootOf(path)}/*`, (c) => answerUnknownPath(c.req.raw));
  for (const api of restApis) app.route(rootOf(api.contract.path), createRestApp(parts, api));
  for (const upstream of upstreams) {
    const route = gatewayRoute(upstream, deps);
    app.all(rootOf(upstream.path), route);
    app.all(`${rootOf(upstream.path)}/*`, route);
  }
  const operators = new OperatorAdmission(deps);
  const authenticated = authenticate(deps, operators);
  app.use(`${ADMIN_PATH}/*`, countUpstreamCalls);
  app.route(ADMIN_PATH, createAdminApp(deps, authenticated));
  // Scrapers look here by default. It is the same route, with the same tokens.
  app.route(METRICS_PATH, createMetricsApp(deps, authenticated));
  app.route(DASHBOARD_PATH, createDashboardApp(deps, operators));
  return app;
}
