import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { admit } from "../../../shared/access/admission.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { authorization } from "../../support/admin-access.ts";

const bindings: Env = env;
const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const unknown = "0".repeat(20);

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const init = {
    method,
    headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
  const response = await adminApp.request(path, init, env);
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text), headers: response.headers };
}

async function made(path: string, body: unknown): Promise<Record<string, unknown> & { id: string }> {
  const reply = await call("POST", path, body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return z.looseObject({ id: z.string() }).parse(reply.body);
}

function project(): Promise<{ id: string }> {
  return made("/projects", { name: "demo" });
}

function fund(projectId: string, more: object = {}): Promise<Record<string, unknown> & { id: string }> {
  return made(`/projects/${projectId}/funds`, { name: "gas", network: "SUI_TESTNET", ...more });
}

async function auditActions(projectId: string): Promise<readonly unknown[]> {
  const { body } = await call("GET", `/projects/${projectId}/audit`);
  return z
    .object({ items: z.array(z.object({ action: z.string() })) })
    .parse(body)
    .items.map((row) => row.action);
}

test("a project is made with its defaults, read, changed and listed", async () => {
  const created = await made("/projects", { name: "demo" });
  expect(created).toEqual({
    id: expect.stringMatching(/^prj_[0-9a-f]{20}$/),
    name: "demo",
    secretDerivation: "scrypt",
    walletsPerMonth: null,
    exportEnabled: false,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  const patched = await call("PATCH", `/projects/${created.id}`, { name: "renamed", walletsPerMonth: 10 });
  expect(patched).toMatchObject({ status: 200, body: { name: "renamed", walletsPerMonth: 10 } });
  expect((await call("GET", `/projects/${created.id}`)).body).toEqual(patched.body);
  const other = await project();
  const first = await call("GET", "/projects?limit=1");
  expect(first.body.items).toEqual([patched.body]);
  const second = await call("GET", `/projects?limit=1&cursor=${first.body.nextCursor}`);
  expect(second.body).toMatchObject({ items: [{ id: other.id }], nextCursor: null });
});

test("a fund is made, read, paused, given a deposit address and listed", async () => {
  const { id: projectId } = await project();
  const created = await fund(projectId, { createDepositAddress: false });
  expect(created).toEqual({
    id: expect.stringMatching(/^fund_[0-9a-f]{20}$/),
    projectId,
    name: "gas",
    network: "SUI_TESTNET",
    mode: "coin",
    balance: "0",
    inFlight: "0",
    available: "0",
    runwayDays: null,
    accruedFees: "0",
    unconverted: null,
    maintenanceReserve: "0",
    sponsorshipFee: "0",
    lowBalance: null,
    low: false,
    policy: {
      moveTargets: { allow: null, deny: null },
      senders: { allow: null, deny: null },
      orderless: true,
      maxGasBudget: "500000000",
      maxStorageCost: null,
      maxInFlightCount: null,
      maxInFlightAmount: null,
      maxSpendPerDay: "100000000000",
      maxSpendPerSenderPerDay: null,
      maxAbandonCostPerDay: null,
    },
    limits: { retentionDays: 90, fundBytes: 1_073_741_824 },
    storage: { usedBytes: expect.any(Number), high: false },
    depositAddress: null,
    paused: false,
    pausedCause: null,
    recovery: null,
    createdAt: expect.any(String),
  });
  const path = `/funds/${created.id}`;
  expect(await call("PATCH", path, { paused: true })).toMatchObject({ status: 200, body: { paused: true } });
  expect(await call("PATCH", path, { paused: false, name: "x" })).toMatchObject({ body: { paused: false, name: "x" } });
  expect(await call("PATCH", path, { limits: { retentionDays: 30 } })).toMatchObject({ status: 200 });
  expect(await call("PATCH", path, { limits: { fundBytes: 16_777_216 } })).toMatchObject({
    body: { name: "x", limits: { retentionDays: 30, fundBytes: 16_777_216 } },
  });
  const addressed = await call("POST", `${path}/deposit-address`);
  expect(addressed).toMatchObject({ status: 200, body: { depositAddress: expect.stringMatching(/^0x/) } });
  expect((await call("GET", path)).body).toEqual(addressed.body);
  expect((await call("GET", `/projects/${projectId}/funds`)).body).toEqual({
    items: [addressed.body],
    nextCursor: null,
  });
  expect((await call("GET", `${path}/sponsorships`)).body).toEqual({ items: [], nextCursor: null });
});

test("a refresh reads the chain, and is 503 where no node answers", async () => {
  const { id: projectId } = await project();
  const reachable = await fund(projectId, { network: "SUI_LOCALNET" });
  expect(await call("POST", `/funds/${reachable.id}/refresh`)).toMatchObject({ status: 200, body: { balance: "0" } });
  const unreachable = await fund(projectId, { network: "SUI_DEVNET" });
  expect(await call("POST", `/funds/${unreachable.id}/refresh`)).toMatchObject({ status: 503, body: { status: 503 } });
});

test("a fault is a 500 that says nothing of its cause", async () => {
  const { id } = await project();
  const object = env.PROJECT.getByName(id);
  await runInDurableObject(object, (_, { storage }) => {
    storage.sql.exec("ALTER TABLE project RENAME TO lost");
  });
  await evictDurableObject(object);
  const reply = await call("GET", `/projects/${id}`);
  expect(reply).toMatchObject({ status: 500, body: { title: "Internal Server Error" } });
  expect(JSON.stringify(reply.body)).not.toContain("table");
});

test("a key is shown once, opens the service as its record says, and no later answer or log has it", async () => {
  const { id: projectId } = await project();
  const { id: fundId } = await fund(projectId);
  const { key, ...created } = await made(`/projects/${projectId}/keys`, {
    name: "back end",
    network: "SUI_TESTNET",
    rights: ["gas", "wallet", "gas"],
    fundId,
  });
  expect(created).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{20}$/),
    projectId,
    name: "back end",
    network: "SUI_TESTNET",
    rights: ["wallet", "gas"],
    fundId,
    limits: { qps: 100, cups: 1000, sessionsPerSecond: 1 },
    refusals: { today: 0, last30Days: 0 },
    policy: {
      moveTargets: { allow: null, deny: null },
      senders: { allow: null, deny: null },
      orderless: false,
      maxGasBudget: null,
      maxStorageCost: null,
      maxInFlightCount: 1000,
      maxInFlightAmount: "50000000000",
      maxSpendPerDay: null,
      maxSpendPerSenderPerDay: null,
      maxAbandonCostPerDay: "500000000",
    },
    status: "active",
    createdAt: expect.any(String),
  });
  const admitted = await admit(bindings, deps, { keys: [String(key)], chain: "sui", calls: [["gas"]] });
  expect(admitted).toMatchObject({ ok: true, value: { caller: { keyId: created.id, projectId, fundId } } });
  const secret = String(key).slice(-42);
  for (const path of [`/keys/${created.id}`, `/projects/${projectId}/keys`, `/projects/${projectId}/audit`])
    expect(JSON.stringify((await call("GET", path)).body)).not.toContain(secret);
  expect((await call("GET", `/keys/${created.id}`)).body).toEqual(created);
  expect((await call("GET", `/projects/${projectId}/keys`)).body).toEqual({ items: [created], nextCursor: null });
});

