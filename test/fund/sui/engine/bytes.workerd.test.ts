import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { draftOf, newUser } from "../../../support/aptos-chain.ts";
import {
  aptosExecute,
  executed,
  landed,
  newAptosFund,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { expectExactBooks, statesOf } from "../../../support/fund-books.ts";
import {
  execute,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  pass,
  platformStub,
  prepare,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const DAY_MS = 24 * HOUR_MS;

function onSql<T>(fund: TestFund, look: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(platformStub(fund), (_, { storage }) => look(storage.sql));
}

/** Bytes in a column of a table, of the rows that are meant. */
function bytesIn(fund: TestFund, table: string, column: string, where = "true"): Promise<number> {
  return onSql(
    fund,
    (sql) =>
      sql.exec<{ bytes: number }>(`SELECT TOTAL(LENGTH(${column})) AS bytes FROM ${table} WHERE ${where}`).one().bytes,
  );
}

/** The number of the state `complete` in the table of its chain. */
const COMPLETE = { sui: 5, aptos: 3 };

describe("on Sui", () => {
  useStoppedClock();

  const bytesOf = (fund: TestFund, where?: string) =>
    bytesIn(fund, "sponsorship_row JOIN sponsorship_bytes USING (seq)", "transaction_bytes", where);

  test("what has executed keeps no bytes, and its execution is still answered as the first time", async () => {
    const fund = await newFund(SUI_MIST);
    const prepared = await prepare(fund, "ours");
    const first = await execute(fund, prepared);
    expect(first).toMatchObject({ value: { execution: { success: true } } });
    const handedOut = await sponsor(fund, "theirs");
    await executeOnChain(handedOut);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [prepared, handedOut])).toEqual(["complete", "complete"]);
    expect(await bytesOf(fund)).toBe(0);
    expect(await bytesIn(fund, "own_transaction", "transaction_bytes")).toBe(0);
    expect(await execute(fund, prepared)).toEqual(first);
    await expectExactBooks(fund);
  });

  test("while an Idempotency-Key is remembered, its repeat is answered with the same bytes, and not for longer", async () => {
    const fund = await newFund(SUI_MIST);
    const keyed = { idempotency: { scope: "key sponsor 1", fingerprint: "f" } };
    const first = await sponsor(fund, "keyed", keyed);
    await executeOnChain(first);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [first])).toEqual(["complete"]);
    pass(DAY_MS - MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    expect(await sponsor(fund, "keyed", keyed)).toEqual(first);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await bytesOf(fund)).toBe(0);
    expect(await sponsor(fund, "keyed", keyed)).not.toEqual(first);
  });

  test("a key that is used anew in the moment in which its day is over leaves no bytes behind", async () => {
    const fund = await newFund(SUI_MIST);
    const keyed = { idempotency: { scope: "key sponsor 1", fingerprint: "f" } };
    await executeOnChain(await sponsor(fund, "first", keyed));
    await liveFor(fund, 5 * SECOND_MS);
    pass(DAY_MS);
    await sponsor(fund, "second", keyed);
    expect(await bytesOf(fund, `state = ${COMPLETE.sui}`)).toBe(0);
  });
});

describe("on Aptos", () => {
  useStoppedAptosClock();

  test("what has executed keeps neither bytes nor signatures, and repeats are answered as before", async () => {
    const fund = await newAptosFund();
    const handedOut = draftOf(newUser());
    const signature = await sponsored(fund, handedOut);
    await landed(fund, handedOut);
    const ours = draftOf(newUser());
    const hash = await executed(fund, ours);
    await whenCommitted(ours);
    await liveFor(fund, 30 * SECOND_MS);
    expect(await bytesIn(fund, "aptos_sponsorship_bytes", "raw_transaction")).toBe(0);
    expect(await bytesIn(fund, "aptos_sponsorship_bytes", "authenticators")).toBe(0);
    const states = await onSql(fund, (sql) =>
      sql
        .exec<{ state: number }>("SELECT state FROM aptos_sponsorship_row")
        .toArray()
        .map(({ state }) => state),
    );
    expect(states).toEqual([COMPLETE.aptos, COMPLETE.aptos]);
    expect(await sponsored(fund, handedOut)).toEqual(signature);
    expect(await aptosExecute(fund, ours)).toMatchObject({ value: { pendingTransaction: { hash } } });
  });

  test("a withdrawal that is over keeps no bytes", async () => {
    const fund = await newAptosFund();
    const to = newUser().address;
    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    await stub(fund).withdraw({ to, amountAtoms: 1_000n, from: "available", idempotency });
    await liveFor(fund, 30 * SECOND_MS);
    expect(await bytesIn(fund, "aptos_own_transaction", "signed_transaction")).toBe(0);
  });
});
