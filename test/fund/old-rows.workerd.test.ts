import { runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import { SqliteAptosFundStore } from "../../shared/fund/aptos/sqlite-store.ts";
import { OLD_LEDGER } from "../../shared/fund/ledger/sqlite-ledger.ts";
import { MOVED_AT_ONCE } from "../../shared/fund/old-rows.ts";
import { SUI_OLD_SPONSORSHIPS } from "../../shared/fund/sui/old-sponsorships.ts";
import { SqliteSuiFundStore } from "../../shared/fund/sui/sqlite-store.ts";
import {
  APTOS_SENDER,
  becomeAptosFundOfVersion5,
  readDefinitionsOfVersion5,
  turnStorageIntoVersion5,
} from "../support/fund/old-rows.ts";
import { aptosId, endedDigest } from "../support/fund/version-5.ts";
import { expectExactBooks, onDisk, statesOf } from "../support/fund-books.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import {
  alarm,
  alarmInMs,
  crash,
  dueInMs,
  execute,
  executeOnChain,
  KEY_ID,
  liveFor,
  newFund,
  newFundOfCoins,
  pass,
  platformStub,
  prepare,
  SECOND_MS,
  sponsor,
  stub,
  type TestFund,
  user,
  useStoppedClock,
} from "../support/sui-fund.ts";

useStoppedClock();

const ENDED = 1_300;
const DAY_MS = 86_400_000;

/** A fund of version 5 with one live sponsorship of each kind, one that has just completed, and many that ended before. */
async function fundOfVersion5() {
  const scratch = await newFund();
  const definitions = await runInDurableObject(platformStub(scratch), (_, { storage }) =>
    readDefinitionsOfVersion5(storage),
  );
  const fund = await newFundOfCoins(6);
  const keyed = { idempotency: { scope: "key sponsor 1", fingerprint: "f" } };
  const completed = await sponsor(fund, "completed", keyed);
  await executeOnChain(completed);
  await liveFor(fund, 5 * SECOND_MS);
  const signed = await sponsor(fund, "signed");
  const prepared = await prepare(fund, "prepared");
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    const atMs = Date.now() - DAY_MS;
    storage.transactionSync(() => turnStorageIntoVersion5(storage, definitions, { count: ENDED, keyId: KEY_ID, atMs }));
  });
  await crash();
  return { fund, completed, keyed, signed, prepared };
}

/** How many rows of version 5 are left. */
function left(fund: TestFund): Promise<number> {
  return runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name IN (?, ?)", SUI_OLD_SPONSORSHIPS, OLD_LEDGER)
      .toArray();
    return tables.reduce((sum, { name }) => sum + Number(sql.exec(`SELECT COUNT(*) AS n FROM ${name}`).one().n), 0);
  });
}

/** Runs the alarm until a step has moved something. Returns how many rows it moved. */
async function step(fund: TestFund): Promise<number> {
  const before = await left(fund);
  pass(Math.max(0, (await alarmInMs(fund)) ?? 0));
  await alarm(fund);
  return before - (await left(fund));
}

async function pagesOf<Item>(
  read: (
    cursor: string | null,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null } | null>,
  between: () => Promise<unknown>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await read(cursor);
    items.push(...(page?.items ?? []));
    cursor = page?.nextCursor ?? null;
    await between();
  }
  return items;
}

function seenBy(fund: TestFund) {
  return onDisk(fund, (store) => ({
    totals: store.totals(),
    usage: [store.usage(""), store.usage(KEY_ID)],
    live: store.liveIds(null),
    liveOfKey: store.liveIds(KEY_ID),
    sponsorships: store.ended.sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 10_000).map(({ row }) => row),
    ledger: store.ledgerBelow(Number.MAX_SAFE_INTEGER, 10_000).map(({ row }) => row),
  }));
}

