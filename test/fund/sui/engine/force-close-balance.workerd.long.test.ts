import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect, test } from "vitest";
import { addEntry } from "../../../../shared/fund/ledger/usage.ts";
import { type Alteration, alteration, alterReplies, pruned } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf, onDisk, ownTransactions, statesOf } from "../../../support/fund-books.ts";
import { BALANCE, gasOnChain, give, nextEpoch, SUBMIT } from "../../../support/sui-chain.ts";
import {
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const FIRST = "/sui/first/sui.rpc.";
const SECOND = "/sui/second/sui.rpc.";
const HONEST = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
const TO = `0x${"8".repeat(64)}`;
const PAID_MIST = 10_000_000n;
/** The chain executes what is submitted, and the fund never gets the answer. */
const LOST: Alteration = { method: SUBMIT, after: () => Promise.reject(new Error("the answer is lost")) };
/** Nothing that is submitted reaches the chain. */
const UNSENT: Alteration = { method: SUBMIT, request: () => new Response("busy", { status: 503 }) };

useStoppedClock();

async function fundOfBalance(settings: object = {}): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance", ...settings });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  return fund;
}

function withdraw(fund: TestFund, scope = "withdraw", from: "available" | "fees" = "available") {
  const idempotency = { scope, fingerprint: "f" };
  return stub(fund).withdraw({ to: TO, amountAtoms: PAID_MIST, from, idempotency });
}

/** Two honest endpoints that have pruned the whole history. */
function atBoth(fate: Alteration): readonly Alteration[] {
  return [...HONEST, ...[FIRST, SECOND].flatMap((endpoint) => [...pruned(endpoint), { ...fate, endpoint }])];
}

/** Orders a withdrawal whose end the fund does not get to know. */
async function stuckWithdrawal(fund: TestFund, fate: Alteration, scope?: string, from?: "available" | "fees") {
  alterReplies(withOurTime, ...pruned(), fate, ...atBoth(fate));
  const ordered = await withdraw(fund, scope, from);
  if (!ordered?.ok) throw new Error("the withdrawal was refused");
  expect(ordered.value.state).toBe("pending");
  return ordered.value.digest;
}

/** The last epoch of everything is over, and the fund has seen that. */
async function endEpochs(fund: TestFund): Promise<void> {
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
  await liveFor(fund, 10 * MINUTE_MS);
}

/** Repeats the call as its refusal says. Every other call meets a new instance. */
async function forceClose(fund: TestFund, digest: string) {
  for (let calls = 0; calls < 6; calls++) {
    const closed = await stub(fund).forceClose(digest);
    if (closed?.ok || closed?.error.reason !== "node_unavailable") return closed;
    if (calls % 2 === 0) await crash();
    pass(6 * MINUTE_MS);
  }
  return null;
}

async function changesOf(fund: TestFund): Promise<readonly string[]> {
  const rows = (await ledgerOf(fund)).filter(({ kind }) => kind !== "reserve" && kind !== "release");
  return rows.map(({ kind, balanceAtoms }) => `${kind} ${balanceAtoms}`);
}

function unresolvable(digest: string) {
  return { ok: true, value: { digest, state: "unresolvable" } };
}

