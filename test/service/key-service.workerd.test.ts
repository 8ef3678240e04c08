import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { MasterKeyProofs } from "../../shared/directory/master-key-proofs.ts";
import { KEY_SERVICE_FAILED } from "../../shared/errors.ts";
import { Fund } from "../../shared/fund/object.ts";
import { Project } from "../../shared/project/object.ts";
import { Departure } from "../../shared/project/transfer/departure.ts";
import { mayHaveSubmitted, refusalOfFault } from "../../shared/rpc/faults.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { Wallet } from "../../shared/wallet/object.ts";
import { draftOf, newUser, signDraft } from "../support/aptos-chain.ts";
import {
  aptosStatesOf,
  aptosWithdrawals,
  executed,
  inputOf,
  newAptosFund,
  useStoppedAptosClock,
} from "../support/aptos-fund.ts";
import { newRecipient, request } from "../support/aptos-withdrawals.ts";
import { randomBytes, randomSecret } from "../support/custody.ts";
import { Browser, dashboardApp, ORIGIN } from "../support/dashboard.ts";
import { expectExactBooks, statesOf } from "../support/fund-books.ts";
import { orderFault, SUBMIT } from "../support/sui-chain.ts";
import {
  bindings,
  KEY_ID,
  newFund,
  platformStub,
  prepare,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stub,
  user,
} from "../support/sui-fund.ts";
import { admin, call, newKey, newProject, newSession } from "../support/wallets.ts";

const ENDPOINT = "http://127.0.0.1:9";

/** The current version as a wrapped one of a key service that does not answer: as an isolate of its own would have it. */
function unreachable() {
  const { current } = serviceSecrets(createDeps(env)).masterKeys;
  const wrapped = btoa(String.fromCharCode(...randomBytes(60)));
  const arn = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
  return {
    ...bindings,
    MASTER_KEYS: `awskms:${arn},${current}:${wrapped}`,
    AWS_ACCESS_KEY_ID: "AKIAEXAMPLEEXAMPLE00",
    AWS_SECRET_ACCESS_KEY: "fictional",
    AWS_ENDPOINT_URL_KMS: ENDPOINT,
  };
}

