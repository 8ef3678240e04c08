import { runInDurableObject } from "cloudflare:test";
import { GrpcTypes } from "@mysten/sui/grpc";
import { afterEach, expect, test } from "vitest";
import { alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { coinsOf, expectExactBooks, ledgerOf } from "../../../support/fund-books.ts";
import { longTest, variants } from "../../../support/rounds.ts";
import {
  balanceOnChain,
  clearFaults,
  give,
  giveParty,
  LIST,
  LOOK_UP,
  orderFault,
  orderLag,
  SUBMIT,
} from "../../../support/sui-chain.ts";
import {
  crash,
  liveByAlarmsFor,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  platformStub,
  SUI_MIST,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

/** The service's endpoint stands where the chain was before anything of a test. */
const BEFORE_ALL_MS = 3_600_000;

useStoppedClock();
afterEach(() => orderLag(0));

/** The endpoint says honestly of its checkpoint how old that is. */
function asOf(timestampMs: () => number) {
  return alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
    reply.timestamp = { seconds: BigInt(Math.floor(timestampMs() / 1_000)), nanos: 0 };
  });
}

/** What the ledger has of money that came from outside, or went without a transaction of the fund's. */
async function comings(fund: TestFund): Promise<readonly unknown[]> {
  const rows = await ledgerOf(fund);
  return rows
    .filter(({ kind }) => kind === "deposit" || kind === "adjustment")
    .map(({ kind, balanceAtoms }) => [kind, balanceAtoms]);
}

const endpoints: [string, () => () => number][] = [
  [
    "stalls",
    () =>
      (
        (stoppedAtMs) => () =>
          stoppedAtMs
      )(Date.now()),
  ],
  ["lags by twenty minutes", () => () => Date.now() - 20 * MINUTE_MS],
  ["lags by two minutes", () => () => Date.now() - 2 * MINUTE_MS],
];

test.each(variants(endpoints, 2))(
  "an endpoint that %s has no coin dropped that it does not show, nor announced again",
  async (_, timeOf) => {
    const fund = await newFund(9_000_000n);
    await orderLag(BEFORE_ALL_MS);
    alterReplies(asOf(timeOf()));
    await liveFor(fund, 5 * MINUTE_MS + 59_000);
    expect(await coinsOf(fund)).toHaveLength(1);
    await orderLag(0);
    alterReplies(withOurTime);
    await stub(fund).refresh();
    expect(await comings(fund)).toEqual([["deposit", 9_000_000n]]);
    await expectExactBooks(fund);
  },
);

test.each(variants(endpoints, 2))(
  "an endpoint that %s takes nothing out of an address balance that it does not show, nor is it announced again",
  async (_, timeOf) => {
    const fund = await newFundWith({ mode: "address_balance" });
    await give(fund.address, SUI_MIST, "address_balance");
    await stub(fund).refresh();
    await orderLag(BEFORE_ALL_MS);
    alterReplies(asOf(timeOf()));
    await liveFor(fund, 4 * MINUTE_MS);
    await orderLag(0);
    alterReplies(withOurTime);
    await stub(fund).refresh();
    expect(await comings(fund)).toEqual([["deposit", SUI_MIST]]);
    await expectExactBooks(fund);
  },
);

/** A coin, and money in the address balance. */
function invent({ address }: TestFund): void {
  alterReplies(
    withOurTime,
    alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
      objects.push(
        GrpcTypes.Object.create({
          objectId: `0x${"ab".repeat(32)}`,
          version: 7n,
          digest: "11111111111111111111111111111111",
          owner: { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: address },
          balance: 3_000_000n,
        }),
      );
    }),
    alteration("StateService/GetBalance", GrpcTypes.GetBalanceResponse, ({ balance }) => {
      if (balance === undefined) return;
      balance.addressBalance = (balance.addressBalance ?? 0n) + 5_000_000n;
      balance.coinBalance = (balance.coinBalance ?? 0n) + 3_000_000n;
    }),
  );
}

longTest(
  "money that a lying endpoint has invented leaves the books once an honest one has missed it for five minutes",
  async () => {
    const fund = await newFundWith({ mode: "address_balance" });
    await stub(fund).refresh();
    invent(fund);
    await stub(fund).refresh();
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 8_000_000n });
    alterReplies(withOurTime);
    await liveFor(fund, 4 * MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 8_000_000n });
    await liveFor(fund, 2 * MINUTE_MS);
    await expectExactBooks(fund);
  },
);

longTest("once it is shown again, it leaves them only after five more minutes in which it is missed", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await stub(fund).refresh();
  invent(fund);
  await stub(fund).refresh();
  const miss = async () => {
    alterReplies(withOurTime);
    await liveFor(fund, 4 * MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 8_000_000n });
  };
  await miss();
  invent(fund);
  await stub(fund).refresh();
  await miss();
  await liveFor(fund, 2 * MINUTE_MS);
  await expectExactBooks(fund);
});

longTest("it leaves them where each instance lives for one look, too, and nothing of the doubts is kept", async () => {
  const fund = await newFundWith({ mode: "address_balance" });
  await stub(fund).refresh();
  invent(fund);
  await stub(fund).refresh();
  alterReplies(withOurTime);
  // It has seen its chain twice, so that no alarm comes for a second look.
  await liveFor(fund, 10_000);
  await crash();
  await liveByAlarmsFor(fund, 30 * MINUTE_MS);
  expect(await comings(fund)).toEqual([
    ["deposit", 3_000_000n],
    ["deposit", 5_000_000n],
    ["adjustment", -3_000_000n],
    ["adjustment", -5_000_000n],
  ]);
  const doubts = await runInDurableObject(platformStub(fund), (_, { storage: { sql } }) =>
    sql.exec("SELECT * FROM doubt").toArray(),
  );
  expect(doubts).toEqual([]);
  await expectExactBooks(fund);
});

const payments: [string, (fund: TestFund) => Promise<unknown>][] = [
  ["a sweep", ({ address }) => give(address, SUI_MIST)],
  ["a taking-in", ({ address }) => giveParty(address, SUI_MIST)],
];

longTest.each(payments)(
  "%s of the fund's own into its address balance is no deposit while no look-up shows it",
  async (_, pay) => {
    const fund = await newFundWith({ mode: "address_balance" });
    await give(fund.address, SUI_MIST, "address_balance");
    await stub(fund).refresh();
    await pay(fund);
    await orderFault(SUBMIT, "drop_after_commit", 100);
    const code = 5;
    alterReplies(
      withOurTime,
      alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
        for (const transaction of transactions)
          transaction.result = { oneofKind: "error", error: { code, message: "not found", details: [] } };
      }),
    );
    await stub(fund).refresh();
    expect(await balanceOnChain(fund.address)).toMatchObject({ coinMist: 0n });
    await liveFor(fund, MINUTE_MS);
    await clearFaults();
    alterReplies(withOurTime);
    await liveFor(fund, 5 * MINUTE_MS);
    expect(await comings(fund)).toEqual([
      ["deposit", SUI_MIST],
      ["deposit", SUI_MIST],
    ]);
    await expectExactBooks(fund);
  },
);