longTest(
  "a fund of version 5 moves its rows in bounded steps, and each list shows each row once at any time",
  async () => {
    const { fund } = await fundOfVersion5();
    const before = await seenBy(fund);
    expect(before.sponsorships).toHaveLength(ENDED + 3);
    const rows = await left(fund);
    expect(rows).toBe(before.sponsorships.length + before.ledger.length);
    const steps: number[] = [];
    const move = async () => {
      if ((await left(fund)) > 0) steps.push(await step(fund));
    };
    const listed = await pagesOf((cursor) => stub(fund).sponsorships({ limit: 200, cursor }), move);
    expect(listed).toEqual(before.sponsorships);
    const booked = await pagesOf((cursor) => stub(fund).ledger({ limit: 300, cursor }), move);
    expect(booked).toEqual(before.ledger);
    while ((await left(fund)) > 0) await move();
    expect(Math.max(...steps)).toBe(MOVED_AT_ONCE);
    expect(steps.reduce((sum, moved) => sum + moved, 0)).toBe(rows);
    expect(await seenBy(fund)).toEqual(before);
    await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
      const named = "SELECT name FROM sqlite_master WHERE name IN ('sponsorship', 'aptos_sponsorship', 'ledger')";
      expect(sql.exec(named).toArray(), "empty tables are dropped").toEqual([]);
      expect(sql.exec("SELECT 1 FROM due WHERE kind = 'migrate'").toArray()).toEqual([]);
    });
  },
);

longTest(
  "a fund is used while its rows move: it sponsors, executes, settles, answers, repeats and withdraws",
  async () => {
    const { fund, completed, keyed, signed, prepared } = await fundOfVersion5();
    expect(await sponsor(fund, "completed", keyed), "a repeat has the bytes of the old row").toEqual(completed);
    expect(await stub(fund).status(endedDigest(0))).toMatchObject({ ok: true, value: "COMPLETE" });
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    const fresh = await sponsor(fund, "fresh");
    await step(fund);
    expect(await left(fund)).toBeGreaterThan(0);
    expect(await stub(fund).status(endedDigest(ENDED - 2))).toMatchObject({ value: "COMPLETE" });
    const idempotency = { scope: "operator withdraw", fingerprint: "w" };
    const terms = { to: user.toSuiAddress(), amountAtoms: 1_000n, from: "available", idempotency } as const;
    expect(await stub(fund).withdraw(terms)).toMatchObject({ ok: true });
    await executeOnChain(signed);
    await executeOnChain(fresh);
    await liveFor(fund, 10 * SECOND_MS);
    expect(await left(fund)).toBe(0);
    const digests = [completed, signed, prepared, fresh].map(({ digest }) => digest);
    for (const digest of digests) expect(await stub(fund).status(digest)).toMatchObject({ value: "COMPLETE" });
    expect(await sponsor(fund, "completed", keyed), "a repeat has the bytes of the moved row").toEqual(completed);
    await expectExactBooks(fund);
  },
);

longTest(
  "an ended row that moves leaves its bytes behind, but for a day those that an Idempotency-Key refers to",
  async () => {
    const { fund, completed } = await fundOfVersion5();
    await liveFor(fund, 10 * SECOND_MS);
    const bytesOf = (digest: string) => onDisk(fund, (store) => store.sponsorship(digest)?.transactionBytes.length);
    expect(await bytesOf(endedDigest(0))).toBe(0);
    expect(await bytesOf(completed.digest)).toBe(completed.txBytes.length);
    pass(DAY_MS);
    await liveFor(fund, 10 * SECOND_MS);
    expect(await bytesOf(completed.digest)).toBe(0);
  },
);

