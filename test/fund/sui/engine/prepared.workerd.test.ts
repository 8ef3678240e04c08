import { describe, expect, test, vi } from "vitest";
import type { SqliteSuiFundStore } from "../../../../shared/fund/sui/sqlite-store.ts";
import { START_LIMIT_MS } from "../../../../shared/http/overload.ts";
import { unpacked } from "../../../support/fund/sqlite-fund.ts";
import { expectExactBooks, ledgerOf, onDisk, statesOf } from "../../../support/fund-books.ts";
import { SUBMIT, submitToChain } from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  crash,
  crashDuring,
  execute,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  sponsorInput,
  stub,
  user,
  useStoppedClock,
} from "../../../support/sui-fund.ts";
import { execution, sponsorship } from "../../simulation/rows.ts";

useStoppedClock();

describe("a prepared sponsorship", () => {
  test("does not execute by the user's signature alone", async () => {
    const fund = await newFundOfCoins(3);
    const { txBytes } = await prepare(fund, "prepared");
    const { signature } = await user.signTransaction(txBytes);
    expect(await submitToChain(txBytes, [signature])).toMatch(/signature/i);
    expect(await submitToChain(txBytes, [signature, signature])).toMatch(/signature/i);
    await expectExactBooks(fund);
  });

  test("that is abandoned, with a crash in between, is freed by the alarm at no cost", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "abandoned");
    const { balanceAtoms } = (await stub(fund).view()) ?? {};
    await crash();
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
    pass(10 * MINUTE_MS - SECOND_MS);
    await liveFor(fund, 0);
    expect(await statesOf(fund, [prepared])).toEqual(["prepared"]);
    await liveFor(fund, SECOND_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["dead"]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
    expect((await ledgerOf(fund)).filter(({ reference }) => reference === prepared.digest)).toMatchObject([
      { kind: "reserve", balanceAtoms: 0n },
      { kind: "release", balanceAtoms: 0n },
    ]);
    await expectExactBooks(fund);
  });

  test("is neither made nor executed for a call that reached the fund too late", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "in time", { arrivedAtMs: Date.now() - START_LIMIT_MS });
    const before = await stub(fund).view();
    const arrivedAtMs = Date.now() - START_LIMIT_MS - 1;
    const late = { error: { reason: "overloaded", data: { retryAfterMs: expect.any(Number) } } };
    expect(await stub(fund).sponsor(await sponsorInput("late", { arrivedAtMs }))).toMatchObject(late);
    expect(await stub(fund).prepare(await sponsorInput("late", { arrivedAtMs }))).toMatchObject(late);
    expect(await execute(fund, prepared, { arrivedAtMs })).toMatchObject(late);
    expect(await stub(fund).view()).toEqual(before);
    expect(await statesOf(fund, [prepared])).toEqual(["prepared"]);
    await expectExactBooks(fund);
  });

  test("cannot be executed once its ten minutes are over", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "late");
    pass(10 * MINUTE_MS);
    expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
    await expectExactBooks(fund);
  });

  test("asked for again after it was freed is the same transaction, and executes once", async () => {
    const fund = await newFundOfCoins(3);
    const first = await prepare(fund, "the same");
    pass(10 * MINUTE_MS);
    await liveFor(fund, SECOND_MS);
    const second = await prepare(fund, "the same");
    expect(second.txBytes).toEqual(first.txBytes);
    expect(await execute(fund, first)).toMatchObject({ value: { execution: { success: true } } });
    expect(await execute(fund, second)).toMatchObject({ value: { execution: { success: true } } });
    await expectExactBooks(fund);
  });
});

describe("killed once it was approved", () => {
  test("before the submit: an alarm finds nothing, and after its time the coin is taken back", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "approved");
    await crashDuring(() => execute(fund, prepared), "before", SUBMIT);
    expect(await statesOf(fund, [prepared])).toEqual(["signed"]);
    pass(HOUR_MS);
    await liveFor(fund, MINUTE_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["dead"]);
    expect(await execute(fund, prepared)).toMatchObject({ error: { reason: "sponsorship_expired" } });
    await expectExactBooks(fund);
  });

  test("after the submit: an alarm books it", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "approved");
    await crashDuring(() => execute(fund, prepared), "after", SUBMIT);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await statesOf(fund, [prepared])).toEqual(["complete"]);
    await expectExactBooks(fund);
  });
});

test("a simulation that is asked for tells who gains and loses, to a repeat as to the first call, and is not told else", async () => {
  const fund = await newFundOfCoins(3);
  const claim = { scope: `${KEY_ID}/prepare/once`, fingerprint: "one" };
  for (const call of ["first", "repeat"]) {
    const input = await sponsorInput("told", { simulate: true, idempotency: claim });
    const prepared = await stub(fund).prepare(input);
    if (!prepared.ok) throw new Error(JSON.stringify(prepared.error));
    const { gasUsed, balanceChanges } = prepared.value.simulation ?? {};
    expect(gasUsed?.computationCostMist, call).toBeGreaterThan(0n);
    const payer = balanceChanges?.filter(({ amount }) => amount < 0n) ?? [];
    expect(payer, "the fund pays for gas").toHaveLength(1);
  }
  const late = await stub(fund).prepare(await sponsorInput("told", { simulate: true, idempotency: claim, leftMs: 0 }));
  expect(late, "a repeat whose time is over").toMatchObject({ error: { reason: "node_unavailable" } });
  const silent = await stub(fund).prepare(await sponsorInput("other"));
  expect(silent).toMatchObject({ ok: true, value: { simulation: null } });
});