test("calls that a key does not admit are shown with it, and listed by day, reason and rule", async () => {
  const { id: projectId } = await project();
  const body = { name: "k", network: "APTOS_TESTNET", rights: ["wallet"] };
  const { id, key } = await made(`/projects/${projectId}/keys`, body);
  await admit(bindings, deps, { keys: [String(key)], chain: "aptos", calls: [["gas"]] });
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  const items = [{ day, keyId: id, reason: "missing_right", rule: null, calls: 1 }];
  expect((await call("GET", `/keys/${id}/refusal-counts`)).body).toEqual({ items, nextCursor: null });
  const none = { items: [], nextCursor: null };
  expect((await call("GET", `/keys/${id}/refusal-counts?reason=bad_key`)).body).toEqual(none);
  expect((await call("GET", `/keys/${id}`)).body).toMatchObject({ refusals: { last30Days: 1 } });
});

test("a disabled key is refused from the next call, and works again when enabled", async () => {
  const { id: projectId } = await project();
  const body = { name: "k", network: "APTOS_TESTNET", rights: ["wallet"] };
  const { id, key } = await made(`/projects/${projectId}/keys`, body);
  const enter = () => admit(bindings, deps, { keys: [String(key)], chain: "aptos", calls: [["wallet"]] });
  expect(await enter()).toMatchObject({ ok: true });
  expect(await call("PATCH", `/keys/${id}`, { status: "disabled" })).toMatchObject({ body: { status: "disabled" } });
  expect(await enter()).toMatchObject({ ok: false, error: { reason: "bad_key" } });
  await call("PATCH", `/keys/${id}`, { status: "active", limits: { qps: 3, cups: 4 } });
  expect(await enter()).toMatchObject({ ok: true });
});

test("gas needs a fund of the same project and network, and a fund needs gas", async () => {
  const { id: projectId } = await project();
  const { id: fundId } = await fund(projectId);
  const { id: foreignFundId } = await fund((await project()).id);
  const path = `/projects/${projectId}/keys`;
  const key = { name: "k", network: "SUI_TESTNET", rights: ["gas"] };
  expect(await call("POST", path, key)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("needs a fundId") },
  });
  const refused = [
    { ...key, fundId: `fund_${unknown}` },
    { ...key, fundId: foreignFundId },
  ];
  for (const body of refused) expect(await call("POST", path, body)).toMatchObject({ status: 422 });
  expect((await call("POST", path, { ...key, fundId, network: "SUI_MAINNET" })).status).toBe(422);
  expect((await call("POST", path, { ...key, fundId, rights: ["wallet"] })).status).toBe(422);
  expect((await call("GET", path)).body.items).toEqual([]);
  const { id } = await made(path, { ...key, rights: ["node"] });
  expect(await call("PATCH", `/keys/${id}`, { rights: ["gas"] })).toMatchObject({ status: 422 });
});

