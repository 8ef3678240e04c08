import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect } from "vitest";
import { addEntry } from "../../../../shared/fund/ledger/usage.ts";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { coinsOf, expectExactBooks, ledgerOf, onDisk, statesOf } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { gasOnChain, give, LOOK_UP, nextEpoch } from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  prepare,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

/** `google.rpc.Code.NOT_FOUND`: the endpoint has pruned it. */
const NOT_FOUND = 5;
/** `google.rpc.Code.INTERNAL`: the endpoint cannot answer about it. */
const INTERNAL = 13;
const FIRST = "/sui/first/sui.rpc.";
const SECOND = "/sui/second/sui.rpc.";

useStoppedClock();

/** An endpoint that has pruned the whole history, and answers each look-up with this status. */
function refusing(code: number): readonly Alteration[] {
  const forgetful = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions)
      transaction.result = { oneofKind: "error", error: { code, message: "", details: [] } };
  });
  return [forgetful, { method: null, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) }];
}

function pruned(endpoint?: string): readonly Alteration[] {
  return refusing(NOT_FOUND).map((one) => (endpoint === undefined ? one : { ...one, endpoint }));
}

async function fundOfBalance(settings: object = {}): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance", ...settings });
  await give(fund.address, SUI_MIST, "address_balance");
  await stub(fund).refresh();
  return fund;
}

/** The service stands still until the last epoch of everything is over. */
async function sleepTwoEpochs(): Promise<void> {
  await nextEpoch();
  await nextEpoch();
  pass(2 * HOUR_MS);
}

async function corrections(fund: TestFund): Promise<readonly bigint[]> {
  return (await ledgerOf(fund)).filter(({ kind }) => kind === "correction").map(({ balanceAtoms }) => balanceAtoms);
}

