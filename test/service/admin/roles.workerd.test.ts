import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { leastRoles, ownerFields, permissionOf } from "../../../functions/service/admin/operators/permissions.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { type OperatorRole, operatorRoles } from "../../../shared/bindings/operator.ts";
import { authorization } from "../../support/admin-access.ts";
import { makeToken } from "../../support/operators.ts";

/** What each role may call is written down twice: in the service's table, and here. */
const OWNERS_ONLY = [
  "DELETE /projects/{id}/transfer",
  "DELETE /tokens/{id}",
  "GET /master-key",
  "GET /projects/{id}/transfer/frames",
  "GET /tokens",
  "PATCH /keys/{id}",
  "POST /funds/{id}/withdraw",
  "POST /master-key/rewrap",
  "POST /projects/{id}/keys",
  "POST /projects/{id}/transfer",
  "POST /projects/{id}/transfer/frames",
  "POST /projects/{id}/webhooks/{partId}/rotate-secret",
  "POST /tokens",
];

const adminApp = createAdminApp(createDeps(env));

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly leastRole: string;
}

async function operationsOfDocument(): Promise<readonly Operation[]> {
  const response = await adminApp.request("/openapi.json", { headers: { authorization } }, env);
  const operation = z.looseObject({ "x-least-role": z.enum(operatorRoles) });
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), operation)) })
    .parse(await response.json());
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { "x-least-role": leastRole }]) => {
      const method = name.toUpperCase();
      return { name: `${method} ${path}`, method, path, leastRole };
    }),
  );
}

/** An id that the route finds malformed: nothing changes, if the role lets the call pass. */
function call({ method, path }: Operation, token: string, app = adminApp): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
  return Promise.resolve(app.request(path.replaceAll(/\{[^}]+\}/g, "nobody"), { method, headers, ...body }, env));
}

test("every operation of the document admits the roles of the table, and no other", async () => {
  const operations = await operationsOfDocument();
  const tokens = new Map<OperatorRole, string>();
  for (const role of operatorRoles) tokens.set(role, (await makeToken(adminApp, role)).token);
  expect(operations.length).toBeGreaterThan(35);
  for (const operation of operations)
    for (const [role, token] of tokens) {
      const expected =
        role === "owner" ||
        (!OWNERS_ONLY.includes(operation.name) && (role === "operator" || operation.method === "GET"));
      const { status } = await call(operation, token);
      expect(status !== 403, `${role}: ${operation.name}`).toBe(expected);
      expect(status, `${role}: ${operation.name}`).not.toBe(401);
    }
});

test("the table has a row for every operation of the document, and no other", async () => {
  const operations = await operationsOfDocument();
  const named = (name: string) => name.replaceAll(/:(\w+)/g, "{$1}");
  expect(Object.keys(leastRoles).map(named).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  for (const [name, leastRole] of Object.entries(leastRoles))
    expect(operations).toContainEqual(expect.objectContaining({ name: named(name), leastRole }));
  for (const name of Object.keys(ownerFields)) expect(leastRoles).toHaveProperty([name]);
  expect(() => permissionOf({ method: "GET", path: "/nowhere" })).toThrow("no row");
});

test("a field for the owner alone is refused from others, beside allowed ones too, and changes nothing", async () => {
  const { token } = await makeToken(adminApp, "operator");
  const send = async (bearer: string, method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const response = await adminApp.request(path, { method, headers, body: JSON.stringify(body) }, env);
    return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
  };
  const { body: project } = await send(token, "POST", "/projects", { name: "before" });
  const path = `/projects/${z.string().parse(project.id)}`;
  for (const fields of [{ exportEnabled: true }, { exportEnabled: false }, { name: "after", exportEnabled: true }])
    expect(await send(token, "PATCH", path, fields)).toMatchObject({
      status: 403,
      body: { detail: "the field exportEnabled needs the role owner: this token's is operator" },
    });
  expect(await send(token, "PATCH", path, { walletsPerMonth: 3 })).toMatchObject({
    status: 200,
    body: { name: "before", exportEnabled: false, walletsPerMonth: 3 },
  });
  const recover = `/funds/fund_${"0".repeat(20)}/recover`;
  expect((await send(token, "POST", recover, { withdrawals: "confirmed" })).status).toBe(403);
  expect((await send(token, "POST", recover, {})).status).toBe(404);
  const owner = await makeToken(adminApp, "owner");
  expect(await send(owner.token, "PATCH", path, { exportEnabled: true })).toMatchObject({ status: 200 });
});

test("no form of a request makes a viewer's call a change", async () => {
  const { token } = await makeToken(adminApp, "viewer");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const override = {
    ...headers,
    "x-http-method-override": "POST",
    "x-method-override": "POST",
    "x-http-method": "POST",
  };
  const before = await (await adminApp.request("/projects", { headers }, env)).text();
  const project = JSON.stringify({ name: "x" });
  const statuses = async (requests: readonly (readonly [string, RequestInit])[]) => {
    const answers = [];
    for (const [path, init] of requests) answers.push((await adminApp.request(path, init, env)).status);
    return answers;
  };
  expect(
    await statuses([
      ["/projects", { method: "POST", headers, body: project }],
      ["/projects?_method=GET", { method: "POST", headers, body: project }],
      ["/projects", { method: "GET", headers: override }],
      ["/projects?_method=POST", { headers }],
      ["/projects/", { method: "POST", headers, body: project }],
      ["//projects", { method: "POST", headers, body: project }],
      ["/%70rojects", { method: "POST", headers, body: project }],
      ["/projects", { method: "PUT", headers, body: project }],
      ["/projects", { method: "HEAD", headers }],
      ["/projects", { method: "OPTIONS", headers }],
      ["/tokens", { method: "HEAD", headers }],
      ["/master-key", { method: "HEAD", headers }],
      ["/tokens", { headers: { ...headers, accept: "text/csv" } }],
    ]),
  ).toEqual([403, 403, 200, 400, 404, 404, 403, 405, 200, 405, 403, 403, 403]);
  expect(await (await adminApp.request("/projects", { headers }, env)).text()).toBe(before);
});