const realFetch = globalThis.fetch;
useStoppedAptosClock();
beforeEach(() => {
  const spy = vi.spyOn(globalThis, "fetch");
  const before = spy.getMockImplementation() ?? realFetch;
  spy.mockImplementation((input, init) =>
    String(input).startsWith(ENDPOINT) ? Promise.reject(new TypeError("no connection")) : before(input, init),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

const refused = {
  ok: false,
  error: { reason: "key_service", details: expect.stringContaining("AWS KMS did not answer") },
};

/** Expects a fault after which the edge says that something may have been sent. */
async function expectUnknown(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.catch((fault: unknown) => fault);
  expect(String(error)).toContain(KEY_SERVICE_FAILED);
  expect([mayHaveSubmitted(error), refusalOfFault(error).reason]).toEqual([true, "internal"]);
}

describe("a fund whose isolate does not reach the key service", () => {
  test("refuses before it reserves or approves anything, and serves the same calls once it is reached", async () => {
    const fund = await newFund(3n * SUI_MIST, 9_000_000n, 9_000_000n);
    const [signed, prepared] = [await sponsor(fund, "signed"), await prepare(fund, "prepared")];
    const before = await stub(fund).view();
    const input = await sponsorInput("refused");
    const executing = async ({ txBytes, digest }: typeof prepared) => ({
      digest,
      senderSignature: (await user.signTransaction(txBytes)).signature,
      waitForLocalExecution: false,
      idempotency: null,
    });
    await runInDurableObject(platformStub(fund), async (_, state) => {
      const cut = new Fund(state, unreachable());
      expect(await cut.sponsor(input)).toMatchObject(refused);
      expect(await cut.prepare(input)).toMatchObject(refused);
      expect(await cut.execute(await executing(prepared))).toMatchObject(refused);
      // It may have been sent before. A refusal would deny that.
      await expectUnknown(cut.execute(await executing(signed)));
      const idempotency = { scope: "withdraw", fingerprint: "f" };
      const withdrawal = { to: `0x${"7".repeat(64)}`, amountAtoms: 1_000n, from: "available", idempotency } as const;
      expect(await cut.withdraw(withdrawal)).toMatchObject(refused);
      await expect(cut.reseal()).rejects.toThrow(KEY_SERVICE_FAILED);
      const { current } = serviceSecrets(createDeps(env)).masterKeys;
      await expect(cut.opensUnder(current)).rejects.toThrow(KEY_SERVICE_FAILED);
    });
    expect(await statesOf(fund, [signed, prepared])).toEqual(["signed", "prepared"]);
    expect(await stub(fund).view()).toEqual(before);
    await expectExactBooks(fund);
    expect(await stub(fund).sponsor(input)).toMatchObject({ ok: true });
    expect(await stub(fund).execute(await executing(prepared))).toMatchObject({ ok: true });
  });
});

test("a repeat of a withdrawal that may have been sent is answered with its digest, and sent later", async () => {
  const fund = await newFund(3n * SUI_MIST, 9_000_000n, 9_000_000n);
  const idempotency = { scope: "admin withdraw once", fingerprint: "f" };
  const withdrawal = { to: `0x${"7".repeat(64)}`, amountAtoms: 1_000n, from: "available", idempotency } as const;
  await orderFault(SUBMIT, "unavailable_before_commit");
  const first = await stub(fund).withdraw(withdrawal);
  expect(first).toMatchObject({ ok: true, value: { state: "pending" } });
  await runInDurableObject(platformStub(fund), async (_, state) => {
    expect(await new Fund(state, unreachable()).withdraw(withdrawal)).toEqual(first);
  });
  expect(await stub(fund).withdraw(withdrawal)).toMatchObject({ ok: true, value: { state: "complete" } });
});

test("a fund on Aptos neither reserves, but leaves open what may have been sent", async () => {
  const fund = await newAptosFund();
  const sent = draftOf(newUser());
  const hash = await executed(fund, sent);
  const next = draftOf(newUser());
  const before = await stub(fund).view();
  const executing = (draft: typeof sent) => ({ ...inputOf(draft), ...signDraft(draft, fund.address) });
  await runInDurableObject(platformStub(fund), async (_, state) => {
    const cut = new Fund(state, unreachable());
    expect(await cut.aptosSponsor(inputOf(next))).toMatchObject(refused);
    expect(await cut.aptosExecute(executing(next))).toMatchObject(refused);
    await expectUnknown(cut.aptosExecute(executing(sent)));
    expect(await cut.withdraw(request(newRecipient()))).toMatchObject(refused);
  });
  expect(await aptosStatesOf(fund)).toEqual(["signed"]);
  expect(await aptosWithdrawals(fund)).toEqual([]);
  expect(await stub(fund).view()).toEqual(before);
  expect(await executed(fund, sent), "the same bytes").toBe(hash);
  expect(await stub(fund).aptosExecute(executing(next))).toMatchObject({ ok: true });
});

describe("a wallet whose isolate does not reach the key service", () => {
  test("opens, signs, makes and re-seals nothing, and no record is taken for damaged", async () => {
    const projectId = await newProject();
    const key = await newKey(projectId);
    const address = await call(key, "svc_wal_createWallet", ["ada", await newSession(key)]);
    const wallet = { projectId, chain: "sui", walletId: "ada" } as const;
    const other = { ...wallet, walletId: "bob" };
    const ada = env.WALLET.getByName(walletName(wallet));
    const input = () => ({ wallet, secret: randomSecret(), keyId: KEY_ID, idempotency: null });
    await runInDurableObject(ada, async (_, state) => {
      const cut = new Wallet(state, unreachable());
      expect(await cut.address(wallet)).toMatchObject(refused);
      expect(await cut.sign({ ...input(), message: randomBytes(8) })).toMatchObject(refused);
      expect(await cut.create(input()), "not even a wrong secret is known").toMatchObject(refused);
      expect(await cut.reseal()).toMatchObject(refused);
      const { current } = serviceSecrets(createDeps(env)).masterKeys;
      await expect(cut.opensUnder(current)).rejects.toThrow(KEY_SERVICE_FAILED);
    });
    await runInDurableObject(env.WALLET.getByName(walletName(other)), async (_, state) => {
      const cut = new Wallet(state, unreachable());
      expect(await cut.create({ ...input(), wallet: other })).toMatchObject(refused);
      expect(await cut.address(other)).toMatchObject({ error: { reason: "unknown_wallet" } });
    });
    expect(await call(key, "svc_wal_getWallet", ["ada"])).toBe(address);
    expect(await admin("GET", `/projects/${projectId}/wallets`)).toMatchObject({ items: { length: 1 } });
  });

  test("stays due for its listing, which works once it is reached", async () => {
    const projectId = await newProject();
    const key = await newKey(projectId);
    const silent = vi.spyOn(Project.prototype, "confirmWallet").mockRejectedValue(new Error("it does not answer"));
    await call(key, "svc_wal_createWallet", ["ada", await newSession(key)]);
    silent.mockRestore();
    const ada = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "ada" }));
    const due = () => runInDurableObject(ada, (_, { storage }) => storage.sql.exec("SELECT kind FROM due").toArray());
    vi.setSystemTime(Date.now() + 20_000);
    await runInDurableObject(ada, (_, state) => new Wallet(state, unreachable()).alarm());
    expect(await due()).toEqual([{ kind: "confirm" }]);
    vi.setSystemTime(Date.now() + 60_000);
    await runDurableObjectAlarm(ada);
    expect(await due()).toEqual([]);
  });

  test("is no proof against a master key", async () => {
    const projectId = await newProject();
    const key = await newKey(projectId);
    await call(key, "svc_wal_createWallet", ["ada", await newSession(key)]);
    const { current } = serviceSecrets(createDeps(env)).masterKeys;
    await runInDurableObject(env.PROJECT.getByName(projectId), async (_, state) => {
      const WALLET = {
        getByName: () => ({
          // As the platform passes on an error of an object.
          opensUnder: () => Promise.reject(new Error(`${KEY_SERVICE_FAILED}: MASTER_KEYS version 1: unreachable`)),
        }),
      };
      const project = new Project(state, Object.assign({ ...bindings }, { WALLET }));
      await expect(project.proveMasterKey(current)).rejects.toThrow(KEY_SERVICE_FAILED);
      const PROJECT = { getByName: () => project };
      const everyProject = async function* () {
        yield projectId;
      };
      const proofs = new MasterKeyProofs(Object.assign({ ...bindings }, { PROJECT }), createDeps(env), everyProject);
      await expect(proofs.prove(current), "nor is it one for the directory").rejects.toThrow(KEY_SERVICE_FAILED);
    });
  });
});