describe("a sponsorship from the address balance that no endpoint can show any more", () => {
  shortTest("is unresolvable an hour after its last epoch, and its amount is available again", async () => {
    const fund = await fundOfBalance();
    const abandoned = await sponsor(fund, "abandoned");
    await sleepTwoEpochs();
    alterReplies(withOurTime, ...pruned());
    await liveFor(fund, 50 * MINUTE_MS);
    expect(await statesOf(fund, [abandoned])).toEqual(["signed"]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
    await crash();
    await liveFor(fund, 20 * MINUTE_MS);
    expect(await statesOf(fund, [abandoned])).toEqual(["unresolvable"]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, balanceAtoms: SUI_MIST, pausedCause: null });
    expect(await corrections(fund)).toEqual([]);
    const due = await onDisk(fund, (_, sql) => sql.exec("SELECT kind FROM due WHERE kind = 'unresolved'").toArray());
    expect(due, "nothing is looked up for it any more").toEqual([]);
    expect(await stub(fund).status(abandoned.digest)).toMatchObject({ error: { reason: "node_unavailable" } });
    await expectExactBooks(fund);
    alterReplies(withOurTime);
    const invalid = { ok: true, value: "INVALID" };
    expect(await stub(fund).status(abandoned.digest), "a node has its whole life again").toEqual(invalid);
  });

  longTest("is corrected by what it has cost, and completes once an endpoint shows it", async () => {
    const fund = await fundOfBalance();
    const executed = await sponsor(fund, "executed");
    const other = await sponsor(fund, "abandoned");
    await executeOnChain(executed);
    await sleepTwoEpochs();
    alterReplies(withOurTime, ...pruned());
    await liveFor(fund, 100 * MINUTE_MS);
    const gasMist = (await gasOnChain(executed.digest)) ?? 0n;
    expect(await statesOf(fund, [executed, other])).toEqual(["unresolvable", "unresolvable"]);
    expect(await corrections(fund)).toEqual([-gasMist]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST - gasMist, pausedCause: null });
    await expectExactBooks(fund);

    alterReplies(withOurTime);
    expect(await stub(fund).status(executed.digest)).toEqual({ ok: true, value: "COMPLETE" });
    expect(await statesOf(fund, [executed, other])).toEqual(["complete", "unresolvable"]);
    expect(await corrections(fund)).toEqual([-gasMist, gasMist]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: SUI_MIST - gasMist });
    await expectExactBooks(fund);
  });

  longTest("is closed beside a live one, and books nothing of what that one may cost", async () => {
    const fund = await fundOfBalance();
    const executed = await sponsor(fund, "executed");
    await executeOnChain(executed);
    await sleepTwoEpochs();
    alterReplies(withOurTime, ...pruned());
    await liveFor(fund, 50 * MINUTE_MS);
    const live = await sponsor(fund, "live");
    await liveFor(fund, 50 * MINUTE_MS);
    const gasMist = (await gasOnChain(executed.digest)) ?? 0n;
    expect(await statesOf(fund, [executed, live])).toEqual(["unresolvable", "signed"]);
    expect(await corrections(fund)).toEqual([-gasMist]);
  });

  longTest("leaves a fund paused from which more is gone than it can have cost", async () => {
    const fund = await fundOfBalance();
    await sponsor(fund, "abandoned");
    const balanceMist = SUI_MIST + 10n * BUDGET_MIST;
    await onDisk(fund, (store) =>
      store.transact(() => {
        const change = { balanceAtoms: 10n * BUDGET_MIST, addressBalanceAtoms: 10n * BUDGET_MIST };
        addEntry(store, { atMs: Date.now(), kind: "adjustment", reference: "never there", ...change });
      }),
    );
    await crash();
    await sleepTwoEpochs();
    alterReplies(withOurTime, ...pruned());
    await liveFor(fund, 2 * HOUR_MS);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: balanceMist, pausedCause: "state_behind_chain" });
    expect(await corrections(fund)).toEqual([]);
  });

  longTest("completes if the second host still shows it", async () => {
    const honest = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
    alterReplies(...honest);
    const fund = await fundOfBalance({ network: "SUI_MAINNET" });
    const executed = await sponsor(fund, "executed");
    await executeOnChain(executed);
    await sleepTwoEpochs();
    alterReplies(...honest, ...pruned(FIRST));
    await liveFor(fund, 100 * MINUTE_MS);
    expect(await statesOf(fund, [executed])).toEqual(["complete"]);
    expect(await corrections(fund)).toEqual([]);
    await expectExactBooks(fund);
  });
});

describe("a sponsorship with a coin that no endpoint can show any more", () => {
  shortTest("is dead if no look-up is ever answered, and its coin stands where it was", async () => {
    const fund = await newFund(9_000_000n);
    const { digest } = await sponsor(fund, "unread");
    await sleepTwoEpochs();
    alterReplies(withOurTime, ...refusing(INTERNAL));
    await liveFor(fund, 100 * MINUTE_MS);
    expect(await statesOf(fund, [{ digest }])).toEqual(["dead"]);
    expect((await coinsOf(fund)).map(({ state }) => state)).toEqual(["free"]);
    await expectExactBooks(fund);
  });
});

shortTest("an unresolvable sponsorship is not executed again", async () => {
  const fund = await fundOfBalance();
  const prepared = await prepare(fund, "prepared");
  await onDisk(fund, (store) =>
    store.transact(() => {
      const row = store.sponsorship(prepared.digest);
      if (row !== null) store.putSponsorship({ ...row, state: "signed", signedAtMs: Date.now() });
    }),
  );
  await crash();
  await sleepTwoEpochs();
  alterReplies(withOurTime, ...pruned());
  await liveFor(fund, 100 * MINUTE_MS);
  expect(await statesOf(fund, [prepared])).toEqual(["unresolvable"]);
  const call = { digest: prepared.digest, senderSignature: "", waitForLocalExecution: false, idempotency: null };
  expect(await stub(fund).execute(call)).toMatchObject({ error: { reason: "outcome_unknown" } });
});
