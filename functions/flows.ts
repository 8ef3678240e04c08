import { type Context, Hono } from "hono";
import type * as z from "zod";
import { createJwtVerifier } from "../shared/access/jwt.ts";
import type { Deps } from "../shared/bindings/deps.ts";
import type { Fetch } from "../shared/bindings/ports.ts";
import type { FlowsConfig } from "../shared/config/config.ts";
import { type HttpEnv, jsonError } from "../shared/http/app.ts";
import { cors } from "../shared/workflow/cors.ts";
import { type Flow, type FlowTerms, flowRoute } from "../shared/workflow/handler.ts";
import { createWalletOnChain } from "./create-wallet-on-chain.ts";
import { executeSponsored } from "./execute-sponsored.ts";
import { callsPerSecondPerUser, policy } from "./policy.ts";
import { signTransaction } from "./sign-transaction.ts";
import { sponsor } from "./sponsor.ts";
import { sponsorAndExecute } from "./sponsor-and-execute.ts";
import { wallet } from "./wallet.ts";
import { webhookRoute } from "./webhook.ts";

/**
 * The app's workflows. They hold its access key and speak to the service through its wire interface, in process or
 * over HTTP, so that both can also be deployed apart.
 *
 * @param whole the app that they are mounted in: in process, a call goes through it like one from outside.
 */
export function createFlowsApp(
  deps: Deps,
  config: FlowsConfig,
  whole: Hono<HttpEnv>,
  terms: FlowTerms = { policy, callsPerSecondPerUser },
): Hono<HttpEnv> {
  const inProcess =
    (c: Context<HttpEnv>): Fetch =>
    async (input, init) =>
      whole.fetch(new Request(input, init), c.env, c.executionCtx);
  const verifyJwt = config.jwt === null ? null : createJwtVerifier(config.jwt, deps);
  const setting = { ...terms, config, deps, verifyJwt, inProcess };
  const app = new Hono<HttpEnv>();
  app.use("/flows/*", cors(config));
  const mount = <Schema extends z.ZodType>(flow: Flow<Schema>) => {
    const path = `/flows/${flow.name}`;
    const method = flow.kind === "read" ? "GET" : "POST";
    app.on(method, path, flowRoute(flow, setting));
    app.all(path, () =>
      jsonError(405, "method_not_allowed", `only ${method} is answered`, { allow: `${method}, OPTIONS` }),
    );
  };
  mount(createWalletOnChain);
  mount(wallet);
  mount(sponsor);
  mount(executeSponsored);
  mount(sponsorAndExecute);
  mount(signTransaction);
  app.all("/webhooks/:name", webhookRoute(setting));
  app.all("/flows/*", () => jsonError(404, "not_found", "no such workflow"));
  return app;
}
