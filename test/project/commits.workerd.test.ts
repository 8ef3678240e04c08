import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { Project } from "../../shared/project/object.ts";
import type { WalletEntry } from "../../shared/project/views.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { newProject } from "../support/wallets.ts";

const TERMS = { masterKeyVersion: 1, scope: null, address: null };
const CALLS = 20;

afterEach(() => {
  vi.restoreAllMocks();
});

function entryOf(projectId: string, index: number): WalletEntry {
  const ref = { projectId, chain: "sui", walletId: `user-${index}` } as const;
  return { name: walletName(ref), chain: ref.chain, walletId: ref.walletId };
}

/** Admits wallets at the same time, and counts the commits. A call that throws answers with its error's text. */
function admitAll(
  projectId: string,
  entries: readonly WalletEntry[],
  more: readonly [WalletEntry, typeof TERMS][] = [],
) {
  return runInDurableObject(env.PROJECT.getByName(projectId), async (project, { storage }) => {
    if (!(project instanceof Project)) throw new Error("not a project");
    const commits = vi.spyOn(storage, "transactionSync");
    const calls = [...entries.map((entry) => [entry, TERMS] as const), ...more];
    const answers = await Promise.all(calls.map((call) => project.admitWallet(...call).catch(String)));
    const { count } = storage.sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM wallet").one();
    return { answers, commits: commits.mock.calls.length, count, alarm: await storage.getAlarm() };
  });
}

function entries(projectId: string): readonly WalletEntry[] {
  return Array.from({ length: CALLS }, (_, index) => entryOf(projectId, index));
}

test("wallets that are admitted at the same time share one commit", async () => {
  const projectId = await newProject();
  const { answers, commits, count } = await admitAll(projectId, entries(projectId));
  expect(answers).toEqual(Array.from({ length: CALLS }, () => ({ ok: true, value: null })));
  expect({ commits, count }).toEqual({ commits: 1, count: CALLS });
});

test("wallets that are admitted at the same time never exceed the month's limit", async () => {
  const projectId = await newProject({ walletsPerMonth: 7 });
  const { answers, count } = await admitAll(projectId, entries(projectId));
  const refused = { ok: false, error: { reason: "quota_reached" } };
  expect(answers).toMatchObject(Array.from({ length: CALLS }, (_, index) => (index < 7 ? { ok: true } : refused)));
  expect(count).toBe(7);
});

test("a wallet whose row the store refuses fails alone, and the others keep their alarm", async () => {
  const projectId = await newProject();
  // The column takes whole numbers.
  const unstorable = { ...TERMS, masterKeyVersion: 0.5 };
  const { answers, count, alarm } = await admitAll(projectId, entries(projectId), [
    [entryOf(projectId, CALLS), unstorable],
  ]);
  expect(answers.at(-1)).toMatch(/cannot store REAL/);
  expect(answers.slice(0, -1)).toEqual(Array.from({ length: CALLS }, () => ({ ok: true, value: null })));
  expect(count).toBe(CALLS);
  expect(alarm).toEqual(expect.any(Number));
});

test("a wallet that waits for its commit while the project closes is refused", async () => {
  const projectId = await newProject();
  const closed = runInDurableObject(env.PROJECT.getByName(projectId), async (project, { storage }) => {
    if (!(project instanceof Project)) throw new Error("not a project");
    const waiting = project.admitWallet(entryOf(projectId, 0), TERMS).catch(String);
    const terms = { transferId: "trf_00000000000000000000", destination: "https://elsewhere.example" };
    const entry = { action: "project.close", target: projectId, detailJson: "{}" };
    expect(await project.beginTransfer(terms, entry)).toMatchObject({ ok: true });
    return { answer: await waiting, wallets: storage.sql.exec("SELECT name FROM wallet").toArray() };
  });
  expect(await closed).toEqual({ answer: expect.stringContaining("elsewhere.example"), wallets: [] });
});

test.each([
  ["after the closing", false],
  ["before the closing", true],
])("a refused call that comes %s arms no alarm of a closed project", async (_when, waits) => {
  const projectId = await newProject();
  const refused = runInDurableObject(env.PROJECT.getByName(projectId), async (project, { storage }) => {
    if (!(project instanceof Project)) throw new Error("not a project");
    await project.admitWallet(entryOf(projectId, 0), TERMS);
    const admit = () => project.admitWallet(entryOf(projectId, 1), TERMS).catch(String);
    const waiting = waits ? admit() : null;
    const terms = { transferId: "trf_00000000000000000000", destination: "https://elsewhere.example" };
    const closed = project.beginTransfer(terms, { action: "project.close", target: projectId, detailJson: "{}" });
    // As after the alarm of a closed project, which does nothing and arms no other one.
    const disarmed = storage.deleteAlarm();
    await Promise.all([closed, disarmed]);
    return { answer: await (waiting ?? admit()), alarm: await storage.getAlarm() };
  });
  expect(await refused).toEqual({ answer: expect.stringContaining("elsewhere.example"), alarm: null });
});
