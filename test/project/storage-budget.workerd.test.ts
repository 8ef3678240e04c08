import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { WalletEntry } from "../../shared/project/views.ts";
import { setDatabaseSize } from "../support/database-size.ts";
import { pass } from "../support/sui-fund.ts";
import { accept } from "../support/webhook-receivers.ts";
import {
  attempt,
  auditActions,
  bindings,
  deliveriesOf,
  newProject,
  newWebhook,
  raise,
  runAlarm,
  statesOf,
  useReceivers,
} from "../support/webhooks.ts";

const GIB = 1_024 ** 3;
const FULL_BYTES = Math.ceil(8 * GIB * 0.9);
const HIGH_BYTES = Math.ceil(8 * GIB * 0.7);
const HOST = "hooks.example.com";
const URL = `https://${HOST}/gasworks`;
const PRUNE_MS = 600_000;

const receivers = useReceivers();

function entryOf(walletId: string): WalletEntry {
  return { name: `wallet of ${walletId}`, chain: "sui", walletId };
}

async function admit(projectId: string, walletId: string) {
  const admitted = await bindings.PROJECT.getByName(projectId).admitWallet(entryOf(walletId), {
    masterKeyVersion: 1,
    scope: null,
    address: null,
  });
  return admitted.ok ? "admitted" : admitted.error.reason;
}

test("a full project takes no new wallet, goes on with those that it has, and takes new ones once there is room", async () => {
  const projectId = await newProject();
  const stub = env.PROJECT.getByName(projectId);
  expect(await admit(projectId, "first")).toBe("admitted");
  await setDatabaseSize(stub, FULL_BYTES - 1);
  expect(await admit(projectId, "second"), "a byte below").toBe("admitted");
  await setDatabaseSize(stub, FULL_BYTES);
  expect(await admit(projectId, "third")).toBe("storage_budget");
  expect(await admit(projectId, "first"), "a repeat").toBe("admitted");
  const view = { entry: entryOf("second"), address: "0xa", masterKeyVersion: 1 };
  expect(await bindings.PROJECT.getByName(projectId).confirmWallet(view), "a creation that has begun").toMatchObject({
    ok: true,
  });
  await setDatabaseSize(stub, GIB);
  expect(await admit(projectId, "third")).toBe("admitted");
});

test("high storage is one event, drops ended deliveries, and says so; a full project drops new events and counts them", async () => {
  receivers().at(HOST, accept);
  const projectId = await newProject();
  const stub = env.PROJECT.getByName(projectId);
  const events = ["quota.reached", "project.storage_high", "project.storage_recovered"];
  const webhook = await newWebhook(projectId, URL, events);
  await raise(projectId);
  await attempt(webhook, 1);
  expect(await statesOf(webhook)).toEqual(["delivered"]);

  await setDatabaseSize(stub, HIGH_BYTES);
  pass(PRUNE_MS);
  await runAlarm(projectId);
  await attempt(webhook, 1);
  expect((await deliveriesOf(webhook)).map(({ type }) => type)).toEqual(["project.storage_high"]);
  expect(await auditActions(projectId)).toContain("deliveries.dropped");
  pass(PRUNE_MS);
  await runAlarm(projectId);
  expect(await deliveriesOf(webhook), "once; and its delivery has gone early, too").toEqual([]);

  await setDatabaseSize(stub, FULL_BYTES);
  await raise(projectId);
  expect(await deliveriesOf(webhook)).toEqual([]);
  expect((await bindings.PROJECT.getByName(projectId).webhook(webhook.id))?.dropped).toBe(1);
  expect(await auditActions(projectId)).toContain("webhook.backlog_full");
});
