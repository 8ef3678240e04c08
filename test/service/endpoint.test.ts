import { Hono } from "hono";
import { expect, test } from "vitest";
import type { RequestAdmission } from "../../functions/service/admission.ts";
import { endpointFor } from "../../functions/service/endpoint.ts";
import type { Caller } from "../../shared/access/caller.ts";
import type { Deps } from "../../shared/bindings/deps.ts";
import { CALL_TIME_MS } from "../../shared/deadline.ts";
import type { AppEnv } from "../../shared/http/app.ts";

test("the time of a call counts from its arrival, so that a wait for admission shortens it", async () => {
  const nowMs = 1_800_000_000_000;
  const deps = { clock: { nowMs: () => nowMs } } as unknown as Deps;
  const parts = { deps, admission: {} as unknown as RequestAdmission };
  const app = new Hono<AppEnv>();
  app.get("/", (c) => {
    c.set("arrivedAtMs", nowMs - 2_500);
    const served = { chain: "sui", handlers: new Map(), atFund: new Map() } as const;
    const endpoint = endpointFor(c, parts, served, { keys: [], path: "/" });
    return c.json(endpoint.context({} as unknown as Caller, null).deadline.leftMs());
  });
  const leftMs = Number(await (await app.request("/")).text());
  expect(leftMs).toBeLessThanOrEqual(CALL_TIME_MS - 2_500);
  expect(leftMs).toBeGreaterThan(CALL_TIME_MS - 5_500);
});
