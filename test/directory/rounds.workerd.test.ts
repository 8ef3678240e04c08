import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { checkFundBalances } from "../../functions/check-fund-balances.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { RoundAlarm } from "../../shared/directory/round-alarm.ts";
import { ServiceReports } from "../../shared/directory/service-report.ts";
import { nodeDown } from "../support/sui-chain.ts";
import { crash, MINUTE_MS, pass, SECOND_MS, useStoppedClock } from "../support/sui-fund.ts";
import { newFundKey, newProject } from "../support/wallets.ts";
import { deliveriesOf, newWebhook } from "../support/webhooks.ts";

const bindings: Env = env;
const deps = { ...createDeps(env), log: () => {} };
const directory = () => env.DIRECTORY.getByName(DIRECTORY_NAME);
const readiness = () => bindings.DIRECTORY.getByName(DIRECTORY_NAME).readiness();
const cron = () => checkFundBalances(bindings, deps);

useStoppedClock();

/** The wait until the armed alarm, in ms. Null if none is armed. */
function alarmInMs(): Promise<number | null> {
  return runInDurableObject(directory(), async (_, { storage }) => {
    const atMs = await storage.getAlarm();
    return atMs === null ? null : atMs - Date.now();
  });
}

function lastReportMs(): Promise<number | null> {
  return runInDurableObject(directory(), (_, { storage }) => new ServiceReports(storage.sql).last()?.atMs ?? null);
}

async function inUse(): Promise<string> {
  const projectId = await newProject();
  await newFundKey(projectId, "SUI_LOCALNET", ["gas"]);
  return projectId;
}

test("where nothing fires crons, the directory's alarm finds that the nodes of a network in use are down", async () => {
  await inUse();
  await nodeDown();
  expect(await readiness()).toEqual([]);
  pass(6 * MINUTE_MS);
  expect(await runDurableObjectAlarm(directory())).toBe(true);
  expect(await readiness()).toEqual([{ cause: "no_node_answers", count: 1 }]);
});

test("the alarm does a round every five minutes, also of a service without funds", async () => {
  await readiness();
  expect(await alarmInMs()).toBe(6 * MINUTE_MS);
  for (let times = 0; times < 2; times++) {
    pass(6 * MINUTE_MS);
    await runDurableObjectAlarm(directory());
    expect([await lastReportMs(), await alarmInMs()]).toEqual([Date.now(), 5 * MINUTE_MS]);
  }
});

test("where crons run, the alarm finds a fresh report, and does nothing", async () => {
  await cron();
  for (let times = 0; times < 2; times++) {
    pass(5 * MINUTE_MS);
    await cron();
    pass(MINUTE_MS);
    await runDurableObjectAlarm(directory());
    expect([await lastReportMs(), await alarmInMs()]).toEqual([Date.now() - MINUTE_MS, 5 * MINUTE_MS]);
    pass(-MINUTE_MS);
  }
});

test("after a pause of the service, the alarms of all objects have a minute before the round", async () => {
  await readiness();
  pass(11 * MINUTE_MS + SECOND_MS);
  await runDurableObjectAlarm(directory());
  expect([await lastReportMs(), await alarmInMs()]).toEqual([null, MINUTE_MS]);
  pass(MINUTE_MS);
  await runDurableObjectAlarm(directory());
  expect(await lastReportMs()).toBe(Date.now());
});

test("a cron beside the alarm's round makes no event twice", async () => {
  const projectId = await inUse();
  const webhook = await newWebhook(projectId, "https://hooks.example.com/", ["node.unhealthy", "fund.low_balance"]);
  await cron();
  await nodeDown();
  for (let times = 0; times < 3; times++) {
    pass(6 * MINUTE_MS);
    await Promise.all([runDurableObjectAlarm(directory()), cron()]);
  }
  const events = async () => (await deliveriesOf(webhook)).map(({ type }) => type);
  await expect.poll(events, { timeout: 10_000 }).toEqual(["node.unhealthy"]);
});

test("a process that dies in a round has the next one in time", async () => {
  await readiness();
  pass(6 * MINUTE_MS);
  const hanging: Env = {
    ...bindings,
    DIRECTORY: {
      getByName: () => ({ ...bindings.DIRECTORY.getByName(DIRECTORY_NAME), projects: () => new Promise(() => {}) }),
    },
  };
  await runInDurableObject(directory(), async (_, { storage }) => {
    void new RoundAlarm(storage, hanging, deps).run();
    await storage.sync();
  });
  await crash();
  pass(SECOND_MS);
  expect(await alarmInMs()).toBe(5 * MINUTE_MS - SECOND_MS);
});

test("an alarm that was lost is armed again by the next question, and one that a fast clock set is pulled back", async () => {
  await readiness();
  pass(6 * MINUTE_MS);
  await runInDurableObject(directory(), (_, { storage }) => storage.deleteAlarm());
  pass(MINUTE_MS);
  await readiness();
  expect(await alarmInMs()).toBe(-MINUTE_MS);
  pass(-60 * MINUTE_MS);
  await readiness();
  expect(await alarmInMs()).toBe(0);
});

test("workflows that are deployed apart have no rounds", async () => {
  const alarmsMs = await runInDurableObject(directory(), async (_, { storage }) => {
    const flowsOnly = { ...deps, config: { ...deps.config, service: null } };
    const alarm = new RoundAlarm(storage, bindings, flowsOnly);
    pass(6 * MINUTE_MS);
    await alarm.run();
    const left = storage.sql.exec("SELECT * FROM due").toArray();
    await storage.deleteAlarm();
    new RoundAlarm(storage, bindings, flowsOnly);
    return [left, await storage.getAlarm()];
  });
  expect(alarmsMs).toEqual([[], null]);
});
