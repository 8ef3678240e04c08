import { GrpcTypes } from "@mysten/sui/grpc";
import { describe, expect, test } from "vitest";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks } from "../../../support/fund-books.ts";
import { copyOf, putBack, recoverFully } from "../../../support/restore.ts";
import { longTest, shortTest, variants } from "../../../support/rounds.ts";
import { callsOf, give, LIST, LOOK_UP, OBJECTS } from "../../../support/sui-chain.ts";
import {
  executeOnChain,
  HOUR_MS,
  KEY_ID,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  refusalOf,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const OUTSIDE = `0x${"9".repeat(64)}`;

useStoppedClock();

async function addressBalanceFund(): Promise<TestFund> {
  const fund = await newFundWith({ mode: "address_balance" });
  await give(fund.address, 5n * SUI_MIST, "address_balance");
  await stub(fund).refresh();
  return fund;
}

async function withdraw(fund: TestFund, amountAtoms: bigint): Promise<void> {
  const idempotency = { scope: "forgotten", fingerprint: "f" };
  const paid = await stub(fund).withdraw({ to: OUTSIDE, amountAtoms, from: "available", idempotency });
  expect(paid).toMatchObject({ value: { state: "complete" } });
}

async function expectBehind(fund: TestFund): Promise<void> {
  const view = await stub(fund).view();
  expect(view).toMatchObject({ pausedCause: "state_behind_chain", recovery: { state: "needed" } });
  expect(view?.recovery?.evidence).toMatch(/which its stored state does not know|and no (row|transaction)/);
  expect(await refusalOf(fund, "afterwards")).toBe("fund_paused");
}

const events: Readonly<Record<string, (fund: TestFund) => Promise<unknown>>> = {
  "an executed sponsorship": async (fund) => executeOnChain(await sponsor(fund, "forgotten")),
  "a withdrawal": (fund) => withdraw(fund, SUI_MIST),
  "a refill": async (fund) => {
    await give(fund.address, 3n * SUI_MIST);
    await stub(fund).refresh();
  },
  "a recycling": async (fund) => {
    await sponsor(fund, "abandoned");
    pass(HOUR_MS);
    await liveFor(fund, 2 * MINUTE_MS);
  },
  "a revocation": async (fund) => {
    await sponsor(fund, "revoked");
    await stub(fund).revoke(KEY_ID);
  },
};

describe("a fund with a state older than its chain pauses by itself, and says why", () => {
  test.each(variants(Object.entries(events), 3))("if it has forgotten %s", async (_, forget) => {
    const fund = await newFund(5n * SUI_MIST);
    const copy = await copyOf(fund);
    await forget(fund);
    await putBack(fund, copy);
    await liveFor(fund, MINUTE_MS);
    await expectBehind(fund);
    await recoverFully(fund, "coin");
    expect(await refusalOf(fund, "recovered")).toBe(null);
  });

  longTest.each(["an executed sponsorship", "a withdrawal"])(
    "if its address balance has paid for %s",
    async (event) => {
      const fund = await addressBalanceFund();
      const copy = await copyOf(fund);
      await events[event]?.(fund);
      await putBack(fund, copy);
      await liveFor(fund, 15 * MINUTE_MS);
      await expectBehind(fund);
    },
  );

  shortTest("if a held coin was moved by a transaction that no row knows", async () => {
    const fund = await newFund(9_000_000n);
    await sponsor(fund, "held");
    const copy = await copyOf(fund);
    // It pays for the recycling.
    await give(fund.address, 9_000_000n);
    await stub(fund).refresh();
    pass(HOUR_MS);
    await liveFor(fund, 2 * MINUTE_MS);
    await putBack(fund, copy);
    await liveFor(fund, 10 * MINUTE_MS);
    await expectBehind(fund);
  });
});

describe("a fund does not pause", () => {
  const [FIRST, SECOND] = ["/sui/first/sui.rpc.", "/sui/second/sui.rpc."];
  const ours = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));

  /** One endpoint shows every coin at a later version, written by a transaction that the fund has paid for. */
  function lies({ address }: TestFund, digest: string): readonly Alteration[] {
    const gasPayment = { objects: [], owner: address, price: 1_000n, budget: 1_000n };
    const transaction = GrpcTypes.ExecutedTransaction.create({ digest, transaction: { gasPayment } });
    return [
      alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
        for (const object of objects) object.version = (object.version ?? 0n) + 5n;
      }),
      alteration(OBJECTS, GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
        for (const { result } of objects)
          if (result.oneofKind === "object") {
            result.object.version = (result.object.version ?? 0n) + 5n;
            result.object.previousTransaction = digest;
          }
      }),
      alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
        for (const found of transactions) found.result = { oneofKind: "transaction", transaction };
      }),
    ].map((lie) => ({ ...lie, endpoint: FIRST }));
  }

  shortTest("if one of two endpoints lies about its coins, and books none of it", async () => {
    alterReplies(withOurTime, ...ours);
    const fund = await newFundWith({ network: "SUI_MAINNET" });
    await give(fund.address, 9_000_000n);
    await stub(fund).refresh();
    const { digest } = await sponsor(await newFund(5n * SUI_MIST), "of another fund");
    alterReplies(withOurTime, ...ours, ...lies(fund, digest));
    await stub(fund).refresh();
    await stub(fund).status(digest);
    await liveFor(fund, 10 * MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null, recovery: null });
    alterReplies(withOurTime, ...ours);
    await stub(fund).refresh();
    await expectExactBooks(fund);
  });
});

