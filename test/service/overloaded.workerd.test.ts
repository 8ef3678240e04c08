import { env } from "cloudflare:workers";
import { toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { createServiceApp } from "../../functions/service/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { ARRIVAL_HEADER, START_LIMIT_MS } from "../../shared/http/overload.ts";

const ORIGIN = "https://app.example.com";
const app = createServiceApp(
  createDeps({
    ...env,
    FLOWS_CALLER_SECRET: "0123456789012345678901234",
    FLOWS_SECRET: toBase64(new Uint8Array(32)),
    FLOWS_SUI_KEY: "us1_sui_localnet_key",
    FLOWS_BASE_URL: "https://service.test",
    JWT_ISSUER: "issuer",
    JWT_AUDIENCE: "app",
    JWT_JWKS_URL: "https://login.example.com/jwks",
    FLOWS_ORIGINS: ORIGIN,
  }),
);

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
