import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import * as z from "zod";
import { walletName } from "../../../shared/wallet/context.ts";
import { APT_OCTAS, giveOctas, hasAccount } from "../../support/aptos-chain.ts";
import { HOUR_MS, pass, SECOND_MS, stopClock, until } from "../../support/sui-fund.ts";
import { admin, call, newKey, newSession, OTHER_SECRET } from "../../support/wallets.ts";
import { bindings, newProject } from "../../support/webhooks.ts";
import type { Cause } from "./cause.ts";

const CHAIN = "sui";
const WALLET_ID = "user-1";
const ON_APTOS = { path: "/aptos/wallet/v1" };

const walletOf = (projectId: string, chain: "sui" | "aptos" = CHAIN) =>
  env.WALLET.getByName(walletName({ projectId, chain, walletId: WALLET_ID }));

async function runWalletAlarm(projectId: string, chain?: "aptos"): Promise<void> {
  pass(3 * SECOND_MS);
  await runDurableObjectAlarm(walletOf(projectId, chain));
}

/** The events that wallets raise, and their project of them. */
export const WALLET_CAUSES: readonly Cause[] = [
  {
    types: ["wallet.created", "quota.reached"],
    async happen(listen) {
      const projectId = await newProject({ walletsPerMonth: 1 });
      await listen(projectId);
      const key = await newKey(projectId);
      const token = await newSession(key);
      const address = await call(key, "svc_wal_createWallet", [WALLET_ID, token]);
      const ref = { projectId, chain: CHAIN, walletId: WALLET_ID } as const;
      const view = await bindings.WALLET.getByName(walletName(ref)).view();
      if (view === null) throw new Error("no wallet");
      await bindings.PROJECT.getByName(projectId).confirmWallet(view);
      for (const walletId of ["user-2", "user-3"]) await call(key, "svc_wal_createWallet", [walletId, token]);
      const month = new Date().toISOString().slice(0, 7);
      return [
        { type: "wallet.created", data: { chain: CHAIN, walletId: WALLET_ID, address } },
        { type: "quota.reached", data: { walletsPerMonth: 1, month } },
      ];
    },
  },
  {
    types: ["wallet.initialized"],
    async happen(listen) {
      // The chain takes no transaction that expires hours ahead of its own clock.
      stopClock(vi.getRealSystemTime());
      const projectId = await newProject();
      await listen(projectId);
      const network = "APTOS_LOCALNET";
      const made = await admin("POST", `/projects/${projectId}/funds`, { name: "gas", network });
      const fund = z.object({ id: z.string(), depositAddress: z.string() }).parse(made);
      await giveOctas(fund.depositAddress, APT_OCTAS);
      await admin("POST", `/funds/${fund.id}/refresh`);
      const terms = { name: "app", network, rights: ["wallet", "gas", "node"], fundId: fund.id };
      const { key } = z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, terms));
      const token = await call(key, "key_createSession", ["a5b6c7d8".repeat(8)], { path: "/aptos/key/v1" });
      const answer = await call(key, "wal_createWalletOnChain", [WALLET_ID, token], ON_APTOS);
      const { accountAddress: address } = z.object({ accountAddress: z.string() }).parse(answer);
      await until(() => hasAccount(address));
      for (let times = 0; times < 2; times++) await runWalletAlarm(projectId, "aptos");
      return [{ type: "wallet.initialized", data: { chain: "aptos", walletId: WALLET_ID, address, network } }];
    },
  },
  {
    types: ["wallet.missing_record"],
    async happen(listen) {
      const projectId = await newProject();
      await listen(projectId);
      const key = await newKey(projectId);
      const address = await call(key, "svc_wal_createWallet", [WALLET_ID, await newSession(key)]);
      const wallet = walletOf(projectId);
      await runInDurableObject(wallet, (_, { storage }) => storage.deleteAll());
      await evictDurableObject(wallet);
      for (let times = 0; times < 2; times++) await call(key, "svc_wal_getWallet", [WALLET_ID]);
      // Once a day.
      pass(24 * HOUR_MS);
      await call(key, "svc_wal_createWallet", [WALLET_ID, await newSession(key)]);
      const told = { type: "wallet.missing_record", data: { chain: CHAIN, walletId: WALLET_ID, address } } as const;
      return [told, told];
    },
  },
  {
    types: ["security.secret_mismatch"],
    async happen(listen) {
      const projectId = await newProject();
      await listen(projectId);
      const key = await newKey(projectId);
      await call(key, "svc_wal_createWallet", [WALLET_ID, await newSession(key)]);
      const wrong = await newSession(key, OTHER_SECRET);
      for (let times = 0; times < 6; times++) await call(key, "svc_wal_signTransaction", [WALLET_ID, wrong, "AAAA"]);
      await runWalletAlarm(projectId);
      const data = { chain: CHAIN, walletId: WALLET_ID, keyId: expect.stringMatching(/^key_/), inARow: 5 };
      return [{ type: "security.secret_mismatch", data }];
    },
  },
];
