import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SqliteRefusedCalls } from "../../../shared/fund/explain/sqlite-refused-calls.ts";
import { utcDay } from "../../../shared/fund/ledger/usage.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";
import { onDisk } from "../../support/fund-books.ts";
import {
  BUDGET_MIST,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  SUI_MIST,
  sponsorInput,
  stub,
  useStoppedClock,
} from "../../support/sui-fund.ts";

useStoppedClock();

const DAY_MS = 86_400_000;
const REASONS = ["policy_refused", "overloaded"];
const TODAY = 20;

test("old days keep one sum for each reason, and the totals stay the same", async () => {
  await runInDurableObject(env.FUND.getByName("fund_refusal_total"), (_, { storage }) => {
    const store = new SqliteSuiFundStore(storage, () => {});
    const table = new SqliteRefusedCalls(storage.sql);
    for (let day = 1; day <= TODAY; day += 1)
      for (const keyId of ["one", "other", ""])
        for (const reason of REASONS)
          for (const rule of [null, "rule"]) table.count({ day, keyId, reason, rule, calls: day });
    const total = (TODAY * (TODAY + 1) * 6) / 2;
    const expected = Object.fromEntries(REASONS.map((reason) => [reason, total]));
    expect(store.refusalTotal.read(TODAY)).toEqual(expected);
    for (let step = 0; step < TODAY; step += 1) store.foldOldDaily(TODAY * DAY_MS, 5);
    const { items } = table.counts({ fromDay: 0, toDay: 14, limit: 1_000, cursor: null });
    expect(items).toHaveLength(14 * REASONS.length);
    expect(items[0]).toEqual({ day: 14, keyId: "", reason: "overloaded", rule: null, calls: 14 * 6 });
    const kept = table.counts({ fromDay: 15, toDay: TODAY, limit: 1_000, cursor: null });
    expect(kept.items).toHaveLength(6 * 3 * 2 * REASONS.length);
    for (const read of [store.refusalTotal, new SqliteSuiFundStore(storage, () => {}).refusalTotal])
      expect(read.read(TODAY)).toEqual(expected);
    expect(store.refusalTotal.read(TODAY + 9)).toEqual(expected);
    // A refusal of today counts at once. The old days are not read again.
    table.count({ day: TODAY + 9, keyId: "one", reason: "overloaded", rule: null, calls: 1 });
    storage.sql.exec("DELETE FROM refusal_count WHERE day < 15");
    expect(store.refusalTotal.read(TODAY + 9)).toEqual({ ...expected, overloaded: total + 1 });
  });
});

test("the upkeep of a fund adds up the refusals of a day past its retention", async () => {
  const fund = await newFundWith({ limits: { retentionDays: 1 } }, 5n * SUI_MIST);
  const keyPolicy = { ...defaultKeyPolicy("sui"), maxGasBudgetAtoms: BUDGET_MIST - 1n };
  await stub(fund).sponsor(await sponsorInput("refused", { keyPolicy }));
  const counts = { fromDay: 0, toDay: utcDay(Date.now()), limit: 10, cursor: null };
  const ofDay = { day: utcDay(Date.now()), reason: "policy_refused", calls: 1 };
  expect((await stub(fund).refusalCounts(counts))?.items).toEqual([{ ...ofDay, keyId: KEY_ID, rule: "maxGasBudget" }]);
  for (let days = 0; days < 2; days += 1) {
    pass(DAY_MS);
    await liveFor(fund, MINUTE_MS);
  }
  expect((await stub(fund).refusalCounts(counts))?.items).toEqual([{ ...ofDay, keyId: "", rule: null }]);
  expect(await onDisk(fund, (store) => store.refusalTotal.read(utcDay(Date.now())))).toEqual({ policy_refused: 1 });
});