shortTest("a step that breaks off at any write moves nothing, and the next instance repeats it", async () => {
  const { fund } = await fundOfVersion5();
  const before = await seenBy(fund);
  const rows = await left(fund);
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    const { sql } = storage;
    for (const failing of [1, 2, 3, 700, 1_501]) {
      const store = new SqliteSuiFundStore(storage, () => {});
      const exec = sql.exec.bind(sql);
      let writes = 0;
      const spy = vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
        if (!/^\s*SELECT/.test(query)) writes += 1;
        if (writes === failing) throw new Error("broken off");
        return exec(query, ...bindings);
      });
      expect(() => store.transact(() => store.moveOldRows()), `at write ${failing}`).toThrow("broken off");
      spy.mockRestore();
      const rows = store.ended.sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 10_000).map(({ row }) => row);
      expect(rows).toEqual(before.sponsorships);
      expect(store.liveIds(null), "the live rows are still found").toEqual(before.live);
      for (const id of before.live) {
        const [life, state] = [store.life(id), store.stateOf(id)];
        expect(life, "the part of a live row is still found").not.toBeNull();
        expect(store.sponsorship(id)).toMatchObject({ ...life, state });
      }
    }
  });
  expect(await left(fund)).toBe(rows);
  await liveFor(fund, 10 * SECOND_MS);
  expect(await left(fund)).toBe(0);
  expect(await seenBy(fund)).toEqual(before);
});

longTest("a fund whose chain is gone moves its rows, and does nothing else", async () => {
  const { fund, signed } = await fundOfVersion5();
  await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) => {
    sql.exec("UPDATE fund SET paused_cause = 'chain_reset'");
  });
  await crash();
  await executeOnChain(signed);
  await liveFor(fund, 10 * SECOND_MS);
  expect(await left(fund)).toBe(0);
  expect(await statesOf(fund, [signed])).toEqual(["signed"]);
});

longTest("an instance that starts keeps the time of the next step", async () => {
  const { fund } = await fundOfVersion5();
  await step(fund);
  const due = await dueInMs(fund, "migrate");
  expect(due[0]).toBeGreaterThan(0);
  await crash();
  expect(await dueInMs(fund, "migrate")).toEqual(due);
});

longTest("an Aptos fund moves its rows, and counts live ones without a look at ended ones", async () => {
  const scratch = await newFund();
  await runInDurableObject(platformStub(scratch), (_, { storage }) => {
    becomeAptosFundOfVersion5(storage, ENDED);
    const store = new SqliteAptosFundStore(storage, () => {});
    const seen = () => ({
      rows: store.ended.sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 10_000).map(({ row }) => row),
      live: store.liveIds(null).map((id) => store.sponsorship(id)),
      counted: store.countLiveAtOrAfter(APTOS_SENDER, 700n),
      standing: [499n, 500n, 501n].map((at) => store.sponsorshipAtSequence(APTOS_SENDER, at)?.id),
      hasDead: store.hasDeadAtSequence(APTOS_SENDER, 501n, { expiresAtMs: 502, gasBudgetAtoms: 5_000n }),
      balanceChange: store.balanceChangeAfter(1_000n),
    });
    const before = seen();
    expect(before.rows).toHaveLength(ENDED);
    expect(before).toMatchObject({ counted: 1, hasDead: true, balanceChange: -149_000n });
    expect(before.live.map((row) => row?.id)).toEqual([aptosId(499), aptosId(999)]);
    expect(before.standing).toEqual([aptosId(499), aptosId(500), undefined]);
    expect(rowsReadBy(storage.sql, () => store.countLiveAtOrAfter(APTOS_SENDER, 700n))).toBeLessThan(20);
    let steps = 1;
    for (; store.transact(() => store.moveOldRows()); steps++) {
      expect(seen(), `after step ${steps}`).toEqual(before);
      expect(rowsReadBy(storage.sql, () => store.countLiveAtOrAfter(APTOS_SENDER, 700n))).toBeLessThan(20);
    }
    expect(steps).toBe(Math.ceil(ENDED / MOVED_AT_ONCE));
    expect(seen()).toEqual(before);
    expect(storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'aptos_sponsorship'").toArray()).toEqual([]);
  });
});

/** How many rows SQLite reads for some work. */
function rowsReadBy(sql: SqlStorage, work: () => unknown): number {
  const exec = sql.exec.bind(sql);
  const cursors: { readonly rowsRead: number }[] = [];
  const spy = vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
    const cursor = exec(query, ...bindings);
    cursors.push(cursor);
    return cursor;
  });
  work();
  spy.mockRestore();
  return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
}
