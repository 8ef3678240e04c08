import { type Context, Hono } from "hono";
import type { FlowsConfig } from "../shared/config.ts";
import type { Deps } from "../shared/deps.ts";
import type { Fetch } from "../shared/ports.ts";
import { createWalletOnChain } from "./create-wallet-on-chain.ts";
import { executeSponsored } from "./execute-sponsored.ts";
import { flowRoute } from "./flow.ts";
import { type HttpEnv, jsonError } from "./http.ts";
import { sponsor } from "./sponsor.ts";
import { webhookRoute } from "./webhook.ts";

/**
 * The app's workflows. They hold its access key and speak to the service through its wire interface, in process or
 * over HTTP, so that both can also be deployed apart.
 *
 * @param whole the app that they are mounted in: in process, a call goes through it like one from outside.
 */
export function createFlowsApp(deps: Deps, config: FlowsConfig, whole: Hono<HttpEnv>): Hono<HttpEnv> {
  const inProcess =
    (c: Context<HttpEnv>): Fetch =>
    async (input, init) =>
      whole.fetch(new Request(input, init), c.env, c.executionCtx);
  const app = new Hono<HttpEnv>();
  app.post(`/flows/${createWalletOnChain.name}`, flowRoute(createWalletOnChain, config, deps, inProcess));
  app.post(`/flows/${sponsor.name}`, flowRoute(sponsor, config, deps, inProcess));
  app.post(`/flows/${executeSponsored.name}`, flowRoute(executeSponsored, config, deps, inProcess));
  app.all("/webhooks/:name", webhookRoute(config, deps, inProcess));
  app.all("/flows/*", (c) =>
    c.req.method === "POST"
      ? jsonError(404, "not_found", "no such workflow")
      : jsonError(405, "method_not_allowed", "only POST is answered", { allow: "POST" }),
  );
  return app;
}
