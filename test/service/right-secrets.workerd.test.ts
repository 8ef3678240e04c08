import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { randomBytes } from "node:crypto";
import { describe, expect, vi } from "vitest";
import * as z from "zod";
import worker from "../../functions/index.ts";
import { commonReasons } from "../../shared/api/contract.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import type { SecretCheck } from "../../shared/crypto/key-check.ts";
import { mayBeSealed, withRightKeys } from "../../shared/directory/right-secrets.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { Wallet } from "../../shared/wallet/object.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { call, newKey, newProject, newSession, refusal, SECRET } from "../support/wallets.ts";

const bindings: Env = env;
const { adminToken } = serviceSecrets(createDeps(env));
const directory = () => bindings.DIRECTORY.getByName(DIRECTORY_NAME);

/** The tests' own master keys, and one more: the isolate remembers a value that was right, so each is used once. */
const { MASTER_KEYS } = z.object({ MASTER_KEYS: z.string() }).parse(env);
const withVersion9 = () => ({ MASTER_KEYS: `${MASTER_KEYS},9:${randomBytes(32).toString("base64")}` });

async function ask(method: string, path: string, vars: object, body?: object) {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const url = `https://gasworks.test${path}`;
  const response = await worker.fetch(new Request(url, init), { ...env, ...vars }, createExecutionContext());
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

function rpc(key: string, vars: object, method: string, params: readonly unknown[]) {
  return ask("POST", `/wallet/v1/${key}`, vars, { jsonrpc: "2.0", id: 1, method, params });
}

describe("with another master key under a version that was used before", () => {
  async function exchanged() {
    const projectId = await newProject();
    const key = await newKey(projectId);
    const right = withVersion9();
    expect(await ask("GET", "/health", right)).toEqual({ status: 200, body: { status: "ok" } });
    return { projectId, key, right, wrong: withVersion9() };
  }

  shortTest("health and the operator's API say which version it is", async () => {
    const { right, wrong } = await exchanged();
    expect(await ask("GET", "/health", wrong)).toMatchObject({
      status: 503,
      body: { status: "wrong_secrets", detail: expect.stringMatching(/^MASTER_KEYS version 9: /) },
    });
    const named = [{ secret: "MASTER_KEYS", version: 9 }];
    expect(await ask("GET", "/admin/v1/master-key", wrong)).toMatchObject({ status: 200, body: { wrong: named } });
    expect(await ask("GET", "/admin/v1/master-key", right)).toMatchObject({ status: 200, body: { wrong: [] } });
  });

  shortTest("every call is refused, and every order that would seal", async () => {
    const { projectId, key, right, wrong } = await exchanged();
    const refused = refusal(-32603, "wrong_master_key", { details: expect.stringMatching(/^MASTER_KEYS version 9: /) });
    for (const [method, params] of [
      ["svc_key_createSession", [SECRET]],
      ["svc_wal_getWallet", ["user-1"]],
    ] as const)
      expect(await rpc(key, wrong, method, params)).toMatchObject({ status: 200, body: { error: refused } });
    expect(commonReasons, "so the document of each method names it").toContain(refused.data.reason);
    for (const [path, body] of [
      [`/projects/${projectId}/funds`, { name: "gas", network: "SUI_LOCALNET" }],
      [`/projects/${projectId}/keys`, { name: "key", network: "SUI_LOCALNET", rights: ["node"] }],
      [`/projects/${projectId}/webhooks`, { url: "https://hooks.example.com/", events: ["wallet.created"] }],
      ["/master-key/rewrap", undefined],
    ] as const)
      expect(await ask("POST", `/admin/v1${path}`, wrong, body), path).toMatchObject({ status: 503 });
    expect(await ask("POST", `/admin/v1/projects/${projectId}/revoke-sessions`, wrong)).toMatchObject({ status: 200 });
    expect(await rpc(key, right, "svc_wal_getWallet", ["user-1"])).toMatchObject({
      body: { error: refusal(-32602, "unknown_wallet") },
    });
  });
});

longTest("right secrets are compared once in an isolate, and not at each call", async () => {
  const key = await newKey(await newProject());
  const right = withVersion9();
  const asked = vi.fn();
  const DIRECTORY = {
    getByName(name: string) {
      asked();
      return bindings.DIRECTORY.getByName(name);
    },
  };
  for (let times = 0; times < 5; times += 1) await rpc(key, { ...right, DIRECTORY }, "svc_wal_getWallet", ["user-1"]);
  expect(asked).toHaveBeenCalledTimes(1);
});

describe("for state from before check values were kept", () => {
  const version = serviceSecrets(createDeps(env)).masterKeys.current;
  const master = (value: string) => ({ secret: "MASTER_KEYS", version, value }) as const;
  const pepper = (value: string) => ({ secret: "KEY_PEPPERS", version, value }) as const;
  const flows = (value: string) => ({ secret: "FLOWS_SECRET", version: 1, value }) as const;
  const named = [{ secret: "MASTER_KEYS", version }];
  const right = { wrong: [], undecided: [] };
  const compare = (...checks: readonly SecretCheck[]) => directory().compareSecrets(checks);

  /** Without what an earlier proof has found. */
  async function forget() {
    const stub = env.DIRECTORY.getByName(DIRECTORY_NAME);
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("DELETE FROM secret_check");
    });
    await evictDurableObject(stub);
  }

  async function withWallets(...ids: readonly string[]) {
    const projectId = await newProject();
    const key = await newKey(projectId);
    const session = await newSession(key);
    for (const id of ids) await call(key, "svc_wal_createWallet", [id, session]);
    await forget();
    const stubs = ids.map((walletId) => env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId })));
    return { projectId, key, stubs };
  }

  /** As under another key: the record does not authenticate. A second time it is as it was. */
  async function flip(wallet: DurableObjectStub<Wallet>) {
    await runInDurableObject(wallet, (_, { storage }) => {
      const { record } = storage.sql.exec<{ record: ArrayBuffer }>("SELECT record FROM wallet").one();
      const bytes = new Uint8Array(record);
      storage.sql.exec("UPDATE wallet SET record = ?", bytes.with(100, 255 - (bytes[100] ?? 0)));
    });
    await evictDurableObject(wallet);
  }

  shortTest("a master key that opens what was sealed is written down", async () => {
    await withWallets("user-1");
    expect(await compare(master("first"))).toEqual(right);
    expect(await compare(master("second"))).toEqual({ wrong: named, undecided: [] });
  });

  longTest(
    "beside a master key that opens nothing no secret is written down, and the right ones still count",
    async () => {
      const { stubs } = await withWallets("user-1", "user-2", "user-3");
      for (const stub of stubs) await flip(stub);
      expect(await compare(master("bad"), pepper("bad"), flows("bad"))).toMatchObject({ wrong: named });
      expect(await directory().secretChecks()).toEqual([]);
      for (const stub of stubs) await flip(stub);
      await forget();
      const checks = [master("good"), pepper("good"), flows("good")];
      expect(await compare(...checks)).toEqual(right);
      expect(await compare(...checks)).toEqual(right);
    },
  );

  longTest("a secret that comes without the master keys of this service is not written down", async () => {
    await withWallets("user-1");
    expect(await compare(flows("bad"))).toEqual({ wrong: [], undecided: [{ secret: "FLOWS_SECRET", version: 1 }] });
    expect(await compare(master("good"), flows("good"))).toEqual(right);
  });

  shortTest("damaged records say nothing about a master key that opens another one", async () => {
    const { key, stubs } = await withWallets("user-1", "user-2", "user-3", "user-4");
    for (const stub of stubs.slice(0, 3)) await flip(stub);
    expect(await rpc(key, withVersion9(), "svc_wal_getWallet", ["user-1"])).toMatchObject({
      body: { error: refusal(-32603, "corrupt_record") },
    });
    await forget();
    expect(await compare(master("first"))).toEqual(right);
  });

  longTest("where the only record is damaged the proof ends undecided, and nothing new is sealed", async () => {
    const { stubs } = await withWallets("user-1");
    for (const stub of stubs) await flip(stub);
    expect(await compare(master("first"))).toEqual({ wrong: [], undecided: named });
    expect(await directory().secretChecks()).toEqual([]);
    const deps = createDeps({ ...env, MASTER_KEYS: `${version}:${randomBytes(32).toString("base64")}` });
    expect(await mayBeSealed(bindings, deps)).toMatchObject({ ok: false, error: { reason: "wrong_master_key" } });
    expect(await withRightKeys(bindings, deps)).toMatchObject({ ok: true });
  });

  longTest("a wallet that is opened for the proof asks nobody whether the key is right", async () => {
    const { stubs } = await withWallets("user-1");
    const DIRECTORY = {
      getByName() {
        throw new Error("the proof has come back to where it began");
      },
    };
    for (const stub of stubs)
      await runInDurableObject(stub, async (_, state) => {
        const keys = { MASTER_KEYS: `${version}:${randomBytes(32).toString("base64")}`, DIRECTORY };
        const underWrongKey = new Wallet(state, Object.assign({ ...bindings }, keys));
        expect(await underWrongKey.opensUnder(version)).toBe(false);
      });
  });

  longTest("a fund that has never said its version is asked, too", async () => {
    const { projectId, stubs } = await withWallets("user-1", "user-2", "user-3");
    await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
      storage.sql.exec("UPDATE sealed SET master_key_version = 0");
    });
    for (const stub of stubs) await flip(stub);
    expect(await compare(master("first"))).toEqual({ wrong: named, undecided: [] });
  });
});
