import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { beforeEach, expect, test } from "vitest";
import { createServiceApp } from "../../functions/service/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import type { LogFields } from "../../shared/bindings/ports.ts";
import { type AppEnv, requestLog } from "../../shared/http/app.ts";

const lines: (Omit<LogFields, "event"> & { event: string })[] = [];
const deps = {
  ...createDeps(env),
  log: (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields }),
};
const app = new Hono<AppEnv>().use(requestLog(deps)).route("/", createServiceApp(deps));

/** Well formed and forged: refused before any object is asked. */
const key = `us1_sui_localnet_${"ab".repeat(32)}`;
const secretMethod = `${key}_as_a_method`;

function post(path: string, method: string, headers: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify([
    { jsonrpc: "2.0", id: key, method, params: [key] },
    { jsonrpc: "2.0", id: 2, method: secretMethod },
  ]);
  return app.request(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body }, env);
}

beforeEach(() => {
  lines.length = 0;
});

test.each([
  ["in the header", "/sui/gas/v1", "/sui/gas/v1", 401, { "x-api-key": key }],
  ["in the path", `/sui/gas/v1/${key}`, "/sui/gas/v1/:key", 401, {}],
  ["escaped in the path", `/sui/gas/v1/%75s1${key.slice(3)}`, "/sui/gas/v1/:key", 401, {}],
  ["after an unknown version", `/sui/gas/v2/${key}`, "/sui/gas/*", 404, {}],
  ["before more segments", `/sui/gas/v1/${key}/more`, "/sui/gas/*", 404, {}],
  ["in a query", `/sui/gas/v1?key=${key}`, "/sui/gas/v1", 401, {}],
  ["on a path of nobody", `/nowhere/${key}`, "/*", 404, {}],
])("one line a request, and never the access key: %s", async (_where, path, pattern, status, headers) => {
  const response = await post(path, "gas_getFund", headers);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ event: "request", method: "POST", path: pattern, status });
  expect(lines[0]?.durationMs).toBeGreaterThanOrEqual(0);
  expect(lines[0]?.requestId).toBe(response.headers.get("x-request-id"));
  expect(JSON.stringify(lines)).not.toContain("abab");
});

test("the line names the methods, those that callers make up as unknown", async () => {
  await post("/sui/gas/v1", "gas_getFund", { "x-api-key": key });
  expect(lines[0]).toMatchObject({ rpc: "gas_getFund,unknown", keyId: null });
});

test("the line says why the call was refused", async () => {
  await post("/sui/gas/v1", "gas_getFund", { "x-api-key": key });
  expect(lines[0]).toMatchObject({ reason: "bad_key" });
});
