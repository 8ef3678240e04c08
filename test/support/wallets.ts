import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createServiceApp } from "../../functions/service/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { newRequestId } from "../../shared/http/request-id.ts";
import { authorization } from "./admin-access.ts";

const adminApp = createAdminApp(createDeps(env));

/** Mounts the service below what the Worker tells it of a request. */
function serviceWith(sessionStore: "kv" | "object"): Hono<AppEnv> {
  const deps = createDeps({ ...env, SESSION_STORE: sessionStore });
  const app = new Hono<AppEnv>().use((c, next) => {
    const nowMs = deps.clock.nowMs();
    c.set("requestId", newRequestId(nowMs));
    c.set("arrivedAtMs", nowMs);
    return next();
  });
  return app.route("/", createServiceApp(deps));
}

/** The service as it runs with each of its session stores. */
export const apps = { kv: serviceWith("kv"), object: serviceWith("object") };
export type Store = keyof typeof apps;

/** Calls a service. The work after its answer is done as well, so that none of it reaches the next test. */
export async function requestAt(
  app: Hono<AppEnv>,
  path: string,
  init: RequestInit,
  bindings: object = env,
): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.request(path, init, bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

export const SECRET = "a5b6c7d8".repeat(8);
export const OTHER_SECRET = "5a6b7c8d".repeat(8);

export async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const init = { method, headers: { authorization, "content-type": "application/json" } };
  const response = await adminApp.request(path, body ? { ...init, body: JSON.stringify(body) } : init, env);
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text);
}

export async function newProject(fields: object = {}): Promise<string> {
  const project = { name: "app", secretDerivation: "hkdf", ...fields };
  return z.object({ id: z.string() }).parse(await admin("POST", "/projects", project)).id;
}

export async function newKey(projectId: string, network = "SUI_TESTNET"): Promise<string> {
  const fields = { name: "app", network, rights: ["wallet"], limits: { qps: 1_000, cups: 1_000 } };
  return z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields)).key;
}

/** A key for a fund that is empty, and will never have an address. */
export async function newFundKey(projectId: string, network: string, rights: readonly string[]): Promise<string> {
  const fund = { name: "app", network, createDepositAddress: false };
  const { id: fundId } = z.object({ id: z.string() }).parse(await admin("POST", `/projects/${projectId}/funds`, fund));
  const fields = { name: "app", network, rights, fundId, limits: { qps: 1_000, cups: 1_000 } };
  return z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields)).key;
}

export interface Call {
  readonly path?: string;
  readonly store?: Store;
  readonly idempotencyKey?: string;
}

/** The result, or the error. */
export async function call(
  key: string,
  method: string,
  params: readonly unknown[],
  { path = "/wallet/v1", store = "kv", idempotencyKey }: Call = {},
): Promise<unknown> {
  const named = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...named },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
  const response = await requestAt(apps[store], `${path}/${key}`, init);
  const answer = z
    .object({ result: z.unknown(), error: z.unknown() })
    .partial()
    .parse(await response.json());
  return answer.error ?? answer.result;
}

export async function newSession(key: string, secret = SECRET, options: Call = {}): Promise<string> {
  return z.string().parse(await call(key, "svc_key_createSession", [secret], options));
}

export function refusal(code: number, reason: string, more: object = {}) {
  return { code, data: { reason, ...more } };
}

/** These two are told by their texts, and `data` has nothing else in it: client libraries read it strictly. */
export const badToken = toldByText("Bad session token");
export const walletExists = toldByText("Wallet ID already exists");

function toldByText(details: string) {
  return { code: -32602, message: "Invalid params", data: { details } };
}
