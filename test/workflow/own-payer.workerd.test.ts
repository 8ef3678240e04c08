import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { createServiceApp } from "../../functions/service/app.ts";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { fromHex, toHex } from "../../shared/bytes.ts";
import { assembleSponsored } from "../../shared/chain/aptos/fee-payer.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { BACK_END_ISSUER, userWallet } from "../../shared/workflow/wallet-clients.ts";
import { APP_SECRET, FLOWS_SECRET } from "../support/app-secret.ts";
import { APT_OCTAS, draftOf, giveOctas, newUser, octasOnChain, submitToAptos } from "../support/aptos-chain.ts";
import { until } from "../support/sui-fund.ts";
import { call, newKey, newProject } from "../support/wallets.ts";

const CALLER_SECRET = "0123456789012345678901234";

/** Allows what costs the user nothing. */
const neverTheUser: Rule = {
  name: "neverTheUser",
  mayAllow: { networks: ["APTOS_LOCALNET"], targets: "any" },
  judge: (request) =>
    request.action === "sign" && request.gas.payer === "sender"
      ? { verdict: "refuse", why: "the user's wallet must not pay" }
      : { verdict: "allow" },
};

test("a wallet that is its own fee payer is the payer for the policy", async () => {
  const key = await newKey(await newProject(), "APTOS_LOCALNET");
  const { walletId, secret } = userWallet({ issuer: BACK_END_ISSUER, subject: "ada" }, APP_SECRET);
  const token = await call(key, "key_createSession", [secret], { path: "/aptos/key/v1" });
  const made = await call(key, "wal_createWallet", [walletId, token], { path: "/aptos/wallet/v1" });
  const { accountAddress: address } = z.object({ accountAddress: z.string() }).parse(made);
  await giveOctas(address, APT_OCTAS);
  const vars = { ...env, FLOWS_CALLER_SECRET: CALLER_SECRET, FLOWS_SECRET, FLOWS_APTOS_KEY: key };
  const deps = createDeps(vars);
  if (deps.config.flows === null) throw new Error("the workflows are not configured");
  const whole = new Hono<AppEnv>().use((c, next) => {
    c.set("requestId", "test");
    c.set("arrivedAtMs", deps.clock.nowMs());
    return next();
  });
  whole.route("/", createServiceApp(deps));
  const terms = { policy: [neverTheUser], callsPerSecondPerUser: 100 };
  whole.route("/", createWorkflowsApp(deps, deps.config.flows, whole, terms));
  const { rawTransaction } = draftOf({ ...newUser(), address });
  const sign = async (feePayerAddress?: string) => {
    const headers = { authorization: `Bearer ${CALLER_SECRET}`, "x-user-id": "ada" };
    const body = JSON.stringify({ chain: "aptos", transaction: toHex(rawTransaction), feePayerAddress });
    const init = { method: "POST", headers, body };
    const response = await whole.request("/flows/sign-transaction", init, vars, createExecutionContext());
    return z.looseObject({ signature: z.string().optional() }).parse(await response.json());
  };
  expect(await sign()).toMatchObject({ error: { code: "policy_refused" } });
  const { signature, ...answer } = await sign(address);
  if (signature !== undefined) {
    const mine = fromHex(signature.slice(2));
    const feePaid = { rawTransaction, secondaryAddresses: [], feePayer: address };
    const { signedTransaction } = assembleSponsored(feePaid, { sender: mine, secondary: [], feePayer: mine });
    expect(await submitToAptos(signedTransaction)).toBe("accepted");
    await until(async () => (await octasOnChain(address)) < APT_OCTAS);
  }
  expect(answer).toMatchObject({ error: { code: "policy_refused" } });
  expect(await octasOnChain(address)).toBe(APT_OCTAS);
});
