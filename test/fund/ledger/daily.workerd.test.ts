import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { NOTHING_COUNTED } from "../../../shared/fund/ledger/daily.ts";
import { addChargeEntry, addReleaseEntry } from "../../../shared/fund/ledger/entries.ts";
import { utcDay } from "../../../shared/fund/ledger/usage.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { authorization } from "../../support/admin-access.ts";
import { ledgerOf, onDisk, sponsorshipOf, statesOf } from "../../support/fund-books.ts";
import { seededRandom } from "../../support/random.ts";
import {
  execute,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  newFundWith,
  pass,
  prepare,
  SUI_MIST,
  type TestFund,
  user,
  useStoppedClock,
} from "../../support/sui-fund.ts";

useStoppedClock();

const DAY_MS = 86_400_000;
const CONTRACT = ["by", "from", "items", "nextCursor", "since", "to", "total"];
const adminApp = createAdminApp(createDeps(env));

async function spend({ id }: TestFund, query: string) {
  const response = await adminApp.request(`/funds/${id}/spend${query}`, { headers: { authorization } }, env);
  const body = await response.json<{ items?: readonly object[]; nextCursor?: string }>();
  if (response.ok) expect(Object.keys(body).toSorted(), "the fields of the contract").toEqual(CONTRACT);
  return { status: response.status, ...body };
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

test("a day's spending is that of the sponsorships that ended on it, by day, key, sender and target", async () => {
  const fund = await newFundOfCoins(4);
  const startMs = Date.now();
  const executed = await prepare(fund, "executed");
  const abandoned = await prepare(fund, "abandoned");
  expect(await execute(fund, executed)).toMatchObject({ ok: true });
  await liveFor(fund, 11 * MINUTE_MS);
  expect(await statesOf(fund, [executed, abandoned])).toEqual(["complete", "dead"]);
  const { chargedAtoms, rebateAtoms } = await sponsorshipOf(fund, executed);
  const charges = (await ledgerOf(fund)).filter(({ kind }) => kind === "charge");
  expect(charges.map(({ balanceAtoms }) => -balanceAtoms)).toEqual([chargedAtoms]);
  const counted = {
    sponsored: 2,
    executed: 1,
    failed: 0,
    abandoned: 1,
    unresolvable: 0,
    charged: String(chargedAtoms),
    fees: "0",
    rebate: String(rebateAtoms),
    maintenance: "0",
  };
  const days = { status: 200, by: "day", total: 1, to: dayOf(Date.now()), since: expect.any(String) };
  expect(await spend(fund, "")).toMatchObject({ ...days, items: [{ name: dayOf(Date.now()), ...counted }] });
  const target = `${DEMO_PACKAGE}::demo::mint`;
  for (const [by, name] of [
    ["key", KEY_ID],
    ["sender", user.toSuiAddress()],
    ["target", target],
  ])
    expect(await spend(fund, `?by=${by}`)).toMatchObject({ by, total: 1, items: [{ name, ...counted }] });
  pass(DAY_MS);
  expect(await spend(fund, `?from=${dayOf(Date.now())}`)).toMatchObject({ total: 0, items: [] });
  expect(await spend(fund, `?by=sender&to=${dayOf(startMs - DAY_MS)}`)).toMatchObject({ total: 0, items: [] });
});

test("the senders and targets of a day are added up once its rows leave the fund", async () => {
  const fund = await newFundWith({ limits: { retentionDays: 1 } }, 5n * SUI_MIST);
  const endedDay = dayOf(Date.now());
  const executed = await prepare(fund, "executed");
  expect(await execute(fund, executed)).toMatchObject({ ok: true });
  const { items } = await spend(fund, `?by=key&to=${endedDay}`);
  pass(DAY_MS);
  await liveFor(fund, MINUTE_MS);
  expect(await spend(fund, `?by=sender&to=${endedDay}`)).toMatchObject({ items: [{ name: user.toSuiAddress() }] });
  pass(DAY_MS);
  await liveFor(fund, MINUTE_MS);
  for (const by of ["sender", "target"]) {
    const counted = { ...items?.[0], name: "(other)" };
    expect(await spend(fund, `?by=${by}&to=${endedDay}`)).toMatchObject({ items: [counted] });
  }
  expect(await spend(fund, `?by=key&to=${endedDay}`)).toMatchObject({ items });
});

test("a cursor of the spending belongs to its query, and its pages have every name once", async () => {
  const fund = await newFundOfCoins(1);
  const day = utcDay(Date.now());
  const dayBefore = dayOf(Date.now() - DAY_MS);
  const names = ["a", "b", "c"];
  const count = () =>
    onDisk(fund, (store) =>
      store.transact(() => {
        for (const [index, name] of names.entries())
          store.addDaily("target", { ...NOTHING_COUNTED, day, name, executed: 1, chargedAtoms: BigInt(index) });
      }),
    );
  await count();
  const shown: unknown[] = [];
  let query = "?by=target&limit=1";
  for (let pages = 0; pages < names.length; pages++) {
    const { status, items, nextCursor } = await spend(fund, query);
    expect(status).toBe(200);
    shown.push(...(items ?? []));
    query = `?by=target&limit=1&cursor=${nextCursor}`;
    if (pages === 0)
      for (const other of ["by=sender", `by=target&from=${dayBefore}`, `by=target&to=${dayBefore}`]) {
        const refused = { status: 400, errors: [{ path: "cursor", message: expect.stringMatching(/another filter/) }] };
        expect(await spend(fund, `?${other}&cursor=${nextCursor}`)).toMatchObject(refused);
      }
    names.reverse();
    await count();
  }
  expect(shown).toMatchObject([{ name: "a" }, { name: "b" }, { name: "c" }]);
  expect(query).toContain("cursor=null");
});

test.each([
  ["a first day after the last", "?from=2026-02-02&to=2026-02-01"],
  ["more days of senders than one call reads", "?by=sender&from=2026-01-01&to=2026-02-01"],
  ["more days than one call reads", "?from=2025-01-01&to=2026-02-01"],
  ["a day that is none", "?from=2026-02-30"],
  ["another form", "?by=hour"],
  ["a cursor of another list", "?cursor=0x1"],
])("the route refuses %s", async (_, query) => {
  expect(await spend({ id: `fund_${"0".repeat(20)}`, address: "" }, query)).toMatchObject({ status: 400 });
});

const key = "key_00000000000000000001";
const ended = {
  keyId: key,
  gasBudgetAtoms: 1_000n,
  feeAtoms: 7n,
  chargedAtoms: 100n,
  rebateAtoms: 3n,
  createdAtMs: 0,
} as const;

describe("the names of a day are bounded", () => {
  const senderOf = (index: number) => `0x${index.toString(16).padStart(64, "0")}`;

  test("further senders and targets go to one row, and the sums stay the same", async () => {
    const id = "fund_daily_bounds";
    await runInDurableObject(env.FUND.getByName(id), (_, { storage }) => {
      let store = new SqliteSuiFundStore(storage, () => {});
      for (let index = 0; index < 1_100; index++) {
        if (index % 400 === 399) store = new SqliteSuiFundStore(storage, () => {});
        const targets = [`0x2::app${index}::run`, "0x2::app::run", "0x2::app::run"];
        store.transact(() => {
          const row = { ...ended, sender: senderOf(index) };
          addChargeEntry(store, `${index}`, row, 0n, { targets, isAborted: index % 10 === 0 }, 5 * DAY_MS);
        });
      }
      // A name of the day stays one, although the day is full.
      store.transact(() => addReleaseEntry(store, "x", { ...ended, sender: senderOf(3) }, { targets: [] }, 5 * DAY_MS));
      const senders = store.daily("sender", 5, 5);
      expect(senders).toHaveLength(1_001);
      const sums = { executed: 1_100, failed: 110, abandoned: 1, chargedAtoms: 110_000n, feeAtoms: 7_700n };
      expect(store.daily("key", 0, 9)).toMatchObject([{ day: 5, name: key, rebateAtoms: 3_300n, ...sums }]);
      expect(senders.reduce((sum, { chargedAtoms }) => sum + chargedAtoms, 0n)).toBe(110_000n);
      expect(senders.find(({ name }) => name === "(other)")).toMatchObject({ executed: 100, chargedAtoms: 10_000n });
      expect(senders.find(({ name }) => name === senderOf(3))).toMatchObject({ executed: 1, abandoned: 1 });
      const targets = store.daily("target", 5, 5);
      expect(targets).toHaveLength(201);
      expect(targets.find(({ name }) => name === "0x2::app::run")).toMatchObject({ executed: 1_100 });
    });
  });

  test("one sponsorship counts for its first eight targets", async () => {
    await runInDurableObject(env.FUND.getByName("fund_daily_targets"), (_, { storage }) => {
      const store = new SqliteSuiFundStore(storage, () => {});
      const targets = Array.from({ length: 1_000 }, (_, index) => `0x2::app${index % 500}::run`);
      const row = { ...ended, sender: senderOf(1) };
      store.transact(() => addChargeEntry(store, "x", row, 0n, { targets }, 0));
      expect(store.daily("target", 0, 0).map(({ name }) => name)).toEqual(targets.slice(0, 8));
    });
  });
});

test("any order of ends, folds, faults and restarts keeps each day's sums", async () => {
  const random = seededRandom(inject("seed") ?? Math.floor(Math.random() * 2 ** 31));
  const pick = (count: number) => Math.floor(random() * count);
  await runInDurableObject(env.FUND.getByName("fund_daily_folds"), (_, { storage }) => {
    let store = new SqliteSuiFundStore(storage, () => {});
    const expected = new Map<number, number>();
    for (let step = 0; step < 400; step++) {
      const day = pick(12);
      const [isFold, isFaulty] = [pick(4) === 0, pick(4) === 0];
      const row = { ...ended, sender: `0x${pick(5)}` };
      const end = { targets: [`0x2::app${pick(3)}::run`] };
      const run = () =>
        store.transact(() => {
          if (isFold) store.foldOldDaily(12 * DAY_MS, 1 + pick(12));
          else addChargeEntry(store, `${step}`, row, 0n, end, day * DAY_MS);
          if (isFaulty) throw new Error("a fault");
        });
      if (isFaulty) expect(run).toThrow("a fault");
      else run();
      if (!isFaulty && !isFold) expected.set(day, (expected.get(day) ?? 0) + 1);
      if (pick(5) === 0) store = new SqliteSuiFundStore(storage, () => {});
      for (const dimension of ["key", "sender", "target"] as const) {
        const counted = new Map<number, number>();
        for (const { day: of, executed } of store.daily(dimension, 0, 20))
          counted.set(of, (counted.get(of) ?? 0) + executed);
        expect(counted).toEqual(expected);
      }
    }
    // No day is left out, whatever was folded before.
    for (let step = 0; step < 12; step++) store.foldOldDaily(12 * DAY_MS, 1);
    store = new SqliteSuiFundStore(storage, () => {});
    for (let step = 0; step < 12; step++) store.foldOldDaily(12 * DAY_MS, 1);
    expect(new Set(store.daily("sender", 0, 10).map(({ name }) => name))).toEqual(new Set(["(other)"]));
    expect(store.daily("sender", 0, 10)).toHaveLength(11);
  });
});

test("a counter holds amounts up to 2^53 exactly, and larger sums stop no settlement", async () => {
  await runInDurableObject(env.FUND.getByName("fund_daily_large"), (_, { storage }) => {
    const store = new SqliteSuiFundStore(storage, () => {});
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const row = { ...ended, feeAtoms: 0n, sender: "s" };
    const large = { chargedAtoms: most, rebateAtoms: most };
    store.transact(() => {
      addChargeEntry(store, "1", { ...row, chargedAtoms: most - 7n }, 0n, { targets: [] }, 0);
      addChargeEntry(store, "2", { ...row, chargedAtoms: 2n }, 0n, { targets: [] }, 0);
    });
    for (const number of ["3", "4"])
      store.transact(() => addChargeEntry(store, number, { ...row, ...large }, 0n, { targets: [] }, DAY_MS));
    const counted = () => store.daily("key", 0, 1).map(({ chargedAtoms, rebateAtoms }) => [chargedAtoms, rebateAtoms]);
    expect(counted()).toEqual([
      [most - 5n, 6n],
      [most, most],
    ]);
    for (let fold = 0; fold < 3; fold++) store.transact(() => store.foldOldDaily(9 * DAY_MS, 1));
    expect(store.daily("sender", 0, 1).map(({ name, chargedAtoms }) => [name, chargedAtoms])).toEqual([
      ["(other)", most - 5n],
      ["(other)", most],
    ]);
  });
});
