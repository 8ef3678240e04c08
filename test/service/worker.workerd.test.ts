import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../functions/index.ts";

const url = "https://gasworks.test";

test("GET /health is answered without a key", async () => {
  const response = await exports.default.fetch(`${url}/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});

test("a path of nobody is 404 with an error that clients of any kind can read", async () => {
  const response = await exports.default.fetch(`${url}/nowhere`, { method: "POST", body: "{}" });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: { code: "not_found", message: "no such path", retryable: false } });
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
