import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import worker from "../../functions/index.ts";
import { wrapKind } from "../../shared/chain/sui/transaction.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { SessionHalves } from "../../shared/wallet/session/halves.ts";
import { Session } from "../../shared/wallet/session/object.ts";
import { BACK_END_ISSUER, userWallet } from "../../shared/workflow/wallet-clients.ts";
import { APP_SECRET, FLOWS_SECRET } from "../support/app-secret.ts";
import { shortTest, variants } from "../support/rounds.ts";
import { call, newKey, newProject, newSession, OTHER_SECRET } from "../support/wallets.ts";

const CALLER_SECRET = "0123456789012345678901234";
const answerSchema = z.looseObject({ address: z.string().optional() });

let projectId: string;
let key: string;
beforeEach(async () => {
  projectId = await newProject();
  key = await newKey(projectId);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function varsWith(more: object = {}) {
  return {
    ...env,
    FLOWS_CALLER_SECRET: CALLER_SECRET,
    FLOWS_SECRET,
    FLOWS_SUI_KEY: key,
    ...more,
  };
}

const walletIdOf = (user: string) => userWallet({ issuer: BACK_END_ISSUER, subject: user }, APP_SECRET).walletId;

async function ask(user: string, flow: "wallet" | "create-wallet-on-chain", vars: object = varsWith()) {
  const headers = { authorization: `Bearer ${CALLER_SECRET}`, "x-user-id": user };
  const [query, init] =
    flow === "wallet"
      ? ["?chain=sui", { headers }]
      : ["", { method: "POST", headers, body: JSON.stringify({ chain: "sui" }) }];
  const url = `https://app.example.com/flows/${flow}${query}`;
  const response = await worker.fetch(new Request(url, init), { ...varsWith(), ...vars }, createExecutionContext());
  return { status: response.status, body: answerSchema.parse(await response.json()) };
}

const refused = (code: string, message = /./) => ({
  status: 503,
  body: { error: { code, message: expect.stringMatching(message) } },
});

describe("a workflow shows an address", () => {
  const flows = ["create-wallet-on-chain", "wallet"] as const;

  shortTest("to its user, the same at every call", async () => {
    expect(await ask("ada", "wallet")).toMatchObject({ status: 404 });
    const made = await ask("ada", "create-wallet-on-chain");
    expect(made).toMatchObject({ status: 200, body: { address: expect.stringMatching(/^0x/) } });
    for (const flow of flows) expect(await ask("ada", flow)).toEqual(made);
  });

  test.each(flows)("by %s of a wallet that was made without it, once the session has opened it", async (flow) => {
    const { walletId, secret } = userWallet({ issuer: BACK_END_ISSUER, subject: "bob" }, APP_SECRET);
    const address = await call(key, "svc_wal_createWallet", [walletId, await newSession(key, secret)]);
    expect(await ask("bob", flow)).toMatchObject({ status: 200, body: { address } });
  });

  test.each(variants(flows, 2))("by %s of nobody else's wallet, although it has the user's id", async (flow) => {
    const stranger = await newKey(projectId);
    const token = await newSession(stranger, OTHER_SECRET);
    await call(stranger, "svc_wal_createWallet", [walletIdOf("carol"), token]);
    expect(await ask("carol", flow)).toMatchObject(refused("not_configured", /^FLOWS_SECRET differs from the one/));
  });

  test.each(variants(flows, 2))("by %s of no other key, where the record is lost", async (flow) => {
    const made = await ask("dora", "create-wallet-on-chain");
    const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: walletIdOf("dora") }));
    await runInDurableObject(wallet, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(wallet);
    expect(await ask("dora", flow), "which the app knows").toEqual(made);
    await runInDurableObject(env.WORKFLOW_USER.getByName(walletIdOf("dora")), (_, { storage }) => {
      storage.sql.exec("DELETE FROM known_wallet");
    });
    expect(await ask("dora", flow)).toMatchObject(refused("wallet_unavailable"));
  });

  test.each(variants(flows, 2))("by %s under no other FLOWS_SECRET", async (flow) => {
    await ask("emil", "create-wallet-on-chain");
    const vars = { FLOWS_SECRET: toBase64(new Uint8Array(32).fill(8)) };
    expect(await ask("emil", flow, vars)).toMatchObject(
      refused("not_configured", /^FLOWS_SECRET differs from the one/),
    );
  });

  test.each(variants(flows, 2))("by %s not as somebody else has written it to its store", async (flow) => {
    const made = await ask("fred", "create-wallet-on-chain");
    await runInDurableObject(env.WORKFLOW_USER.getByName(walletIdOf("fred")), (_, { storage }) => {
      storage.sql.exec("UPDATE known_wallet SET address = ?", `0x${"7".repeat(64)}`);
    });
    expect(await ask("fred", flow)).toEqual(made);
  });
});

shortTest(
  "a refusal to sign names the user's wallet once their session has opened it, and never a stranger's",
  async () => {
    const transaction = toBase64(
      wrapKind(
        await new Transaction().build({ onlyTransactionKind: true }),
        `0x${"5".repeat(64)}`,
        { owner: `0x${"5".repeat(64)}`, payment: [], priceMist: 1_000n, budgetMist: 5_000_000n },
        { kind: "epoch", epoch: 1n },
      ),
    );
    const refusalOf = async (user: string) => {
      const headers = { authorization: `Bearer ${CALLER_SECRET}`, "x-user-id": user };
      const body = JSON.stringify({ chain: "sui", transaction });
      const url = "https://app.example.com/flows/sign-transaction";
      const init = { method: "POST", headers, body };
      const response = await worker.fetch(new Request(url, init), varsWith(), createExecutionContext());
      return { status: response.status, text: await response.text() };
    };
    const { body } = await ask("iris", "create-wallet-on-chain");
    expect(await refusalOf("iris")).toEqual({ status: 400, text: expect.stringContaining(body.address ?? "none") });
    const stranger = await newKey(projectId);
    const theirs = await call(stranger, "svc_wal_createWallet", [
      walletIdOf("jane"),
      await newSession(stranger, OTHER_SECRET),
    ]);
    const refusal = await refusalOf("jane");
    expect(refusal).toEqual({ status: 503, text: expect.stringContaining("not_configured") });
    expect(refusal.text).not.toContain(String(theirs));
  },
);

/** An object that a session of another test has left awake would keep the next one without a call. */
function forgetAwakeObjects(): void {
  vi.spyOn(SessionHalves.prototype, "isKeptAlive").mockReturnValue(false);
}

shortTest("calls of one user that come together make one session", async () => {
  forgetAwakeObjects();
  const put = vi.spyOn(Session.prototype, "put");
  const vars = { KV: undefined };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask("gina", "create-wallet-on-chain", vars)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.address}`)).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 200 });
  expect(put).toHaveBeenCalledTimes(1);
});

shortTest("a session that could not be made is tried again by the next call", async () => {
  forgetAwakeObjects();
  vi.spyOn(Session.prototype, "put").mockRejectedValueOnce(new Error("down"));
  const vars = { KV: undefined };
  expect((await ask("hans", "create-wallet-on-chain", vars)).status).toBe(503);
  expect((await ask("hans", "create-wallet-on-chain", vars)).status).toBe(200);
});
