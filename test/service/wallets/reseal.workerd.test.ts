import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, vi } from "vitest";
import * as z from "zod";
import { createDeps, serviceMasterKeys } from "../../../shared/bindings/deps.ts";
import { equalBytes } from "../../../shared/bytes.ts";
import { type WalletRef, walletName } from "../../../shared/wallet/context.ts";
import { resealWallet } from "../../../shared/wallet/record.ts";
import { expectDone, randomBytes } from "../../support/custody.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { admin, call, newKey, newProject, newSession, refusal } from "../../support/wallets.ts";

const masterKeys = serviceMasterKeys(createDeps(env));
const older = { ...masterKeys, current: 1 };

afterEach(() => {
  vi.restoreAllMocks();
});

const rowSchema = z.object({ public_key: z.instanceof(ArrayBuffer), record: z.instanceof(ArrayBuffer) });

/** What the wallet's object has on disk. */
function stored(ref: WalletRef): Promise<{ publicKey: Uint8Array; record: Uint8Array }> {
  return runInDurableObject(env.WALLET.getByName(walletName(ref)), (_, { storage }) => {
    const row = rowSchema.parse(storage.sql.exec("SELECT public_key, record FROM wallet").one());
    return { publicKey: new Uint8Array(row.public_key), record: new Uint8Array(row.record) };
  });
}

/** On disk, from where the wallet's object reads it again. */
async function store(ref: WalletRef, record: Uint8Array): Promise<void> {
  const stub = env.WALLET.getByName(walletName(ref));
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE wallet SET record = ?", record);
  });
  await evictDurableObject(stub);
}

/** A project with wallets that were made while version 1 was the current one. */
async function oldWallets(count: number) {
  const projectId = await newProject();
  const key = await newKey(projectId);
  const token = await newSession(key);
  const addresses = new Map<string, unknown>();
  const refs: WalletRef[] = [];
  for (let index = 0; index < count; index += 1) {
    const walletId = `user-${index}`;
    const ref = { projectId, chain: "sui", walletId } as const;
    addresses.set(walletId, await call(key, "svc_wal_createWallet", [walletId, token]));
    await store(ref, expectDone(await resealWallet(await stored(ref), ref, older, randomBytes)));
    refs.push(ref);
  }
  const project = env.PROJECT.getByName(projectId);
  await runInDurableObject(project, (_, { storage }) => {
    storage.sql.exec("UPDATE sealed SET master_key_version = 1");
  });
  return { key, token, addresses, refs, project };
}

const progress = () => admin("GET", "/master-key");
const rewrap = () => admin("POST", "/master-key/rewrap");
const idle = {
  current: masterKeys.current,
  remaining: 0,
  failing: 0,
  unopenable: 0,
  wrong: [],
  undecided: [],
  checks: expect.any(Array),
};

shortTest("a re-seal begins when it is asked for, goes on by itself, and ends", async () => {
  const { key, addresses, project } = await oldWallets(25);
  await runDurableObjectAlarm(project);
  expect(await progress()).toEqual({ ...idle, remaining: 25 });
  // Its alarm may have done some of them before this is answered.
  expect(await rewrap()).toEqual({ ...idle, remaining: expect.any(Number) });
  await vi.waitFor(async () => expect(await progress()).toEqual(idle), 30_000);
  for (const [walletId, address] of addresses) expect(await call(key, "svc_wal_getWallet", [walletId])).toBe(address);
  expect(await runDurableObjectAlarm(project), "nothing is left to do").toBe(false);
});

longTest(
  "a record that does not open is left as it is, holds up no other, and is tried again later and when asked",
  async () => {
    const log = vi.spyOn(console, "log");
    const { key, addresses, refs, project } = await oldWallets(3);
    const [broken, ...whole] = refs;
    if (broken === undefined) throw new Error("no wallet");
    const good = (await stored(broken)).record;
    const bad = good.with(100, (good[100] ?? 0) ^ 1);
    await store(broken, bad);
    await rewrap();
    await vi.waitFor(async () => expect(await progress()).toEqual({ ...idle, remaining: 1, failing: 1 }), 30_000);
    expect(log.mock.calls.flat().join("\n")).toContain(`"project.reseal_failed","object":"${walletName(broken)}"`);
    expect(equalBytes((await stored(broken)).record, bad)).toBe(true);
    expect(await call(key, "svc_wal_getWallet", [broken.walletId])).toMatchObject(refusal(-32603, "corrupt_record"));
    for (const { walletId } of whole)
      expect(await call(key, "svc_wal_getWallet", [walletId])).toBe(addresses.get(walletId));
    const dueInMs = await runInDurableObject(project, (_, { storage }) =>
      Number(storage.sql.exec("SELECT at_ms - ? AS ms FROM due WHERE kind = 'reseal'", Date.now()).one().ms),
    );
    expect(dueInMs).toBeGreaterThan(10_000);

    await store(broken, good);
    await rewrap();
    await vi.waitFor(async () => expect(await progress()).toEqual(idle), 30_000);
    expect(await call(key, "svc_wal_getWallet", [broken.walletId])).toBe(addresses.get(broken.walletId));
  },
);

shortTest("a repeat changes no record and writes no row of the audit log", async () => {
  const { refs, project } = await oldWallets(2);
  await Promise.all(
    refs.map(({ walletId, ...ref }) => env.WALLET.getByName(walletName({ ...ref, walletId })).reseal()),
  );
  const before = await Promise.all(refs.map(stored));
  for (const { record } of before) expect(record[6]).toBe(masterKeys.current);
  await rewrap();
  await vi.waitFor(async () => expect(await progress()).toEqual(idle), 30_000);
  const audited = async () =>
    (await project.audit({ limit: 100, cursor: null }))?.items.filter(({ action }) => action === "master_key.rewrap");
  expect(await audited()).toHaveLength(1);
  await rewrap();
  expect(await audited()).toHaveLength(1);
  expect(await Promise.all(refs.map(stored))).toEqual(before);
});

longTest("10 re-seals of one wallet at once leave a record that opens", async () => {
  const { key, token, addresses, refs } = await oldWallets(1);
  const [ref] = refs;
  if (ref === undefined) throw new Error("no wallet");
  const stub = env.WALLET.getByName(walletName(ref));
  const signed = call(key, "svc_wal_signTransaction", [ref.walletId, token, "AAAA"]);
  const ends = await Promise.all(Array.from({ length: 10 }, () => stub.reseal()));
  expect(ends).toEqual(Array(10).fill({ ok: true, value: masterKeys.current }));
  expect(await signed).toEqual(expect.any(String));
  expect((await stored(ref)).record[6]).toBe(masterKeys.current);
  expect(await call(key, "svc_wal_getWallet", [ref.walletId])).toBe(addresses.get(ref.walletId));
});

longTest("a wallet that is made while an older version is current in its object counts as under that one", async () => {
  const { project } = await oldWallets(0);
  const projectId = project.name ?? "";
  const ref = { projectId, chain: "sui", walletId: "late" } as const;
  const entry = { name: walletName(ref), chain: ref.chain, walletId: ref.walletId };
  for (const version of [masterKeys.current, 1, masterKeys.current])
    expect(await project.admitWallet(entry, { masterKeyVersion: version, scope: null, address: null })).toMatchObject({
      ok: true,
    });
  expect(await progress()).toEqual({ ...idle, remaining: 1 });
});
