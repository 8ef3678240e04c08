import { expect, test } from "vitest";
import { onDisk, ownTransactions } from "../../support/fund-books.ts";
import { rounds, shortTest } from "../../support/rounds.ts";
import {
  execute,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  newFundWith,
  pass,
  prepare,
  SUI_MIST,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../support/sui-fund.ts";

useStoppedClock();

const NEWER_ROWS = rounds(250_000);
const ADD_ROWS = `
  INSERT INTO ledger_row (at_ms, kind, reference)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
    SELECT ? + n, 3, 'other' FROM numbers`;

async function kindsOf(fund: TestFund, digest: string) {
  const story = await stub(fund).tell({ by: "digest", digest, askNodes: false });
  return story?.ledger.map(({ kind }) => kind);
}

test("a sponsorship's ledger rows are found below any number of newer ones of the same day", async () => {
  const fund = await newFundOfCoins(2);
  const executed = await prepare(fund, "executed");
  expect((await execute(fund, executed)).ok).toBe(true);
  const abandoned = await prepare(fund, "abandoned");
  await liveFor(fund, 11 * MINUTE_MS);
  const fromMs = Date.now() + 30 * MINUTE_MS;
  await onDisk(fund, (_, sql) => sql.exec(ADD_ROWS, NEWER_ROWS, fromMs).toArray());
  expect(await kindsOf(fund, executed.digest)).toEqual(["reserve", "charge"]);
  expect(await kindsOf(fund, abandoned.digest)).toEqual(["reserve", "release"]);
});

shortTest("a row that was booked while the clock was set back belongs to the story", async () => {
  const fund = await newFundOfCoins(1);
  const executed = await prepare(fund, "executed");
  expect((await execute(fund, executed)).ok).toBe(true);
  const early = Date.now() + 120 * MINUTE_MS;
  await onDisk(fund, (_, sql) => {
    sql.exec("UPDATE ledger_row SET at_ms = at_ms + ? WHERE kind = 5", 120 * MINUTE_MS);
    sql.exec(ADD_ROWS, 10, early - 180 * MINUTE_MS).toArray();
  });
  expect(await kindsOf(fund, executed.digest)).toEqual(["reserve", "charge"]);
});

shortTest("a fund's own transaction has its ledger rows, and an unknown digest has none", async () => {
  const fund = await newFundWith({}, 5n * SUI_MIST);
  pass(MINUTE_MS);
  await liveFor(fund, MINUTE_MS);
  const [split] = await ownTransactions(fund, "split");
  expect(await kindsOf(fund, split?.digest ?? "none")).toEqual(["split"]);
  expect(await kindsOf(fund, "8".repeat(44))).toEqual([]);
});
