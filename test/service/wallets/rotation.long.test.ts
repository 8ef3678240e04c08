import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import * as z from "zod";
import { adminCall, createKey } from "../../../shared/cli/client/admin.ts";
import { createFundInProject, deposit } from "../../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { gasCalls, mintKind } from "../../../shared/cli/story/gas-calls.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { startSelfHosted } from "../../harness/self-hosted.ts";
import { expectOpens, masterKey, masterKeyProgress, newWalletApp, rewrap } from "../../support/wallet-client.ts";

/** More than one alarm re-seals. */
const WALLETS = 45;
const ONE_SUI_MIST = 1_000_000_000n;
const auditSchema = z.object({ items: z.array(z.object({ action: z.string(), detail: z.unknown() })) });

test("the master key is replaced: everything goes on under the new one, without the old one, and nothing is lost without either", async () => {
  const [first, second] = [masterKey(1), masterKey(2)];
  const hosted = await startSelfHosted({ vars: { service: { MASTER_KEYS: first } } });
  try {
    const app = await newWalletApp(hosted);
    const wallets = new Map<string, string>();
    const newSession = () => app.must("svc_key_createSession", app.secret);
    const create = async (walletId: string, token: string) =>
      wallets.set(walletId, await app.must("svc_wal_createWallet", walletId, token));
    const token = await newSession();
    for (let index = 0; index < WALLETS; index += 1) await create(`user-${index}`, token);
    const fund = await createFundInProject(hosted, "fund");
    await deposit(hosted, fund, [ONE_SUI_MIST]);
    const gasKey = await createKey(hosted, fund.projectId, { name: "gas", rights: ["gas"], fundId: fund.fundId });
    const gas = gasCalls(hosted.serviceUrl, gasKey.key);
    const sender = new Ed25519Keypair().toSuiAddress();
    const allWorks = async () => {
      const fresh = await newSession();
      for (const [walletId, address] of wallets) await expectOpens(app, walletId, address, fresh);
      await gas.sponsor(await mintKind(DEMO_PACKAGE, "rotation"), sender);
    };
    const idle = { remaining: 0, failing: 0, unopenable: 0 };
    expect(await masterKeyProgress(hosted)).toEqual({ current: 1, ...idle });

    await hosted.service.restart({ MASTER_KEYS: `${first},${second}` });
    await create("made under the second", await newSession());
    expect(await masterKeyProgress(hosted)).toEqual({ ...idle, current: 2, remaining: WALLETS + 1 });
    await allWorks();
    await rewrap(hosted);
    expect(await masterKeyProgress(hosted)).toEqual({ current: 2, ...idle });
    await allWorks();
    for (const { projectId } of [app, fund]) {
      const audit = await adminCall(hosted, "GET", `/projects/${projectId}/audit`);
      expect(expectAnswer("the audit log", audit, auditSchema).items[0]).toEqual({
        action: "master_key.rewrap",
        detail: { masterKeyVersion: 2 },
      });
    }

    await hosted.service.restart({ MASTER_KEYS: second });
    await allWorks();

    await hosted.service.restart({ MASTER_KEYS: first });
    const missing = { ok: false, reason: "master_key_missing" };
    expect(await app.call("svc_wal_getWallet", "user-0")).toMatchObject(missing);
    expect(await app.call("svc_wal_signTransaction", "user-0", await newSession(), "AAAA")).toMatchObject(missing);
    await expect(gas.sponsor(await mintKind(DEMO_PACKAGE, "rotation"), sender)).rejects.toThrow("internal");
    expect(await masterKeyProgress(hosted)).toEqual({ ...idle, current: 1, unopenable: WALLETS + 2 });

    await hosted.service.restart({ MASTER_KEYS: second });
    await allWorks();
  } finally {
    await hosted.stop();
  }
});
