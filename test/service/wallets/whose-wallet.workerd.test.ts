import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, vi } from "vitest";
import { parseAccessKey } from "../../../shared/access/key-format.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { isStored } from "../../../shared/durable/migrations.ts";
import { Project } from "../../../shared/project/object.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { type WalletApi, walletApis } from "../../support/wallet-api.ts";
import {
  admin,
  call,
  newKey,
  newProject,
  newSession,
  OTHER_SECRET,
  refusal,
  SECRET,
  walletExists,
} from "../../support/wallets.ts";

const bindings: Env = env;
const wrongSecret = refusal(-32602, "wrong_secret");
const corrupt = refusal(-32603, "corrupt_record");

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function walletOf(projectId: string, chain: "sui" | "aptos" = "sui", walletId = "user-1") {
  return env.WALLET.getByName(walletName({ projectId, chain, walletId }));
}

/** As a disk that has lost the files of one object, or a backup that was made without them. */
async function lose(wallet: ReturnType<typeof walletOf>): Promise<void> {
  await runInDurableObject(wallet, (_, { storage }) => storage.deleteAll());
  await evictDurableObject(wallet);
}

async function app(api: WalletApi = walletApis.sui) {
  const projectId = await newProject();
  const key = await newKey(projectId, api.network);
  const address = await api.create(key, "user-1", await api.session(key));
  return { projectId, key, address };
}

describe.each(Object.entries(walletApis))("on %s", (chain, api) => {
  const walletIn = (projectId: string) => walletOf(projectId, chain === "sui" ? "sui" : "aptos");

  shortTest("an id that somebody else took under another secret does not pass for one's own", async () => {
    const { projectId, address } = await app(api);
    const owner = await newKey(projectId, api.network);
    const session = await api.session(owner, OTHER_SECRET);
    expect(await api.create(owner, "user-1", session)).toMatchObject(wrongSecret);
    // It counts as one: four more, and the next is told to wait.
    for (let times = 1; times < 5; times += 1)
      expect(await api.create(owner, "user-1", session)).toMatchObject(wrongSecret);
    expect(await api.create(owner, "user-1", session)).toMatchObject(refusal(-32010, "rate_limited"));
    expect(await api.get(owner, "user-1")).toBe(address);
  });

  longTest("an import on an id of another secret is told so, and counts as a wrong secret", async () => {
    const { projectId, key, address } = await app(api);
    await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
    const moved = await api.export(key, "user-1", await api.session(key));
    const stranger = await newKey(projectId, api.network);
    for (let times = 0; times < 5; times += 1)
      expect(await api.import(stranger, "user-1", [OTHER_SECRET, moved])).toMatchObject(wrongSecret);
    expect(await api.import(stranger, "user-1", [OTHER_SECRET, moved])).toMatchObject(refusal(-32010, "rate_limited"));
    expect(await api.import(stranger, "user-1", [SECRET, moved])).toEqual(walletExists);
    expect(await api.get(key, "user-1")).toBe(address);
  });

  longTest(
    "imports of one id at once, under two secrets, make one wallet and tell the others whose it is",
    async () => {
      const { projectId, key } = await app(api);
      await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
      const [mine, theirs] = [await api.session(key), await api.session(key, OTHER_SECRET)];
      await api.create(key, "theirs", theirs);
      const exports = [await api.export(key, "user-1", mine), await api.export(key, "theirs", theirs)] as const;
      const ofMine = () => api.import(key, "user-2", [SECRET, exports[0]]);
      const ofTheirs = () => api.import(key, "user-2", [OTHER_SECRET, exports[1]]);
      const answers = await Promise.all([ofMine(), ofTheirs(), ofMine(), ofTheirs()]);
      const by = [SECRET, OTHER_SECRET, SECRET, OTHER_SECRET];
      const winner = by[answers.findIndex((answer) => typeof answer === "string")];
      expect(answers.filter((answer) => typeof answer === "string")).toHaveLength(1);
      for (const [index, answer] of answers.entries()) {
        if (typeof answer === "string") continue;
        if (by[index] === winner) expect(answer).toEqual(walletExists);
        else expect(answer).toMatchObject(wrongSecret);
      }
    },
  );

  longTest("a wallet whose record is lost is a corrupt record, and never another key", async () => {
    const { projectId, key, address } = await app(api);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    await lose(walletIn(projectId));
    for (let times = 0; times < 2; times += 1) {
      expect(await api.create(key, "user-1", await api.session(key))).toMatchObject(corrupt);
      expect(await api.get(key, "user-1")).toMatchObject(corrupt);
    }
    expect(log.mock.calls.filter(([line]) => String(line).includes("wallet.corrupt_record"))).toHaveLength(4);
    const { items } = (await admin("GET", `/projects/${projectId}/wallets`)) as { items: { address: string }[] };
    expect(items.map((row) => row.address)).toEqual([address]);
    expect(await runInDurableObject(walletIn(projectId), (_, { storage }) => isStored(storage))).toBe(false);
  });
});

