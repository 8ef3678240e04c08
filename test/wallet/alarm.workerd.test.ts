import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Project } from "../../shared/project/object.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { WalletOpening } from "../../shared/wallet/opening.ts";
import { createRareTables } from "../../shared/wallet/schema.ts";
import { call, newKey, newProject, newSession } from "../support/wallets.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a listing that throws stays due, and keeps no event from its project", async () => {
  const projectId = await newProject();
  const key = await newKey(projectId);
  const silent = vi.spyOn(Project.prototype, "confirmWallet").mockRejectedValue(new Error("it does not answer"));
  await call(key, "svc_wal_createWallet", ["user-1", await newSession(key)]);
  silent.mockRestore();
  const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
  await runInDurableObject(wallet, (_, { storage: { sql } }) => {
    createRareTables(sql);
    sql.exec("INSERT INTO outbox (id, type, at_ms, body) VALUES ('evt_1', 'wallet.created', 1, '{}')");
    sql.exec("INSERT INTO due (kind, reference, at_ms) VALUES ('events', '', 1)");
  });
  const left = () =>
    runInDurableObject(wallet, async (_, { storage }) => ({
      events: storage.sql.exec("SELECT id FROM outbox").toArray().length,
      due: storage.sql
        .exec("SELECT kind FROM due")
        .toArray()
        .map(({ kind }) => kind),
      isArmed: (await storage.getAlarm()) !== null,
    }));
  vi.setSystemTime(Date.now() + 60_000);
  vi.spyOn(WalletOpening.prototype, "open").mockRejectedValueOnce(new Error("the directory does not answer"));
  await runDurableObjectAlarm(wallet);
  expect(await left()).toEqual({ events: 0, due: ["confirm"], isArmed: true });
  vi.setSystemTime(Date.now() + 600_000);
  await runDurableObjectAlarm(wallet);
  expect(await left()).toEqual({ events: 0, due: [], isArmed: false });
});
