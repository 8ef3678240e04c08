import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { Env } from "../../../shared/bindings/env.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { Wallet } from "../../../shared/wallet/object.ts";
import { pass } from "../../support/sui-fund.ts";
import { newProject } from "../../support/wallets.ts";

/** How long a creation that nobody confirms counts, before its wallet is asked. */
const PENDING_MS = 600_000;

const bindings: Env = env;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A project with room for one wallet, whose creation was cut off just before its key was made. */
async function cutOff(atMs = Date.now()) {
  vi.useFakeTimers({ toFake: ["Date"], now: atMs });
  const projectId = await newProject({ walletsPerMonth: 1 });
  const admit = (walletId: string) => {
    const ref = { projectId, chain: "sui", walletId } as const;
    return bindings.PROJECT.getByName(projectId).admitWallet(
      { name: walletName(ref), chain: "sui", walletId },
      { masterKeyVersion: 1, scope: null, address: null },
    );
  };
  expect(await admit("user-1")).toMatchObject({ ok: true });
  const alarm = () => runDurableObjectAlarm(env.PROJECT.getByName(projectId));
  return { projectId, admit, alarm };
}

const full = { ok: false, error: { reason: "quota_reached" } };

test("a creation that is made again keeps its place for ten minutes from then", async () => {
  const { admit, alarm } = await cutOff();
  pass(PENDING_MS - 1);
  expect(await admit("user-1")).toMatchObject({ ok: true });
  pass(1);
  await alarm();
  expect(await admit("user-2")).toMatchObject(full);
  pass(PENDING_MS);
  await alarm();
  expect(await admit("user-2")).toMatchObject({ ok: true });
});

test("a creation that is made again in another month counts in that month", async () => {
  const { admit } = await cutOff(Date.UTC(2027, 0, 31, 23, 59));
  pass(60_000);
  expect(await admit("user-1")).toMatchObject({ ok: true });
  expect(await admit("user-2")).toMatchObject(full);
});

test("a creation that is made again in another month is refused where that month is full", async () => {
  const { admit } = await cutOff(Date.UTC(2027, 0, 31, 23, 59));
  pass(60_000);
  expect(await admit("user-2")).toMatchObject({ ok: true });
  expect(await admit("user-1")).toMatchObject(full);
});

test("a creation that is made again while its wallet is asked keeps its place", async () => {
  const { projectId, admit } = await cutOff();
  vi.spyOn(Wallet.prototype, "view").mockImplementationOnce(async () => {
    await admit("user-1");
    return null;
  });
  pass(PENDING_MS);
  await runInDurableObject(env.PROJECT.getByName(projectId), (project) => project.alarm());
  expect(await admit("user-2")).toMatchObject(full);
});
