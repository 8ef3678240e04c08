import type { Context } from "hono";
import { createJwtVerifier } from "../shared/access/jwt.ts";
import type { Deps } from "../shared/bindings/deps.ts";
import type { Fetch } from "../shared/bindings/ports.ts";
import type { FlowsConfig } from "../shared/config/workflows.ts";
import { type AppEnv, jsonError } from "../shared/http/app.ts";
import { Hono } from "../shared/http/hono.ts";
import { cors, WORKFLOWS_PATH } from "../shared/workflow/cors.ts";
import type { AppPolicy, WorkflowEnv } from "../shared/workflow/handler.ts";
import { createWalletOnChain } from "./create-wallet-on-chain.ts";
import { executeSponsored } from "./execute-sponsored.ts";
import { callsPerSecondPerUser, policy } from "./policy.ts";
import { signTransaction } from "./sign-transaction.ts";
import { sponsor } from "./sponsor.ts";
import { sponsorAndExecute } from "./sponsor-and-execute.ts";
import { wallet } from "./wallet.ts";
import { webhook } from "./webhook.ts";

/**
 * Mounts the app's workflows. They hold its access key and call the service through its wire interface, in process or
 * over HTTP. So both can also be deployed apart.
 *
 * @param rootApp the app that they are mounted in. An in-process call passes through it like a call from outside.
 */
export function createWorkflowsApp(
  deps: Deps,
  config: FlowsConfig,
  rootApp: Hono<AppEnv>,
  appPolicy: AppPolicy = { policy, callsPerSecondPerUser },
): Hono<WorkflowEnv> {
  const app = new Hono<WorkflowEnv>();
  const inProcess =
    (c: Context<WorkflowEnv>): Fetch =>
    async (input, init) =>
      rootApp.fetch(new Request(input, init), c.env, c.executionCtx);
  const verifyJwt = config.jwt === null ? null : createJwtVerifier(config.jwt, deps);
  const setting = { ...appPolicy, config, deps, verifyJwt, inProcess };
  app.use(`${WORKFLOWS_PATH}*`, cors(config));
  for (const path of [`${WORKFLOWS_PATH}*`, "/webhooks/*"])
    app.use(path, async (c, next) => {
      c.set("setting", setting);
      await next();
    });

  app.post("/flows/create-wallet-on-chain", createWalletOnChain);
  app.get("/flows/wallet", wallet);
  app.post("/flows/sponsor", sponsor);
  app.post("/flows/execute-sponsored", executeSponsored);
  app.post("/flows/sponsor-and-execute", sponsorAndExecute);
  app.post("/flows/sign-transaction", signTransaction);
  app.all("/webhooks/:name", webhook);

  app.all(`${WORKFLOWS_PATH}*`, (c) => notServed(app, c.req.path));
  return app;
}

/** Refuses a method that a path does not take, or a path that does not exist. */
function notServed(app: Hono<WorkflowEnv>, path: string): Response {
  const route = app.routes.find((one) => one.path === path && one.method !== "ALL");
  if (route === undefined) return jsonError(404, "not_found", "no such workflow: check the path");
  const { method } = route;
  return jsonError(405, "method_not_allowed", `this path accepts only ${method}`, { allow: `${method}, OPTIONS` });
}