describe("the status of a digest that no row knows", () => {
  longTest.each(["coin", "address_balance"] as const)("is COMPLETE if %s of the fund has paid for it", async (mode) => {
    const fund = mode === "coin" ? await newFund(5n * SUI_MIST) : await addressBalanceFund();
    const copy = await copyOf(fund);
    const forgotten = await sponsor(fund, "forgotten");
    await executeOnChain(forgotten);
    await putBack(fund, copy);
    expect(await stub(fund).status(forgotten.digest)).toEqual({ ok: true, value: "COMPLETE" });
    await liveFor(fund, 0);
    await expectBehind(fund);
    await recoverFully(fund, mode);
    expect(await stub(fund).status(forgotten.digest)).toEqual({ ok: true, value: "COMPLETE" });
    await liveFor(fund, MINUTE_MS);
    expect(await stub(fund).view(), "a recovered fund has paid for it too").toMatchObject({ pausedCause: null });
  });

  shortTest("is INVALID if another fund has paid for it, and this fund does not pause", async () => {
    const [fund, other] = [await newFund(5n * SUI_MIST), await newFund(5n * SUI_MIST)];
    const foreign = await sponsor(other, "of another fund");
    await executeOnChain(foreign);
    expect(await stub(fund).status(foreign.digest)).toEqual({ ok: true, value: "INVALID" });
    expect(await stub(fund).view()).toMatchObject({ pausedCause: null });
  });

  longTest("costs few look-ups, however many callers there are and however often they ask", async () => {
    const fund = await newFund(5n * SUI_MIST);
    const other = await newFund(5n * SUI_MIST);
    const { digest } = await sponsor(other, "open");
    const before = await callsOf(LOOK_UP);
    for (let round = 0; round < 3; round++)
      for (const status of await Promise.all(Array.from({ length: 40 }, () => stub(fund).status(digest))))
        expect(status).toEqual({ ok: true, value: "INVALID" });
    expect((await callsOf(LOOK_UP)) - before).toBeLessThanOrEqual(2);
    expect(await stub(fund).status("no digest")).toEqual({ ok: true, value: "INVALID" });
    expect((await callsOf(LOOK_UP)) - before).toBeLessThanOrEqual(2);
  });
});
