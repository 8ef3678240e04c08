import { type Context, Hono } from "hono";
import { admit, keysOfRequest } from "../../shared/access/admission.ts";
import type { Deps } from "../../shared/deps.ts";
import type { Upstream } from "../../shared/gateway/upstream.ts";
import { answerUnknownPath, dispatch } from "../../shared/rpc/dispatch.ts";
import { anyPrefix, methodTable } from "../../shared/rpc/handler.ts";
import { discoverHandler } from "../../shared/rpc/openrpc.ts";
import type { HttpEnv } from "../http.ts";
import { ADMIN_PATH, createAdminApp } from "./admin/app.ts";
import { aptosGasService } from "./aptos-gas/index.ts";
import { aptosKeyService } from "./aptos-key/index.ts";
import { aptosWalletService } from "./aptos-wallet/index.ts";
import { aptosGraphql } from "./gateway/aptos-graphql.ts";
import { aptosRest } from "./gateway/aptos-rest.ts";
import { gatewayRoute } from "./gateway/gateway.ts";
import { suiNode } from "./gateway/sui-node.ts";
import type { Service } from "./service.ts";
import { suiGasService } from "./sui-gas/index.ts";
import { suiWalletServices } from "./sui-wallet/index.ts";

const services: readonly Service[] = [
  suiGasService,
  ...suiWalletServices,
  aptosKeyService,
  aptosWalletService,
  aptosGasService,
];

/** The node interfaces, which pass requests on. */
const upstreams: readonly Upstream[] = [aptosRest, aptosGraphql, suiNode];

function rpcRoute(deps: Deps, { contract, handlers }: Service) {
  const table = methodTable([...handlers, discoverHandler(contract)]);
  const methods = contract.anyPrefix ? anyPrefix(table) : table;
  return async (c: Context<HttpEnv>): Promise<Response> => {
    const { env } = c;
    const answered = await dispatch(c.req.raw, {
      handlers: methods,
      admit: (calls, derivations) =>
        admit(env, deps, {
          keys: keysOfRequest(c.req.raw, c.req.param("key") ?? null),
          chain: contract.chain,
          calls,
          derivations,
        }),
      context: (caller, idempotency) => ({ caller, idempotency, env, deps }),
      fault: (method, error) =>
        deps.log("fault", { requestId: c.var.requestId, method, error: String(error), stack: stackOf(error) }),
    });
    c.set("rpc", answered);
    return answered.response;
  };
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

/** `/sui/gas/v1` → `/sui/gas`: every path below it belongs to the callers of this interface. */
function rootOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The service's interfaces and the operator's API. */
export function createServiceApp(deps: Deps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const service of services) {
    const { path } = service.contract;
    const route = rpcRoute(deps, service);
    app.all(path, route);
    app.all(`${path}/:key`, route);
    app.all(`${rootOf(path)}/*`, (c) => answerUnknownPath(c.req.raw));
  }
  for (const upstream of upstreams) {
    const route = gatewayRoute(upstream, deps);
    app.all(rootOf(upstream.path), route);
    app.all(`${rootOf(upstream.path)}/*`, route);
  }
  app.route(ADMIN_PATH, createAdminApp(deps));
  return app;
}