shortTest("a record with another address than the one that was handed out signs nothing and shows none", async () => {
  const { projectId, key } = await app();
  const handedOut = `0x${"7".repeat(64)}`;
  await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
    storage.sql.exec("UPDATE wallet SET address = ?", handedOut);
  });
  // As it was before a wallet knew that its project has listed it.
  await runInDurableObject(walletOf(projectId), (_, { storage }) => {
    storage.sql.exec("UPDATE wallet SET is_listed = 0");
  });
  await evictDurableObject(walletOf(projectId));
  const token = await newSession(key);
  for (const [method, params] of [
    ["svc_wal_getWallet", ["user-1"]],
    ["svc_wal_createWallet", ["user-1", token]],
    ["svc_wal_signTransaction", ["user-1", token, "AAAA"]],
  ] as const)
    expect(await call(key, method, params)).toMatchObject(corrupt);
});

longTest("no address is shown before the project has listed it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const projectId = await newProject();
  const key = await newKey(projectId);
  const token = await newSession(key);
  const down = vi.spyOn(Project.prototype, "confirmWallet").mockRejectedValue(new Error("down"));
  const busy = refusal(-32016, "overloaded");
  expect(await call(key, "svc_wal_createWallet", ["user-1", token])).toMatchObject(busy);
  expect(await call(key, "svc_wal_getWallet", ["user-1"])).toMatchObject(busy);
  down.mockRestore();
  vi.setSystemTime(Date.now() + 15_000);
  await runDurableObjectAlarm(walletOf(projectId));
  const { items } = (await admin("GET", `/projects/${projectId}/wallets`)) as { items: { address: string }[] };
  expect(items).toHaveLength(1);
  expect(await call(key, "svc_wal_getWallet", ["user-1"])).toBe(items[0]?.address);
});

longTest("an export brings a lost wallet back, and another wallet's does not take its place", async () => {
  const { projectId, key, address } = await app();
  await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
  const token = await newSession(key);
  await call(key, "svc_wal_createWallet", ["user-2", token]);
  const own = await call(key, "svc_wal_exportWallet", ["user-1", token]);
  const other = await call(key, "svc_wal_exportWallet", ["user-2", token]);
  await lose(walletOf(projectId));
  const patient = await newKey(projectId);
  expect(await call(patient, "svc_wal_importWallet", ["user-1", SECRET, other])).toMatchObject(corrupt);
  expect(await call(patient, "svc_wal_importWallet", ["user-1", SECRET, own])).toBe(address);
  expect(await call(key, "svc_wal_signTransaction", ["user-1", token, "AAAA"])).not.toMatchObject(corrupt);
});

longTest("after 300 wrong secrets of one key the owner is refused by no key, that one included", async () => {
  const { projectId, key } = await app();
  const [owner, right] = [await newKey(projectId), await newSession(key)];
  const sign = (by: string, token: string) => call(by, "svc_wal_signTransaction", ["user-1", token, "AAAA"]);
  const expected = await sign(key, right);
  expect(expected).not.toMatchObject({ data: { reason: expect.stringMatching(/^(wrong_secret|rate_limited)$/) } });
  const wallet = { projectId, chain: "sui", walletId: "user-1" } as const;
  const keyId = parseAccessKey(key)?.keyId ?? "";
  for (let times = 1; times <= 300; times += 1) {
    const secret = { derivation: "hkdf", bytes: Uint8Array.from({ length: 32 }, () => times % 256) } as const;
    const guessed = await bindings.WALLET.getByName(walletName(wallet)).verifySecret({ wallet, secret, keyId });
    expect(guessed).toMatchObject({ error: { reason: expect.stringMatching(/^(wrong_secret|rate_limited)$/) } });
    if (times % 60 === 0) for (const by of [key, owner]) expect(await sign(by, right)).toEqual(expected);
  }
  for (const by of [key, owner]) expect(await sign(by, await newSession(by))).toEqual(expected);
});

longTest("wrong secrets of one key slow no other: its first one is told as a wrong secret", async () => {
  const { projectId, key } = await app();
  const other = await newKey(projectId);
  const wallet = { projectId, chain: "sui", walletId: "user-1" } as const;
  const reasonOf = async (by: string) => {
    const secret = { derivation: "hkdf", bytes: new Uint8Array(32).fill(7) } as const;
    const keyId = parseAccessKey(by)?.keyId ?? "";
    const opened = await bindings.WALLET.getByName(walletName(wallet)).verifySecret({ wallet, secret, keyId });
    return opened.ok ? "opened" : opened.error.reason;
  };
  let reason: string = "wrong_secret";
  for (let tries = 0; tries < 40 && reason === "wrong_secret"; tries++) reason = await reasonOf(key);
  expect(reason).toBe("rate_limited");
  expect(await reasonOf(other)).toBe("wrong_secret");
});
