import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { checkFundBalances } from "../../functions/check-fund-balances.ts";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { ready } from "../../functions/service/ready.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { authorization } from "../support/admin-access.ts";
import { clearFaults, nodeDown } from "../support/sui-chain.ts";
import { MINUTE_MS, pass, SECOND_MS, useStoppedClock } from "../support/sui-fund.ts";
import { admin, newFundKey, newProject } from "../support/wallets.ts";
import { deliveriesOf, newWebhook } from "../support/webhooks.ts";

const bindings: Env = env;
const directory = () => bindings.DIRECTORY.getByName(DIRECTORY_NAME);
const nodesSchema = z.object({
  items: z.array(z.looseObject({ network: z.string(), endpoint: z.string(), state: z.string(), inUse: z.boolean() })),
});

useStoppedClock();

/** Asks a Worker that has kept no answer of before. */
async function askReady(of: Env = bindings): Promise<readonly [number, unknown]> {
  const app = new Hono<AppEnv>().get("/ready", ready(createDeps(env)));
  const response = await app.request("/ready", {}, of);
  return [response.status, await response.json()];
}

const round = () => checkFundBalances(bindings, { ...createDeps(env), log: () => {} });

/** Makes a project with a fund, and lets the cron run. */
async function inUse(): Promise<string> {
  const projectId = await newProject();
  await newFundKey(projectId, "SUI_LOCALNET", ["gas"]);
  await round();
  return projectId;
}

async function nodesOf(network: string) {
  return nodesSchema.parse(await admin("GET", "/nodes")).items.filter((node) => node.network === network);
}

test("a network in use whose nodes are all down is a cause, and one that nobody uses is none", async () => {
  await inUse();
  expect(await askReady()).toEqual([200, { status: "ready" }]);
  pass(MINUTE_MS + SECOND_MS);
  await nodeDown();
  expect(await askReady()).toEqual([503, { status: "not_ready", causes: [{ cause: "no_node_answers", count: 1 }] }]);
  const [node] = await nodesOf("SUI_LOCALNET");
  expect(node).toMatchObject({ endpoint: "chain.test", inUse: true, cause: expect.any(String), failuresInARow: 1 });
  await clearFaults();
  pass(30 * SECOND_MS);
  expect(await askReady()).toEqual([200, { status: "ready" }]);
});

test("an endpoint that fails twice in a row is one event, and so is its recovery", async () => {
  const projectId = await inUse();
  const webhook = await newWebhook(projectId, "https://hooks.example.com/", ["node.unhealthy", "node.recovered"]);
  const events = async () => (await deliveriesOf(webhook)).map(({ type }) => type).toReversed();
  await nodeDown();
  for (const expected of [[], ["node.unhealthy"], ["node.unhealthy"]]) {
    pass(30 * SECOND_MS);
    await directory().nodes();
    await expect.poll(events, { timeout: 10_000 }).toEqual(expected);
  }
  expect(await nodesOf("SUI_LOCALNET")).toMatchObject([{ state: "unhealthy", failuresInARow: 3 }]);
  await clearFaults();
  for (let times = 0; times < 2; times++) {
    pass(30 * SECOND_MS);
    await directory().nodes();
    await expect.poll(events, { timeout: 10_000 }).toEqual(["node.unhealthy", "node.recovered"]);
  }
});

test("the operator sees each endpoint's latency, height, protocol version and last good answer", async () => {
  await inUse();
  const [sui] = await nodesOf("SUI_LOCALNET");
  expect(sui).toMatchObject({
    state: "healthy",
    cause: null,
    lagMs: 0,
    failures: 0,
    height: expect.stringMatching(/^[0-9]+$/),
    protocolVersion: "140",
    lastGoodAt: new Date(Date.now()).toISOString(),
  });
  const [aptos] = await nodesOf("APTOS_LOCALNET");
  expect(aptos).toMatchObject({ state: "healthy", height: expect.stringMatching(/^[0-9]+$/), protocolVersion: null });
});

test("a crowd of questions starts one check in 20 s", async () => {
  await inUse();
  const checksNow = async () => z.object({ checks: z.int() }).parse((await nodesOf("SUI_LOCALNET"))[0]).checks;
  const before = await checksNow();
  for (const waitMs of [0, 19 * SECOND_MS]) {
    pass(waitMs);
    await Promise.all(Array.from({ length: 8 }, () => askReady()));
    expect(await checksNow()).toBe(before);
  }
  pass(SECOND_MS);
  await Promise.all(Array.from({ length: 8 }, () => askReady()));
  expect(await checksNow()).toBe(before + 1);
});

