import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import worker from "../../functions/index.ts";
import { createServiceApp } from "../../functions/service/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { ARRIVAL_HEADER, START_LIMIT_MS } from "../../shared/http/overload.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";

const ORIGIN = "https://app.example.com";
const flows = {
  FLOWS_CALLER_SECRET: "0123456789012345678901234",
  FLOWS_SECRET,
  FLOWS_SUI_KEY: "us1_sui_localnet_key",
  FLOWS_BASE_URL: "https://service.test",
  JWT_ISSUER: "issuer",
  JWT_AUDIENCE: "app",
  JWT_JWKS_URL: "https://login.example.com/jwks",
  FLOWS_ORIGINS: ORIGIN,
};
const app = createServiceApp(createDeps({ ...env, ...flows }));

function late(path: string, method: string, origin: string | null) {
  const headers = { [ARRIVAL_HEADER]: String(Date.now() - 2 * START_LIMIT_MS), ...(origin !== null && { origin }) };
  return app.request(path, { method, headers }, env);
}

test("a page of the app can read that its late call of a workflow was refused, and when to repeat it", async () => {
  const answer = await late("/flows/sponsor", "POST", ORIGIN);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { code: "overloaded", retryable: true } });
  expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(answer.headers.get("access-control-expose-headers")).toContain("retry-after");
  expect(answer.headers.get("retry-after")).toMatch(/^[12]$/);
});

test("workflows that are deployed apart from the service refuse a late call, too", async () => {
  const vars = { ...env, ...flows, MASTER_KEYS: "", KEY_PEPPERS: "", ADMIN_TOKEN: "" };
  const ask = async (lateMs: number) => {
    const init = { method: "GET", headers: { [ARRIVAL_HEADER]: String(Date.now() - lateMs) } };
    const url = "https://flows.test/flows/wallet?chain=sui";
    return (await worker.fetch(new Request(url, init), vars, createExecutionContext())).status;
  };
  expect([await ask(2 * START_LIMIT_MS), await ask(0)]).toEqual([503, 401]);
});

test("a late preflight of such a page is answered, so that the browser sends the call", async () => {
  const answer = await late("/flows/sponsor", "OPTIONS", ORIGIN);
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, ORIGIN]);
});

test("no other page, and no interface of the service, gets these headers with the refusal of a late call", async () => {
  const stranger = await late("/flows/sponsor", "POST", "https://elsewhere.example.com");
  expect([stranger.status, stranger.headers.has("access-control-allow-origin")]).toEqual([403, false]);
  const service = await late("/sui/gas/v1", "POST", ORIGIN);
  expect(service.headers.has("access-control-allow-origin")).toBe(false);
});
