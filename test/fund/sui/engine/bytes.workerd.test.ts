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
const DUMMY_BYTES = 1_000;

function onSql<T>(fund: TestFund, look: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(platformStub(fund), (_, { storage }) => look(storage.sql));
}

/** Bytes of all transactions in a table, of the states that are meant. */
function bytesIn(fund: TestFund, table: string, column: string, states = "state <> ''"): Promise<number> {
  return onSql(
    fund,
    (sql) =>
      sql.exec<{ bytes: number }>(`SELECT TOTAL(LENGTH(${column})) AS bytes FROM ${table} WHERE ${states}`).one().bytes,
  );
}

describe("on Sui", () => {
  useStoppedClock();

  const bytesOf = (fund: TestFund, states?: string) => bytesIn(fund, "sponsorship", "transaction_bytes", states);

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
    expect(await bytesOf(fund, "state = 'complete'")).toBe(0);
  });

  test("what a version before this one has kept is emptied in bounded batches", async () => {
    const fund = await newFund(SUI_MIST);
    const live = await sponsor(fund, "live");
    const counts = await onSql(fund, (sql) => {
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
         INSERT INTO sponsorship SELECT 'old' || i AS digest, 'complete' AS state, zeroblob(${DUMMY_BYTES}) AS transaction_bytes,
           sender, key_id, gas_object_id, gas_budget_mist, expiration_epoch, created_at_ms, expires_at_ms, '0' AS charged_mist,
           signed_at_ms, fee_mist, '0' AS rebate_mist, maintenance_mist, max_storage_mist, since_checkpoint
         FROM n, sponsorship`,
      );
      sql.exec("INSERT INTO idempotency VALUES ('key', 'f', 'old7', ?)", Date.now() + DAY_MS);
      sql.exec("INSERT OR REPLACE INTO spent_bytes VALUES (1, 0)");
      return sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM sponsorship").one().count;
    });
    expect(counts).toBe(451);
    const kept = () => bytesOf(fund, "state = 'complete'");
    const left: number[] = [];
    pass(15 * SECOND_MS);
    for (let turn = 0; turn < 4; turn++) {
      await liveFor(fund, SECOND_MS);
      left.push((await kept()) / DUMMY_BYTES);
    }
    expect(left[0], "not all at once").toBeGreaterThan(1);
    expect(left.at(-1), "but the one that a key refers to").toBe(1);
    expect(await statesOf(fund, [live])).toEqual(["signed"]);
    expect(await bytesOf(fund, "state = 'signed'")).toBe(live.txBytes.length);
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
    expect(await bytesIn(fund, "aptos_sponsorship", "raw_transaction", "state = 'complete'")).toBe(0);
    expect(await bytesIn(fund, "aptos_sponsorship", "authenticators", "state = 'complete'")).toBe(0);
    const states = await onSql(fund, (sql) =>
      sql
        .exec<{ state: string }>("SELECT state FROM aptos_sponsorship")
        .toArray()
        .map(({ state }) => state),
    );
    expect(states).toEqual(["complete", "complete"]);
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
