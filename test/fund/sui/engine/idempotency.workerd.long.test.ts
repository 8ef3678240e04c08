import { describe, expect, test } from "vitest";
import { expectExactBooks, onDisk } from "../../../support/fund-books.ts";
import { callsOf, clearFaults, DRY_RUN, LOOK_UP, orderFault, SUBMIT } from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  crash,
  crashDuring,
  execute,
  executeOnChain,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFundOfCoins,
  pass,
  prepare,
  SECOND_MS,
  sponsor,
  sponsorInput,
  stub,
  type TestFund,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const claim = { scope: `${KEY_ID} gas_sponsorTransactionBlock order 7`, fingerprint: "the same request" };
const executionClaim = { scope: `${KEY_ID} gas_executeTransactionBlock order 7`, fingerprint: "the same execution" };
const DAY_MS = 24 * HOUR_MS;
/** More faults than a call has look-ups. */
const UNTIL_CLEARED = 1_000;

useStoppedClock();

async function rowsOf(fund: TestFund): Promise<number> {
  return (await stub(fund).sponsorships({ limit: 100, cursor: null }))?.items.length ?? 0;
}

function keptClaims(fund: TestFund): Promise<number> {
  return onDisk(fund, (_, sql) => sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM idempotency").one().count);
}

describe("sponsoring with an Idempotency-Key", () => {
  test("twice at once makes one sponsorship: both calls have the same bytes and signature", async () => {
    const fund = await newFundOfCoins(3);
    const both = await Promise.all(Array.from({ length: 5 }, () => sponsor(fund, "one", { idempotency: claim })));
    for (const answer of both) expect(answer).toEqual(both[0]);
    expect(await rowsOf(fund)).toBe(1);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
  });

  test("a second call while the first waits for its dry run waits for the same answer", async () => {
    const fund = await newFundOfCoins(3);
    await orderFault(DRY_RUN, "delay", 1, 200);
    const before = await callsOf(DRY_RUN);
    const terms = { idempotency: claim, gasBudgetMist: null };
    const [first, second] = await Promise.all([sponsor(fund, "one", terms), sponsor(fund, "one", terms)]);
    expect(second).toEqual(first);
    expect(await callsOf(DRY_RUN), "asked once").toBe(before + 1);
    expect(await rowsOf(fund)).toBe(1);
  });

  test("again, later and after a crash, answers the same bytes and signature, also when they have been executed", async () => {
    const fund = await newFundOfCoins(3);
    const first = await sponsor(fund, "one", { idempotency: claim });
    pass(30 * MINUTE_MS);
    expect(await sponsor(fund, "one", { idempotency: claim })).toEqual(first);
    await crash();
    expect(await sponsor(fund, "one", { idempotency: claim })).toEqual(first);
    await executeOnChain(first);
    await liveFor(fund, SECOND_MS);
    pass(2 * HOUR_MS);
    await liveFor(fund, SECOND_MS);
    expect(await sponsor(fund, "one", { idempotency: claim })).toEqual(first);
    expect(await rowsOf(fund)).toBe(1);
  });

  test("again after a crash before anything was committed, sponsors once", async () => {
    const fund = await newFundOfCoins(3);
    const terms = { idempotency: claim, gasBudgetMist: null };
    await crashDuring(() => sponsor(fund, "one", terms), "after", DRY_RUN);
    expect(await rowsOf(fund)).toBe(0);
    const first = await sponsor(fund, "one", terms);
    expect(await sponsor(fund, "one", terms)).toEqual(first);
    expect(await rowsOf(fund)).toBe(1);
  });

  test("for another request is a conflict, and holds nothing more", async () => {
    const fund = await newFundOfCoins(3);
    await sponsor(fund, "one", { idempotency: claim });
    const other = await sponsorInput("another", { idempotency: { ...claim, fingerprint: "another request" } });
    expect(await stub(fund).sponsor(other)).toMatchObject({ error: { reason: "idempotency_conflict" } });
    expect(await rowsOf(fund)).toBe(1);
  });

  test("whose sponsorship has expired is a conflict that names it, until the key is forgotten after a day", async () => {
    const fund = await newFundOfCoins(3);
    const first = await sponsor(fund, "one", { idempotency: claim });
    const again = async () => stub(fund).sponsor(await sponsorInput("one", { idempotency: claim }));
    const conflict = { error: { reason: "idempotency_conflict", data: { digest: first.digest } } };
    pass(HOUR_MS);
    await liveFor(fund, 5 * SECOND_MS);
    expect(await again(), "expired").toMatchObject(conflict);
    await liveFor(fund, MINUTE_MS);
    expect(await again(), "dead").toMatchObject(conflict);
    pass(DAY_MS - HOUR_MS);
    const anew = await again();
    expect(anew).toMatchObject({ ok: true });
    expect(anew).not.toMatchObject({ value: { digest: first.digest } });
    pass(DAY_MS);
    await liveFor(fund, 30 * SECOND_MS);
    expect(await keptClaims(fund), "what is forgotten takes no room").toBe(0);
  });

  test("that was refused is not kept: the same key may try again, with another request too", async () => {
    const fund = await newFundOfCoins(3);
    await stub(fund).update({ paused: true });
    const refused = await sponsorInput("one", { idempotency: { ...claim, fingerprint: "refused" } });
    expect(await stub(fund).sponsor(refused)).toMatchObject({ error: { reason: "fund_paused" } });
    expect(await keptClaims(fund)).toBe(0);
    await stub(fund).update({ paused: false });
    await sponsor(fund, "one", { idempotency: claim });
    expect(await rowsOf(fund)).toBe(1);
  });
});

describe("preparing with an Idempotency-Key", () => {
  test("twice at once and again after a crash makes one sponsorship", async () => {
    const fund = await newFundOfCoins(3);
    const terms = { idempotency: claim };
    const [first, second] = await Promise.all([prepare(fund, "one", terms), prepare(fund, "one", terms)]);
    expect(second).toEqual(first);
    await crash();
    expect(await prepare(fund, "one", terms)).toEqual(first);
    expect(await rowsOf(fund)).toBe(1);
  });

  test("is a conflict once the ten minutes are over, even before the alarm has freed it", async () => {
    const fund = await newFundOfCoins(3);
    await prepare(fund, "one", { idempotency: claim });
    pass(10 * MINUTE_MS);
    const again = async () => stub(fund).prepare(await sponsorInput("one", { idempotency: claim }));
    expect(await again()).toMatchObject({ error: { reason: "idempotency_conflict" } });
    await liveFor(fund, SECOND_MS);
    expect(await again()).toMatchObject({ error: { reason: "idempotency_conflict" } });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  });
});

describe("executing with an Idempotency-Key", () => {
  test("twice at once executes once, and both calls have the same execution", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const before = await callsOf(SUBMIT);
    const input = { idempotency: executionClaim };
    const [first, second] = await Promise.all([execute(fund, prepared, input), execute(fund, prepared, input)]);
    expect(first).toMatchObject({ value: { execution: { digest: prepared.digest, success: true } } });
    expect(second).toMatchObject({ value: { execution: { digest: prepared.digest, success: true } } });
    expect(await callsOf(SUBMIT), "submitted once").toBe(before + 1);
    await expectExactBooks(fund);
  });

  test("again after a crash answers what the chain shows", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const input = { idempotency: executionClaim };
    const first = await execute(fund, prepared, input);
    await crash();
    expect(await execute(fund, prepared, input)).toEqual(first);
    pass(2 * HOUR_MS);
    expect(await execute(fund, prepared, input)).toEqual(first);
  });

  test.each(["before", "after"] as const)("crashed %s its submit, and repeated, executes once", async (moment) => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const input = { idempotency: executionClaim };
    await crashDuring(() => execute(fund, prepared, input), moment, SUBMIT);
    expect(await execute(fund, prepared, input)).toMatchObject({ value: { execution: { success: true } } });
    await expectExactBooks(fund);
  });

  test("of an unknown outcome looks it up first, and never submits other bytes", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const input = { idempotency: executionClaim };
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(LOOK_UP, "unavailable", UNTIL_CLEARED);
    expect(await execute(fund, prepared, input)).toMatchObject({
      error: { reason: "outcome_unknown", data: { digest: prepared.digest } },
    });
    await clearFaults();
    expect(await execute(fund, prepared, input)).toMatchObject({ value: { execution: { digest: prepared.digest } } });
    await expectExactBooks(fund);
  });

  test("of an unknown outcome is told the truth, although the hour is over and nobody has looked yet", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const input = { idempotency: executionClaim };
    await orderFault(SUBMIT, "drop_after_commit");
    await orderFault(LOOK_UP, "unavailable", UNTIL_CLEARED);
    expect(await execute(fund, prepared, input)).toMatchObject({ error: { reason: "outcome_unknown" } });
    await clearFaults();
    pass(2 * HOUR_MS);
    expect(await execute(fund, prepared, input)).toMatchObject({ value: { execution: { digest: prepared.digest } } });
    await expectExactBooks(fund);
  });

  test("for another digest is a conflict, and that one is not executed", async () => {
    const fund = await newFundOfCoins(3);
    const one = await prepare(fund, "one");
    const other = await prepare(fund, "other");
    await execute(fund, one, { idempotency: executionClaim });
    const idempotency = { ...executionClaim, fingerprint: "another execution" };
    expect(await execute(fund, other, { idempotency })).toMatchObject({ error: { reason: "idempotency_conflict" } });
    expect(await execute(fund, other)).toMatchObject({ ok: true });
  });

  test("a refusal is not kept", async () => {
    const fund = await newFundOfCoins(3);
    const prepared = await prepare(fund, "one");
    const { signature: senderSignature } = { signature: "A".repeat(132) };
    expect(await execute(fund, prepared, { idempotency: executionClaim, senderSignature })).toMatchObject({
      error: { reason: "bad_signature" },
    });
    expect(await keptClaims(fund)).toBe(0);
    expect(await execute(fund, prepared, { idempotency: executionClaim })).toMatchObject({ ok: true });
  });
});
