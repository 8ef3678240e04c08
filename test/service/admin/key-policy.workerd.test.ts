import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { admit } from "../../../shared/access/admission.ts";
import { createDeps, serviceSecrets } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import type { FundPolicy } from "../../../shared/policy/fund-policy.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";
import { showPolicy } from "../../../shared/policy/policy-schema.ts";

const bindings: Env = env;
const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const headers = {
  authorization: `Bearer ${serviceSecrets(deps).adminToken}`,
  "content-type": "application/json",
};
const PACKAGE = `0x${"ab".repeat(32)}`;
const FRAMEWORK = `0x${"2".padStart(64, "0")}`;
const SENDER = `0x${"5".padStart(64, "0")}`;
const defaults = showPolicy(defaultKeyPolicy("sui"));

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await adminApp.request(path, init, env);
  return { status: response.status, body: await response.json() };
}

async function made<Shape extends z.ZodRawShape>(path: string, body: unknown, shape: Shape) {
  const reply = await call("POST", path, body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return z.object(shape).parse(reply.body);
}

/** Of a new project and fund, sponsoring under this policy. */
async function gasKey(policy?: unknown) {
  const { id: projectId } = await made("/projects", { name: "demo" }, { id: z.string() });
  const fund = { name: "gas", network: "SUI_TESTNET" };
  const { id: fundId } = await made(`/projects/${projectId}/funds`, fund, { id: z.string() });
  const body = {
    name: "k",
    network: "SUI_TESTNET",
    rights: ["gas"],
    fundId,
    ...(policy === undefined ? {} : { policy }),
  };
  const shape = { id: z.string(), key: z.string(), policy: z.unknown() };
  const { id, key, policy: shown } = await made(`/projects/${projectId}/keys`, body, shape);
  return { projectId, path: `/keys/${id}`, key, shown };
}

async function callersPolicy(key: string): Promise<FundPolicy> {
  const admitted = await admit(bindings, deps, { keys: [key], chain: "sui", calls: [["gas"]] });
  if (!admitted.ok) throw new Error(admitted.error.details);
  return admitted.value.caller.policy;
}

async function newestAuditRow(projectId: string): Promise<unknown> {
  const { body } = await call("GET", `/projects/${projectId}/audit?limit=1`);
  return z.object({ items: z.array(z.unknown()) }).parse(body).items[0];
}

test("a key made with a policy takes the default of every field that is not sent, and null takes a limit away", async () => {
  const policy = {
    moveTargets: { allow: [`${PACKAGE}::game::*`, "0x2::*"] },
    maxGasBudget: "5",
    maxInFlightCount: null,
  };
  const { path, key, shown, projectId } = await gasKey(policy);
  const whole = {
    ...defaults,
    moveTargets: { allow: [`${PACKAGE}::game::*`, `${FRAMEWORK}::*`], deny: null },
    maxGasBudget: "5",
    maxInFlightCount: null,
  };
  expect(shown).toEqual(whole);
  expect(await call("GET", path)).toMatchObject({ status: 200, body: { policy: whole } });
  expect(showPolicy(await callersPolicy(key))).toEqual(whole);
  expect(await newestAuditRow(projectId)).toMatchObject({ action: "key.create", detail: { policy: whole } });
  expect((await gasKey()).shown).toEqual(defaults);
  expect((await gasKey({})).shown).toEqual(defaults);
});

test("a PATCH merges field by field, replaces lists whole, and holds from the next call", async () => {
  const { path, key } = await gasKey({
    moveTargets: { allow: ["0x2::*"] },
    senders: { allow: ["0x5"], deny: ["0x6"] },
  });
  const policyAfter = async (policy: unknown) => {
    const reply = await call("PATCH", path, { policy });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    expect(await call("GET", path)).toEqual(reply);
    const shown = z.object({ policy: z.unknown() }).parse(reply.body).policy;
    expect(showPolicy(await callersPolicy(key))).toEqual(shown);
    return shown;
  };
  const first = {
    ...defaults,
    moveTargets: { allow: [`${FRAMEWORK}::*`], deny: [`${PACKAGE}::*`] },
    maxSpendPerDay: "7",
  };
  const senders = { allow: [SENDER], deny: [`0x${"6".padStart(64, "0")}`] };
  expect(await policyAfter({ moveTargets: { deny: [`${PACKAGE}::*`] }, maxSpendPerDay: "7" })).toEqual({
    ...first,
    senders,
  });
  const replaced = { ...first, senders: { ...senders, deny: [SENDER] } };
  expect(await policyAfter({ senders: { deny: ["0x5"] } })).toEqual(replaced);
  expect(await policyAfter({ senders: null, maxSpendPerDay: null, maxInFlightAmount: "0" })).toEqual({
    ...first,
    senders: { allow: null, deny: null },
    maxSpendPerDay: null,
    maxInFlightAmount: "0",
  });
});

test("a PATCH of other fields leaves the policy alone, and the other way round", async () => {
  const { path } = await gasKey({ maxGasBudget: "5" });
  const policy = { ...defaults, maxGasBudget: "5" };
  expect(await call("PATCH", path, { name: "renamed" })).toMatchObject({ body: { name: "renamed", policy } });
  expect(await call("PATCH", path, { policy: { maxStorageCost: "6" } })).toMatchObject({
    body: { name: "renamed", status: "active", rights: ["gas"], policy: { ...policy, maxStorageCost: "6" } },
  });
});

test("the log shows what was changed of a policy, in the words of the API", async () => {
  const { path, projectId } = await gasKey();
  const policy = { maxGasBudget: "18446744073709551615", maxInFlightCount: 5, senders: { deny: ["0x5"] } };
  await call("PATCH", path, { policy, name: "renamed" });
  expect(await newestAuditRow(projectId)).toMatchObject({
    action: "key.update",
    target: path.slice("/keys/".length),
    detail: { name: "renamed", policy: { ...policy, senders: { deny: [SENDER] } } },
  });
});

test("a policy that does not fit is 400, names the field, and changes nothing", async () => {
  const { path, projectId } = await gasKey();
  const creation = { name: "k", network: "SUI_TESTNET", rights: ["wallet"] };
  for (const [field, policy] of [
    ["policy.maxGasBudget", { maxGasBudget: 5 }],
    ["policy.maxGasBudget", { maxGasBudget: "-1" }],
    ["policy.maxSpendPerDay", { maxSpendPerDay: "18446744073709551616" }],
    ["policy.maxInFlightCount", { maxInFlightCount: "5" }],
    ["policy.maxInFlightCount", { maxInFlightCount: -1 }],
    ["policy.maxSpendPerHour", { maxSpendPerHour: "5" }],
    ["policy.moveTargets.only", { moveTargets: { only: [] } }],
    ["policy.moveTargets.allow.1", { moveTargets: { allow: ["0x2::*", "0x2::coin"] } }],
    ["policy.senders.deny", { senders: { deny: Array(201).fill("0x5") } }],
  ] as const) {
    const errors = expect.arrayContaining([expect.objectContaining({ path: field })]);
    const refusal = { status: 400, body: { errors } };
    expect(await call("PATCH", path, { policy }), JSON.stringify(policy)).toMatchObject(refusal);
    expect(await call("POST", `/projects/${projectId}/keys`, { ...creation, policy })).toMatchObject(refusal);
  }
  expect(await call("PATCH", path, { policy: {} })).toMatchObject({
    status: 400,
    body: { errors: [{ path: "policy" }] },
  });
  expect(await call("GET", path)).toMatchObject({ body: { policy: defaults } });
  expect(await newestAuditRow(projectId)).toMatchObject({ action: "key.create" });
});