describe("force-close of a withdrawal from an address balance that no node shows", () => {
  test("is refused while it can still execute, and ends it as unresolvable after its epoch, once", async () => {
    const fund = await fundOfBalance();
    const digest = await stuckWithdrawal(fund, LOST);
    pass(6 * MINUTE_MS);
    const refused = { ok: false, error: { reason: "bad_params", details: expect.stringMatching(/may still execute/) } };
    expect(await stub(fund).forceClose(digest)).toMatchObject(refused);
    await endEpochs(fund);
    expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    const takenMist = PAID_MIST + ((await gasOnChain(digest)) ?? 0n);
    const changes = [`deposit ${SUI_MIST}`, `correction ${-takenMist}`];
    expect(await changesOf(fund)).toEqual(changes);
    expect(await stub(fund).forceClose(digest)).toEqual(unresolvable(digest));
    alterReplies(withOurTime);
    expect(await withdraw(fund), "a repeat pays nothing").toEqual(unresolvable(digest));
    await liveFor(fund, HOUR_MS);
    expect(await changesOf(fund)).toEqual(changes);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST - takenMist, pausedCause: null });
    await expectExactBooks(fund);
  });

  test("books nothing if it never reached the chain, and never sends it again", async () => {
    const fund = await fundOfBalance();
    const digest = await stuckWithdrawal(fund, UNSENT);
    await endEpochs(fund);
    expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    alterReplies(withOurTime);
    await liveFor(fund, HOUR_MS);
    expect(await gasOnChain(digest)).toBe(null);
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`]);
    await expectExactBooks(fund);
  });

  test("books nothing if a deposit hides its cost, and stays exact", async () => {
    const fund = await fundOfBalance();
    const digest = await stuckWithdrawal(fund, LOST);
    await endEpochs(fund);
    const takenMist = PAID_MIST + ((await gasOnChain(digest)) ?? 0n);
    await give(fund.address, takenMist, "address_balance");
    expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    alterReplies(withOurTime);
    await liveFor(fund, HOUR_MS);
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`]);
    expect(await withdraw(fund)).toEqual(unresolvable(digest));
    await expectExactBooks(fund);
  });

  test("ends it as dead if a node still has its whole life", async () => {
    const fund = await fundOfBalance();
    const digest = await stuckWithdrawal(fund, UNSENT);
    await endEpochs(fund);
    alterReplies(withOurTime);
    expect(await stub(fund).forceClose(digest)).toEqual({ ok: true, value: { digest, state: "dead" } });
    await expectExactBooks(fund);
  });

  test("collects fees no second time", async () => {
    const fund = await fundOfBalance();
    await onDisk(fund, (store) =>
      store.transact(() =>
        addEntry(store, { atMs: Date.now(), kind: "correction", reference: "fees", accruedFeesAtoms: PAID_MIST }),
      ),
    );
    await crash();
    const digest = await stuckWithdrawal(fund, LOST, "fees", "fees");
    await endEpochs(fund);
    expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    expect(await stub(fund).view()).toMatchObject({ accruedFeesAtoms: 0n });
    const again = await withdraw(fund, "new key", "fees");
    expect(again).toMatchObject({ ok: false, error: { reason: "balance_too_low" } });
    await expectExactBooks(fund);
  });

  test("closes two of them and a stuck sponsorship together, by one correction", async () => {
    const fund = await fundOfBalance();
    const executed = await sponsor(fund, "executed");
    await executeOnChain(executed);
    const digests = [await stuckWithdrawal(fund, LOST, "one"), await stuckWithdrawal(fund, LOST, "two")];
    await endEpochs(fund);
    await liveFor(fund, 50 * MINUTE_MS);
    for (const digest of digests) expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    expect(await statesOf(fund, [executed])).toEqual(["unresolvable"]);
    let takenMist = 2n * PAID_MIST;
    for (const digest of [...digests, executed.digest]) takenMist += (await gasOnChain(digest)) ?? 0n;
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`, `correction ${-takenMist}`]);
    await expectExactBooks(fund);
  });

  test("closes more of them than one call looks up, by one correction", async () => {
    const fund = await fundOfBalance();
    const digests: string[] = [];
    while (digests.length < 21) digests.push(await stuckWithdrawal(fund, LOST, `withdraw ${digests.length}`));
    await endEpochs(fund);
    const [first = ""] = digests;
    const left = {
      reason: "node_unavailable",
      details: expect.stringMatching(/^1 other .*: repeat the call now$/),
    };
    expect(await stub(fund).forceClose(first)).toMatchObject({ ok: false, error: left });
    for (let calls = 0; calls < 4 && !(await stub(fund).forceClose(first))?.ok; calls++) pass(6 * MINUTE_MS);
    const states = (await ownTransactions(fund, "withdraw")).map(({ state }) => state);
    expect(states).toEqual(digests.map(() => "unresolvable"));
    let takenMist = 0n;
    for (const digest of digests) takenMist += PAID_MIST + ((await gasOnChain(digest)) ?? 0n);
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`, `correction ${-takenMist}`]);
    await expectExactBooks(fund);
  });

  test("closes nothing while one of two hosts hides its cost", async () => {
    alterReplies(...HONEST);
    const fund = await fundOfBalance({ network: "SUI_MAINNET" });
    const digest = await stuckWithdrawal(fund, LOST);
    await endEpochs(fund);
    const full = alteration(BALANCE, GrpcTypes.GetBalanceResponse, ({ balance }) => {
      if (balance === undefined) return;
      balance.addressBalance = SUI_MIST;
      balance.balance = SUI_MIST;
    });
    alterReplies(...atBoth(LOST), { ...full, endpoint: FIRST });
    expect(await forceClose(fund, digest)).toBe(null);
    expect(await changesOf(fund)).toEqual([`deposit ${SUI_MIST}`]);
    alterReplies(...atBoth(LOST));
    expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
    await expectExactBooks(fund);
  });

  test("is what a recovery ends it as, too", async () => {
    const fund = await fundOfBalance();
    const digest = await stuckWithdrawal(fund, LOST);
    await endEpochs(fund);
    await stub(fund).recover();
    await nextEpoch();
    await nextEpoch();
    await liveFor(fund, 2 * HOUR_MS);
    expect((await stub(fund).view())?.recovery).toMatchObject({ state: "done" });
    expect(await ownTransactions(fund, "withdraw")).toMatchObject([{ digest, state: "unresolvable" }]);
    expect(await withdraw(fund)).toEqual(unresolvable(digest));
    await expectExactBooks(fund);
  });
});

test("force-close of a conversion into the address balance books its coins and their amount as corrections", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  alterReplies(withOurTime, ...pruned(), LOST);
  await give(fund.address, SUI_MIST);
  await stub(fund).refresh();
  const [open] = await ownTransactions(fund, "convert");
  const digest = open?.digest ?? "";
  expect(open).toMatchObject({ state: "pending", paysToAddressBalance: true });
  await endEpochs(fund);
  expect(await forceClose(fund, digest)).toEqual(unresolvable(digest));
  const gasMist = (await gasOnChain(digest)) ?? 0n;
  expect(await changesOf(fund)).toEqual([
    `deposit ${SUI_MIST}`,
    `correction ${-SUI_MIST}`,
    `correction ${SUI_MIST - gasMist}`,
  ]);
  await expectExactBooks(fund);
});