const prepared = sponsorship("prepared", { state: "prepared", signedAtMs: null });
const { digest } = prepared;

/** With the store of a real object, in which one sponsorship is prepared. */
async function inFund(check: (store: SqliteSuiFundStore, sql: SqlStorage) => void): Promise<void> {
  await onDisk(await newFund(), (store, sql) => {
    store.transact(() => store.putSponsorship(prepared));
    check(store, sql);
  });
}

/** As it is on disk. */
function rowOf(sql: SqlStorage): string | undefined {
  const rows = sql.exec<{ digest: ArrayBuffer | string; state: number }>("SELECT digest, state FROM sponsorship_row");
  const row = rows.toArray().find((each) => unpacked(each.digest) === digest);
  return row === undefined ? undefined : ["prepared", "signed", "expired", "complete", "dead"][row.state - 2];
}

function rollBack(store: SqliteSuiFundStore, transition: () => void): void {
  const fault = new Error("rolled back");
  expect(() =>
    store.transact(() => {
      transition();
      throw fault;
    }),
  ).toThrow(fault);
}

test("what a rolled back transaction has written is forgotten with its rows", async () => {
  await inFund((store, sql) => {
    rollBack(store, () => {
      store.putSponsorship({ ...prepared, state: "signed", signedAtMs: 1 });
      expect(store.stateOf(digest), "within the transaction").toBe("signed");
    });
    expect(rowOf(sql)).toBe("prepared");
    expect(store.stateOf(digest)).toBe("prepared");
    expect(store.sponsorship(digest)).toEqual(prepared);
  });
});

test("so is what an inner transaction has written whose outer one is rolled back", async () => {
  await inFund((store) => {
    rollBack(store, () => store.transact(() => store.putSponsorship({ ...prepared, state: "signed" })));
    expect(store.sponsorship(digest)).toEqual(prepared);
    rollBack(store, () => store.transact(() => store.putSponsorship({ ...prepared, state: "dead" })));
    expect(store.sponsorship(digest)).toEqual(prepared);
  });
});

test("a row in memory is as it reads back, and one that is over is read", async () => {
  await inFund((store, sql) => {
    const states = ["signed", "expired", "prepared", "signed", "complete"] as const;
    for (const state of states) {
      const row = { ...prepared, state, chargedAtoms: state === "complete" ? 5n : null };
      store.transact(() => store.putSponsorship(row));
      expect(store.sponsorship(digest)).toEqual(row);
      expect(store.stateOf(digest)).toBe(rowOf(sql));
    }
    // Whatever empties the bytes of what has ended is seen.
    sql.exec("DELETE FROM sponsorship_bytes");
    expect(store.sponsorship(digest)?.transactionBytes).toHaveLength(0);
  });
});

test("an execution reads the row of what it has prepared no more", async () => {
  await inFund((store, sql) => {
    const reads = vi.spyOn(sql, "exec");
    expect(store.sponsorship(digest)?.state).toBe("prepared");
    store.transact(() => store.putSponsorship({ ...prepared, state: "signed", signedAtMs: 1 }));
    expect(store.stateOf(digest)).toBe("signed");
    expect(store.sponsorship(digest)?.signedAtMs).toBe(1);
    expect(reads.mock.calls.filter(([query]) => query.startsWith("SELECT"))).toEqual([]);
    reads.mockRestore();
  });
});

test("what memory holds has a bound, and the rows tell the rest", async () => {
  await inFund((store, sql) => {
    // 31 of these take 4 MiB with their own kilobyte.
    const transactionBytes = new Uint8Array(128 * 1_024);
    const rows = Array.from({ length: 40 }, (_, serial) => ({ ...prepared, digest: `d${serial}`, transactionBytes }));
    store.transact(() => {
      for (const row of rows) store.putSponsorship(row);
    });
    const reads = vi.spyOn(sql, "exec");
    for (const row of rows.toReversed()) expect(store.sponsorship(row.digest)?.digest).toBe(row.digest);
    expect(reads).toHaveBeenCalledTimes(40 - 31);
    reads.mockRestore();
  });
});

test("the first answer is the one that a repeat reads, whatever spelling the node has used", async () => {
  await inFund((store) => {
    const owner = { kind: "address", address: "0x5" } as const;
    const state = { version: 2n, digest, owner };
    const change = {
      objectId: `0x${"0".repeat(63)}1`,
      objectType: null,
      operation: "none",
      input: state,
      output: state,
    } as const;
    const event = {
      packageId: "0x2",
      module: "m",
      sender: "0x5",
      eventType: "E",
      contents: new Uint8Array(3),
      json: { n: Number.NaN },
    };
    const given = execution(digest, { checkpoint: null, changedObjects: [change], events: [event] });
    const first = store.transact(() => store.answers.keep(given, 0, true));
    expect(first).toEqual(store.answers.get(digest));
    expect(first).not.toEqual(given);
    expect(store.answers.keep(given, 0)).toEqual(first);
    const shown = store.answers.keep({ ...given, checkpoint: 7n, timestampMs: 8 }, 0);
    expect(shown).toEqual({ ...first, checkpoint: 7n, timestampMs: 8 });
    expect(store.answers.get(digest)).toEqual(shown);
  });
});