test("a fund that does not answer, and one without room, are counted and not named", async () => {
  const projectId = await newProject();
  const ids = z.object({ id: z.string() });
  const fund = { name: "gas", network: "SUI_LOCALNET" };
  const { id } = ids.parse(await admin("POST", `/projects/${projectId}/funds`, fund));
  const full = ids.parse(await admin("POST", `/projects/${projectId}/funds`, fund));
  await runInDurableObject(env.FUND.getByName(full.id), (_, { storage }) => {
    Object.defineProperty(storage.sql, "databaseSize", { value: 2 ** 30 });
  });
  const broken: Env = {
    ...bindings,
    FUND: {
      getByName: (name) => {
        if (name === id) throw new Error("this object is broken");
        return bindings.FUND.getByName(name);
      },
    },
  };
  await checkFundBalances(broken, { ...createDeps(env), log: () => {} });
  const [status, body] = await askReady();
  expect(status).toBe(503);
  expect(body).toEqual({
    status: "not_ready",
    causes: [
      { cause: "storage_full", count: 1 },
      { cause: "objects_unreadable", count: 1 },
    ],
  });
});

test("due work that is late by more than a quarter of an hour is a cause", async () => {
  const projectId = await inUse();
  await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
    storage.sql.exec("INSERT INTO due (kind, reference, at_ms) VALUES ('prune', '', ?)", Date.now() - 15 * MINUTE_MS);
  });
  await round();
  expect(await askReady()).toEqual([200, { status: "ready" }]);
  pass(1);
  await round();
  expect(await askReady()).toEqual([503, { status: "not_ready", causes: [{ cause: "work_overdue", count: 1 }] }]);
});

test("a chain that is newer than this build changes no status, and is noted", async () => {
  await inUse();
  expect(await askReady()).toEqual([200, { status: "ready" }]);
  await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) => {
    storage.sql.exec("UPDATE node_check SET protocol_version = '999' WHERE network = 'SUI_LOCALNET'");
  });
  expect(await askReady()).toEqual([200, { status: "ready", notices: [{ notice: "newer_protocol", count: 1 }] }]);
});

test("a cron that has stopped is a cause", async () => {
  await inUse();
  pass(21 * MINUTE_MS);
  expect(await askReady()).toEqual([503, { status: "not_ready", causes: [{ cause: "checks_overdue", count: 1 }] }]);
});

test("during a roll-out, objects of an earlier build are no cause, and the admin API answers 503 with Retry-After", async () => {
  await inUse();
  const missing = (method: string) => async () => {
    throw new TypeError(`The RPC receiver does not implement the method "${method}".`);
  };
  const old: Env = {
    ...bindings,
    DIRECTORY: {
      getByName: (name) => {
        const real = bindings.DIRECTORY.getByName(name);
        return new Proxy(real, {
          get: (_, key) =>
            key === "readiness" || key === "notices" || key === "nodes" ? missing(key) : Reflect.get(real, key),
        });
      },
    },
    PROJECT: {
      getByName: (name) => {
        const real = bindings.PROJECT.getByName(name);
        return new Proxy(real, {
          get: (_, key) => (key === "metrics" ? missing(key) : Reflect.get(real, key)),
        });
      },
    },
  };
  expect(await askReady(old)).toEqual([200, { status: "ready" }]);
  await checkFundBalances(old, { ...createDeps(env), log: () => {} });
  expect(await askReady()).toEqual([200, { status: "ready" }]);
  const app = createAdminApp({ ...createDeps(env), log: () => {} });
  for (const path of ["/nodes", "/metrics"]) {
    const response = await app.request(path, { headers: { authorization } }, old);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("being upgraded") });
  }
});

test("a directory that does not answer makes the service unready", async () => {
  const silent: Env = {
    ...bindings,
    DIRECTORY: {
      getByName: () => {
        throw new Error("it does not answer");
      },
    },
  };
  expect(await askReady(silent)).toEqual([
    503,
    { status: "not_ready", causes: [{ cause: "storage_failed", count: 1 }] },
  ]);
});
