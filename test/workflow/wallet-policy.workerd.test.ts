import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import * as z from "zod";
import { policy as shipped } from "../../functions/policy.ts";
import { createServiceApp } from "../../functions/service/app.ts";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { PolicyRequest } from "../../shared/policy/request.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { allowWallets } from "../../shared/policy/rules.ts";
import { secretText } from "../../shared/webhooks/sign.ts";
import { BACK_END_ISSUER } from "../../shared/workflow/wallet-clients.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";
import { admin, newKey, newProject } from "../support/wallets.ts";

const CALLER_SECRET = "0123456789012345678901234";
const webhookSecret = secretText(new Uint8Array(32).fill(9));

/** The workflows under this policy, before the service of this deployment. */
async function newApp(policy: readonly Rule[]) {
  const projectId = await newProject();
  const vars = {
    ...env,
    FLOWS_CALLER_SECRET: CALLER_SECRET,
    FLOWS_SECRET,
    FLOWS_SUI_KEY: await newKey(projectId),
    WEBHOOK_SECRETS: `users=${webhookSecret}`,
  };
  const deps = createDeps(vars);
  const { flows } = deps.config;
  if (flows === null) throw new Error("the workflows are not configured");
  const whole = new Hono<AppEnv>();
  whole.use(async (c, next) => {
    c.set("requestId", "test");
    await next();
  });
  whole.route("/", createServiceApp(deps));
  const app = createWorkflowsApp(deps, flows, whole, { policy, callsPerSecondPerUser: 100 });
  const ask = async (path: string, init: RequestInit) => {
    const response = await app.request(path, init, vars, createExecutionContext());
    return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
  };
  return {
    create: (user: string) =>
      ask("/flows/create-wallet-on-chain", {
        method: "POST",
        headers: { authorization: `Bearer ${CALLER_SECRET}`, "x-user-id": user },
        body: JSON.stringify({ chain: "sui" }),
      }),
    userCreated: (user: string) => {
      const body = JSON.stringify({ type: "user.created", data: { id: user } });
      const id = crypto.randomUUID();
      const now = new Date();
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": new Webhook(webhookSecret).sign(id, now, body),
      };
      return ask("/webhooks/users", { method: "POST", headers, body });
    },
    wallets: async () =>
      z.object({ items: z.array(z.unknown()) }).parse(await admin("GET", `/projects/${projectId}/wallets`)).items
        .length,
  };
}

/** Refuses who is not verified, and notes what it is asked. */
function verifiedUsers(asked: PolicyRequest[]): Rule {
  return {
    name: "verifiedUsers",
    mayAllow: null,
    judge: (request) => {
      asked.push(request);
      return request.user.subject === "vera" ? { verdict: "pass" } : { verdict: "refuse", why: "verify yourself" };
    },
  };
}

test("a user whom the app's policy refuses gets no wallet, and is told which rule says so", async () => {
  const asked: PolicyRequest[] = [];
  const app = await newApp([allowWallets(), verifiedUsers(asked)]);
  const error = { code: "policy_refused", message: "verifiedUsers: verify yourself", retryable: false };
  expect(await app.create("mallory")).toEqual({ status: 403, body: { error } });
  expect(await app.wallets()).toBe(0);
  const user = { issuer: BACK_END_ISSUER, subject: "mallory", claims: {} };
  expect(asked).toEqual([{ user, action: "create_wallet", chain: "sui", network: "SUI_TESTNET" }]);
  expect(await app.create("vera")).toMatchObject({ status: 200 });
  expect(await app.wallets()).toBe(1);
});

test("a user who was created gets no wallet that the policy refuses, and the sender need not come again", async () => {
  const app = await newApp([allowWallets(), verifiedUsers([])]);
  const refused = [{ workflow: "create-wallet-on-chain", message: "verifiedUsers: verify yourself" }];
  expect(await app.userCreated("mallory")).toEqual({ status: 200, body: { started: [], refused } });
  expect(await app.wallets()).toBe(0);
  expect(await app.userCreated("vera")).toEqual({ status: 200, body: { started: ["create-wallet-on-chain"] } });
  expect(await app.wallets()).toBe(1);
});

test("where no rule allows wallets none is made, and the shipped policy allows them to every user", async () => {
  const closed = await newApp([]);
  expect(await closed.create("ada")).toMatchObject({ status: 403, body: { error: { code: "policy_refused" } } });
  expect(await closed.wallets()).toBe(0);
  expect(await (await newApp(shipped)).create("ada")).toMatchObject({ status: 200 });
});