test("every change is a row of the project's log, and a refused one has a second row", async () => {
  const { id: projectId } = await project();
  const { id: fundId } = await fund(projectId);
  const keys = `/projects/${projectId}/keys`;
  const { id: keyId } = await made(keys, { name: "k", network: "SUI_TESTNET", rights: ["wallet"] });
  await call("PATCH", `/projects/${projectId}`, { name: "renamed" });
  await call("PATCH", `/funds/${fundId}`, { paused: true });
  await call("POST", `/funds/${fundId}/deposit-address`);
  await call("PATCH", `/keys/${keyId}`, { status: "disabled" });
  await call("PATCH", `/keys/${keyId}`, { rights: ["gas"] });
  expect(await auditActions(projectId)).toEqual([
    "key.update.refused",
    "key.update",
    "key.update",
    "fund.deposit-address",
    "fund.update",
    "project.update",
    "key.create",
    "fund.create",
    "project.create",
  ]);
  const { body } = await call("GET", `/projects/${projectId}/audit?limit=3`);
  expect(body.items).toMatchObject([
    {},
    { detail: { rights: ["gas"] } },
    { target: keyId, detail: { status: "disabled" } },
  ]);
});

test("an operator's order about a single row is a row of the log, and 404 or 422 where there is no such row", async () => {
  const { id: projectId } = await project();
  const { id: suiId } = await fund(projectId);
  const { id: aptosId } = await fund(projectId, { network: "APTOS_TESTNET" });
  const [digest, objectId] = ["1".repeat(32), "0x2"];
  for (const [fundId, status, row] of [
    [suiId, 404, digest],
    [aptosId, 422, `0x${"a".repeat(64)}`],
  ] as const) {
    expect(await call("POST", `/funds/${fundId}/force-close`, { digest: row })).toMatchObject({ status: 404 });
    expect(await call("POST", `/funds/${fundId}/drop-coin`, { objectId })).toMatchObject({ status });
  }
  for (const wrong of [{}, { digest: "0x2" }, { digest, more: true }])
    expect(await call("POST", `/funds/${suiId}/force-close`, wrong)).toMatchObject({ status: 400 });
  expect(await call("POST", `/funds/${suiId}/drop-coin`, { objectId: digest })).toMatchObject({ status: 400 });
  const pair = ["fund.drop-coin.refused", "fund.drop-coin", "fund.force-close.refused", "fund.force-close"];
  expect((await auditActions(projectId)).slice(0, 8)).toEqual([...pair, ...pair]);
});

test("an id of nothing is 404 on every route, and so is an id of the wrong form", async () => {
  for (const [method, path, body, headers] of [
    ["GET", "/projects/:id"],
    ["PATCH", "/projects/:id", { name: "x" }],
    ["GET", "/projects/:id/funds"],
    ["GET", "/projects/:id/keys"],
    ["GET", "/projects/:id/audit"],
    ["POST", "/projects/:id/funds", { name: "x", network: "SUI_TESTNET" }],
    ["POST", "/projects/:id/keys", { name: "x", network: "SUI_TESTNET", rights: ["wallet"] }],
    ["GET", "/keys/:id"],
    ["PATCH", "/keys/:id", { name: "x" }],
    ["GET", "/funds/:id"],
    ["PATCH", "/funds/:id", { name: "x" }],
    ["POST", "/funds/:id/refresh"],
    ["POST", "/funds/:id/deposit-address"],
    ["GET", "/funds/:id/sponsorships"],
    ["GET", "/funds/:id/ledger"],
    ["GET", "/funds/:id/unusable"],
    ["GET", "/funds/:id/spend"],
    ["GET", "/funds/:id/refusals"],
    ["GET", "/funds/:id/refusal-counts"],
    ["POST", "/funds/:id/withdraw", { to: "0x1", amount: "1" }, { "idempotency-key": "k" }],
    ["POST", "/funds/:id/revoke", { outstanding: true }],
    ["POST", "/funds/:id/reconcile"],
    ["POST", "/funds/:id/recover", {}],
    ["POST", "/funds/:id/force-close", { digest: "1".repeat(32) }],
    ["POST", "/funds/:id/drop-coin", { objectId: "0x2" }],
    ["POST", "/keys/:id/revoke", { outstanding: true }],
  ] as const) {
    const prefix = { projects: "prj", keys: "key", funds: "fund" }[path.split("/")[1] ?? ""];
    for (const id of [`${prefix}_${unknown}`, "nothing", `other_${unknown}`])
      expect((await call(method, path.replace(":id", id), body, headers)).status, `${method} ${path} ${id}`).toBe(404);
  }
});

test("a list of sponsorships refuses a cursor that it never gave, instead of showing an empty page", async () => {
  const { id } = await fund((await project()).id);
  expect((await call("GET", `/funds/${id}/sponsorships`)).status).toBe(200);
  expect((await call("GET", `/funds/${id}/sponsorships?cursor=zzz`)).status).toBe(400);
});
