import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import worker from "../../functions/index.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";

const url = "https://gasworks.test";

test("GET /health says that nothing can be stored, and that it can be again", async () => {
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  await runInDurableObject(directory, (_, { storage }) => {
    storage.sync = () => Promise.reject(new Error("attempt to write a readonly database: SQLITE_READONLY"));
  });
  const failed = await exports.default.fetch(`${url}/health`);
  expect([failed.status, await failed.json()]).toMatchObject([503, { status: "storage_failed" }]);
  await expect.poll(async () => (await exports.default.fetch(`${url}/health`)).status).toBe(200);
});

test("GET /health tries to write once for all who ask within two seconds", async () => {
  let tries = 0;
  await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) => {
    storage.sync = async () => {
      tries += 1;
    };
  });
  const startedAtMs = performance.now();
  for (let call = 0; call < 20; call++) await exports.default.fetch(`${url}/health`);
  expect(tries).toBeLessThanOrEqual(1 + (performance.now() - startedAtMs) / 2_000);
});

test("GET /health is answered without a key", async () => {
  const response = await exports.default.fetch(`${url}/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});

test("GET /live is answered without a line in the log", async () => {
  const log = vi.spyOn(console, "log");
  onTestFinished(() => log.mockRestore());
  const response = await worker.fetch(new Request(`${url}/live`), env, createExecutionContext());
  expect([response.status, log.mock.calls]).toEqual([204, []]);
});

test("a path of nobody is 404 with an error that clients of any kind can read", async () => {
  const response = await exports.default.fetch(`${url}/nowhere`, { method: "POST", body: "{}" });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: { code: "not_found", message: "no such path: check the URL", retryable: false },
  });
});

test("every answer has a request id of its own", async () => {
  const ids = await Promise.all(
    ["/health", "/health", "/nowhere", "/sui/gas/v1"].map(
      async (path) => (await exports.default.fetch(url + path)).headers.get("x-request-id") ?? "",
    ),
  );
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

describe("without its configuration", () => {
  test.each([
    ["ADMIN_TOKEN", { ADMIN_TOKEN: "" }],
    ["MASTER_KEYS", { MASTER_KEYS: "1:short" }],
    ["CLOCK_OFFSET_MS", { CLOCK_OFFSET_MS: "1" }],
  ])("every request is 503 and names what is wrong: %s", async (name, wrong) => {
    for (const path of ["/health", "/sui/gas/v1"]) {
      const response = await worker.fetch(new Request(url + path), { ...env, ...wrong }, createExecutionContext());
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        error: { code: "not_configured", message: expect.stringContaining(name), retryable: false },
      });
    }
  });
});
