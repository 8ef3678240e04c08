import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, vi } from "vitest";
import * as z from "zod";
import { Project } from "../../../shared/project/object.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { Wallet } from "../../../shared/wallet/object.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { admin, call, newKey, newProject, newSession, refusal, walletExists } from "../../support/wallets.ts";

/** A creation is admitted by its project, made by its wallet and confirmed to its project: see `ProjectWallets`. */
const PENDING_MS = 600_000;
const CONFIRM_RETRY_MS = 15_000;
/** Half an hour. */
const STEPS = 120;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pageSchema = z.object({ items: z.array(z.object({ walletId: z.string(), address: z.string() })) });

/** What the project's rows say: how many count, and which are shown. */
async function books(projectId: string) {
  const counted = await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM wallet").one().count),
  );
  const sealed = await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM sealed WHERE kind = 'wallet'").one().count),
  );
  const { items } = pageSchema.parse(await admin("GET", `/projects/${projectId}/wallets`));
  return { counted, sealed, shown: items.map(({ address }) => address) };
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** The next call of the method breaks off, before it has done anything or when all of it is on disk. */
function cutOff(prototype: object, method: string, when: "before" | "after"): void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method);
  if (descriptor === undefined) throw new Error(`no ${method}`);
  const original: Method = descriptor.value;
  Object.defineProperty(prototype, method, {
    ...descriptor,
    async value(this: object, ...args: unknown[]) {
      Object.defineProperty(prototype, method, descriptor);
      if (when === "after") await original.apply(this, args);
      throw new Error("cut off");
    },
  });
}

describe.each([
  ["before the project has counted it", Project.prototype, "admitWallet", "before", false],
  ["after the project has counted it", Project.prototype, "admitWallet", "after", false],
  ["after the wallet is stored", Project.prototype, "confirmWallet", "before", true],
  ["after the project has heard of it", Project.prototype, "confirmWallet", "after", true],
  ["after all of it, before the caller hears", Wallet.prototype, "create", "after", true],
] as const)("a creation that is cut off %s", (_, prototype, method, when, exists) => {
  async function cutOffCreation() {
    vi.useFakeTimers({ toFake: ["Date"] });
    const projectId = await newProject({ walletsPerMonth: 1 });
    const key = await newKey(projectId);
    const token = await newSession(key);
    const create = (walletId: string, session = token) => call(key, "svc_wal_createWallet", [walletId, session]);
    cutOff(prototype, method, when);
    await create("user-1");
    const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
    // What is left of it is what is on disk.
    await abortAllDurableObjects();
    return { projectId, key, create, wallet };
  }

  shortTest("counts as often as there is a wallet, once it has been asked", async () => {
    const { projectId, key, create, wallet } = await cutOffCreation();
    vi.setSystemTime(Date.now() + PENDING_MS);
    await runDurableObjectAlarm(env.PROJECT.getByName(projectId));
    await runDurableObjectAlarm(wallet);
    const address = await call(key, "svc_wal_getWallet", ["user-1"]);
    const { counted, sealed, shown } = await books(projectId);
    if (exists) {
      expect({ counted, sealed, shown }).toEqual({ counted: 1, sealed: 1, shown: [address] });
      expect(await create("user-2", await newSession(key))).toMatchObject(refusal(-32012, "quota_reached"));
    } else {
      expect(address).toMatchObject(refusal(-32602, "unknown_wallet"));
      expect({ counted, sealed, shown }).toEqual({ counted: 0, sealed: 0, shown: [] });
      expect(await create("user-2", await newSession(key))).toMatch(/^0x/);
    }
  });

  shortTest("is finished by a repeat, and counts once", async () => {
    const { projectId, key, create, wallet } = await cutOffCreation();
    const repeated = await create("user-1");
    if (exists) expect(repeated).toEqual(walletExists);
    const address = await call(key, "svc_wal_getWallet", ["user-1"]);
    if (!exists) expect(repeated).toBe(address);
    vi.setSystemTime(Date.now() + CONFIRM_RETRY_MS);
    await runDurableObjectAlarm(wallet);
    expect(await books(projectId)).toEqual({ counted: 1, sealed: 1, shown: [address] });
    vi.setSystemTime(Date.now() + PENDING_MS);
    await runDurableObjectAlarm(env.PROJECT.getByName(projectId));
    expect(await books(projectId)).toEqual({ counted: 1, sealed: 1, shown: [address] });
  });
});

longTest(
  "a wallet whose project does not answer for half an hour calls it ever less often, and then lists its address",
  async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const projectId = await newProject();
    const key = await newKey(projectId);
    const token = await newSession(key);
    const silent = vi.spyOn(Project.prototype, "confirmWallet").mockRejectedValue(new Error("moved"));
    expect(await call(key, "svc_wal_createWallet", ["user-1", token])).toMatchObject(refusal(-32016, "overloaded"));
    const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
    for (let step = 0; step < STEPS; step += 1) {
      vi.setSystemTime(Date.now() + CONFIRM_RETRY_MS);
      await runDurableObjectAlarm(wallet);
    }
    expect(silent.mock.calls.length).toBeGreaterThan(4);
    expect(silent.mock.calls.length).toBeLessThan(STEPS / 4);
    silent.mockRestore();
    vi.setSystemTime(Date.now() + 600_000);
    await runDurableObjectAlarm(wallet);
    expect((await books(projectId)).shown).toHaveLength(1);
  },
);

longTest("a creation that the project gives up while it is being made counts when it is done", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const projectId = await newProject();
  const key = await newKey(projectId);
  const token = await newSession(key);
  const original = Project.prototype.admitWallet;
  vi.spyOn(Project.prototype, "admitWallet").mockImplementationOnce(async function (this: Project, ...args) {
    const admitted = await original.apply(this, args);
    vi.setSystemTime(Date.now() + PENDING_MS);
    await this.alarm();
    return admitted;
  });
  const address = await call(key, "svc_wal_createWallet", ["user-1", token]);
  expect(await books(projectId)).toEqual({ counted: 1, sealed: 1, shown: [address] });
});

longTest("200 creations of one wallet at once: one address, counted once", async () => {
  const projectId = await newProject();
  const key = await newKey(projectId);
  const token = await newSession(key);
  const create = () => call(key, "svc_wal_createWallet", ["user-1", token]);
  const answers = await Promise.all(Array.from({ length: 200 }, create));
  const address = await call(key, "svc_wal_getWallet", ["user-1"]);
  expect(answers.filter((answer) => typeof answer === "string")).toEqual([address]);
  const refused = answers.filter((answer) => typeof answer !== "string");
  expect(refused).toHaveLength(199);
  for (const answer of refused) expect(answer).toEqual(walletExists);
  expect(await books(projectId)).toEqual({ counted: 1, sealed: 1, shown: [address] });
});