test("a re-seal that the key service holds up counts as no failure, and goes on 15 s later", async () => {
  const { current } = serviceSecrets(createDeps(env)).masterKeys;
  const details = `${KEY_SERVICE_FAILED}: MASTER_KEYS version 1: unreachable`;
  let isReached = false;
  const asked = (otherwise: () => Promise<unknown>) => ({
    getByName: () => ({ reseal: () => (isReached ? Promise.resolve({ ok: true, value: current }) : otherwise()) }),
  });
  const WALLET = asked(() => Promise.resolve({ ok: false, error: { reason: "key_service", details } }));
  const FUND = asked(() => Promise.reject(new Error(details)));
  await runInDurableObject(env.PROJECT.getByName(await newProject()), async (_, state) => {
    const { sql } = state.storage;
    sql.exec("INSERT INTO sealed (name, kind, master_key_version, failures) VALUES ('f', 'fund', 1, 0)");
    sql.exec("INSERT INTO sealed (name, kind, master_key_version, failures) VALUES ('w', 'wallet', 1, 5)");
    sql.exec("INSERT INTO due (kind, reference, at_ms) VALUES ('reseal', '', 1)");
    const project = new Project(state, Object.assign({ ...bindings }, { WALLET, FUND }));
    const rows = () => sql.exec("SELECT master_key_version, failures, retry_at_ms FROM sealed").toArray();
    await project.alarm();
    const waiting = { master_key_version: 1, retry_at_ms: Date.now() + 15_000 };
    expect(rows()).toEqual([
      { ...waiting, failures: 0 },
      { ...waiting, failures: 5 },
    ]);
    isReached = true;
    vi.setSystemTime(Date.now() + 15_000);
    await project.alarm();
    const resealed = expect.objectContaining({ master_key_version: current, failures: 0 });
    expect(rows()).toEqual([resealed, resealed]);
  });
});

test("a copy that the key service holds up takes no cursor for a wrong one", async () => {
  const { current } = serviceSecrets(createDeps(env)).masterKeys;
  const terms = { transferId: "transfer", destination: "elsewhere", state: "closed", atMs: 0, nextFrame: 0 } as const;
  const copyOf = (vars: Env) => new Departure(vars, createDeps(vars), "prj_moved", terms);
  const cursor = Buffer.from([1, current, ...randomBytes(90)]).toString("base64url");
  expect(await copyOf(bindings).frame(cursor)).toMatchObject({ error: { reason: "bad_params" } });
  await expect(copyOf(unreachable()).frame(cursor)).rejects.toThrow(KEY_SERVICE_FAILED);
});

test("the dashboard ends no session while the key service is not reached, and says what to do", async () => {
  const { adminToken } = serviceSecrets(createDeps(env));
  const browser = await new Browser().logIn(adminToken);
  const leadsTo = async () => (await browser.get("/dashboard")).headers.get("location");
  const before = await leadsTo();
  expect(before).not.toContain("login");
  const cut = new Browser(dashboardApp({ ...createDeps(env), masterKeys: createDeps(unreachable()).masterKeys }));
  cut.cookie = browser.cookie;
  const page = await cut.get("/dashboard");
  expect(page.status).toBe(503);
  expect(await page.text()).toContain("AWS KMS did not answer");
  expect(page.headers.getSetCookie()).toEqual([]);
  expect(await leadsTo()).toBe(before);
});

test("a one-time link outlasts a log-in that the key service held up", async () => {
  const { adminToken } = serviceSecrets(createDeps(env));
  const headers = { authorization: `Bearer ${adminToken}` };
  const made = await dashboardApp().request(`${ORIGIN}/dashboard/link`, { method: "POST", headers }, env);
  const { path } = z.object({ path: z.string() }).parse(await made.json());
  const cut = new Browser(dashboardApp({ ...createDeps(env), masterKeys: createDeps(unreachable()).masterKeys }));
  const refused = await cut.post(path, {});
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("AWS KMS did not answer");
  expect((await new Browser().post(path, {})).status).toBe(303);
});
