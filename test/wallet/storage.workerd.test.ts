import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { walletName } from "../../shared/wallet/context.ts";
import { call, newKey, newProject, newSession, OTHER_SECRET, refusal } from "../support/wallets.ts";

const PAGE_BYTES = 4_096;
/** The schema, its version, the wallet, its due rows, and the platform's own page of the alarm. */
const PAGES = 5;
const MESSAGE = btoa("a transaction");

async function newWallet() {
  const projectId = await newProject();
  const key = await newKey(projectId);
  const address = await call(key, "svc_wal_createWallet", ["user-1", await newSession(key)]);
  const stub = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
  const sign = async (secret?: string) =>
    call(key, "svc_wal_signTransaction", ["user-1", await newSession(key, secret), MESSAGE]);
  return { stub, address, sign };
}

test("a wallet that was only made and used takes five pages", async () => {
  const { stub, address, sign } = await newWallet();
  expect(address).toMatch(/^0x/);
  expect(await sign()).toEqual(expect.any(String));
  await evictDurableObject(stub);
  expect(await sign()).toEqual(expect.any(String));
  const bytes = await runInDurableObject(stub, (_, { storage }) => storage.sql.databaseSize);
  expect(bytes / PAGE_BYTES).toBeLessThanOrEqual(PAGES);
});

test("a wallet without its rare tables counts wrong secrets, also after it was evicted", async () => {
  const { stub, sign } = await newWallet();
  for (let guess = 0; guess < 5; guess += 1)
    expect(await sign(OTHER_SECRET)).toMatchObject(refusal(-32602, "wrong_secret"));
  await evictDurableObject(stub);
  expect(await sign(OTHER_SECRET)).toMatchObject(refusal(-32010, "rate_limited", { limit: "wrong_secret" }));
  expect(await sign()).toEqual(expect.any(String));
});

test("a wallet whose project has answered wakes for nothing", async () => {
  const { stub } = await newWallet();
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBe(null);
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});
