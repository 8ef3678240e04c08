import { GrpcTypes } from "@mysten/sui/grpc";
import { beforeEach, describe, expect } from "vitest";
import { addEntry } from "../../../../shared/fund/ledger/usage.ts";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { coinsOf, expectExactBooks, ledgerOf, onDisk } from "../../../support/fund-books.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { give, LIST, LOOK_UP, nextEpoch, OBJECTS, SUBMIT } from "../../../support/sui-chain.ts";
import {
  crash,
  execute,
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
  stateOf,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const FIRST = "/sui/first/sui.rpc.";
const SECOND = "/sui/second/sui.rpc.";
const HONEST = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
const COIN_MIST = 9_000_000n;
const GHOST = `0x${"ab".repeat(32)}`;
const ANY_DIGEST = "11111111111111111111111111111111";

useStoppedClock();

/** Books a coin that the chain does not have, as if a node had invented the deposit. */
async function bookGhost(fund: TestFund, balanceMist: bigint): Promise<void> {
  await onDisk(fund, (store) =>
    store.transact(() => {
      const coin = { objectId: GHOST, version: 7n, digest: ANY_DIGEST, balanceMist, maintenance: false };
      store.putCoin({ ...coin, state: "free", heldByDigest: null });
      addEntry(store, { atMs: Date.now(), kind: "deposit", reference: GHOST, balanceAtoms: balanceMist });
    }),
  );
  await crash();
}

/** An endpoint that shows no coin at all. */
function blind(endpoint: string): readonly Alteration[] {
  return [
    alteration(OBJECTS, GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
      for (const object of objects)
        object.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
    }),
    alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, (reply) => {
      reply.objects = [];
    }),
  ].map((one) => ({ ...one, endpoint }));
}

/** An endpoint whose newest checkpoint is two minutes old. */
function lagging(endpoint: string): Alteration {
  const late = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
    reply.timestamp = { seconds: BigInt(Math.floor((Date.now() - 2 * MINUTE_MS) / 1_000)), nanos: 0 };
  });
  return { ...late, endpoint };
}

function deaf(endpoint: string, method = OBJECTS): Alteration {
  return { method, endpoint, request: () => new Response("busy", { status: 503 }) };
}

/** A fund whose network has two endpoints of two hosts. */
async function fundOfTwoEndpoints(): Promise<TestFund> {
  alterReplies(...HONEST);
  const fund = await newFundWith({ network: "SUI_MAINNET" });
  await give(fund.address, COIN_MIST);
  await stub(fund).refresh();
  return fund;
}

async function onlyCoinOf(fund: TestFund): Promise<string> {
  const [coin] = await coinsOf(fund);
  if (coin === undefined) throw new Error("the fund has no coin");
  return coin.objectId;
}

async function corrections(fund: TestFund): Promise<readonly unknown[]> {
  const rows = (await ledgerOf(fund)).filter(({ kind }) => kind === "correction");
  return rows.map(({ reference, balanceAtoms }) => [reference, balanceAtoms]);
}

function refusal(reason: string, text: RegExp) {
  return { ok: false, error: { reason, details: expect.stringMatching(text) } };
}

describe("drop-coin", () => {
  shortTest("books a coin that the chain does not have as a correction, once", async () => {
    const fund = await newFund(COIN_MIST);
    await bookGhost(fund, SUI_MIST);
    const dropped = { ok: true, value: { objectId: GHOST, amountAtoms: SUI_MIST } };
    expect(await stub(fund).dropCoin(GHOST)).toEqual(dropped);
    expect(await stub(fund).dropCoin(GHOST)).toEqual(dropped);
    expect(await corrections(fund)).toEqual([[GHOST, -SUI_MIST]]);
    await expectExactBooks(fund);
  });

  shortTest("knows no coin that the fund never had", async () => {
    expect(await stub(await newFund(COIN_MIST)).dropCoin(GHOST)).toEqual({ ok: true, value: null });
  });

  longTest.each([
    [FIRST, /^other.test shows/],
    [SECOND, /^chain.test shows/],
  ])("is refused while only the endpoint %s does not show the coin", async (endpoint, shows) => {
    const fund = await fundOfTwoEndpoints();
    alterReplies(...HONEST, ...blind(endpoint));
    expect(await stub(fund).dropCoin(await onlyCoinOf(fund))).toMatchObject(refusal("bad_params", shows));
    expect(await corrections(fund)).toEqual([]);
  });

  shortTest("names recover for a coin whose booked version the chain never had", async () => {
    const fund = await newFund(COIN_MIST);
    const forged = alteration(SUBMIT, GrpcTypes.ExecuteTransactionResponse, ({ transaction }) => {
      for (const changed of transaction?.effects?.changedObjects ?? []) changed.outputVersion = 1_000_000n;
    });
    alterReplies(withOurTime, forged);
    expect(await execute(fund, await prepare(fund, "first"))).toMatchObject({ ok: true });
    alterReplies(withOurTime);
    const coin = await onlyCoinOf(fund);
    expect(await stub(fund).dropCoin(coin)).toMatchObject(refusal("bad_params", /run recover/));
    await stub(fund).recover();
    await liveFor(fund, MINUTE_MS);
    expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
    await executeOnChain(await sponsor(fund, "second"));
  });

  longTest("is refused while the only endpoint that answers lags", async () => {
    const fund = await fundOfTwoEndpoints();
    alterReplies(...blind(FIRST), lagging(FIRST), ...HONEST.slice(1), deaf(SECOND));
    const refused = refusal("node_unavailable", /up to date/);
    expect(await stub(fund).dropCoin(await onlyCoinOf(fund))).toMatchObject(refused);
    expect(await corrections(fund)).toEqual([]);
  });

  longTest("takes a coin back that is listed later after all", async () => {
    const fund = await fundOfTwoEndpoints();
    const coin = await onlyCoinOf(fund);
    alterReplies(...HONEST, ...blind(FIRST), ...blind(SECOND));
    expect(await stub(fund).dropCoin(coin)).toMatchObject({ ok: true });
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 0n });
    alterReplies(...HONEST);
    await stub(fund).refresh();
    expect((await ledgerOf(fund)).map(({ kind }) => kind)).toEqual(["deposit", "correction", "adjustment"]);
    await expectExactBooks(fund);
  });

  shortTest("is refused while a sponsorship holds the coin, and names it", async () => {
    const fund = await newFund();
    await bookGhost(fund, COIN_MIST);
    const { digest } = await sponsor(fund, "holds it");
    expect(await stub(fund).dropCoin(GHOST)).toMatchObject(refusal("bad_params", new RegExp(digest)));
    expect(await corrections(fund)).toEqual([]);
  });
});

describe("force-close of a sponsorship", () => {
  shortTest("closes one whose coin the chain does not have, frees its budget, and books the coin once", async () => {
    const fund = await newFund();
    await bookGhost(fund, COIN_MIST);
    const { digest } = await sponsor(fund, "stuck");
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /can be closed from 20/));
    pass(HOUR_MS + MINUTE_MS);
    const closed = { ok: true, value: { digest, state: "dead" } };
    expect(await stub(fund).forceClose(digest)).toEqual(closed);
    expect(await stub(fund).forceClose(digest)).toEqual(closed);
    expect(await stateOf(fund, digest)).toBe("dead");
    expect(await corrections(fund)).toEqual([[digest, -COIN_MIST]]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: 0n, inFlightAtoms: 0n });
    await expectExactBooks(fund);
  });

  shortTest("knows no digest of others", async () => {
    expect(await stub(await newFund(COIN_MIST)).forceClose(ANY_DIGEST)).toEqual({ ok: true, value: null });
  });

  shortTest("is refused while it can still execute, and says until when", async () => {
    const fund = await newFund(COIN_MIST);
    const { digest } = await sponsor(fund, "unmoved");
    pass(HOUR_MS + MINUTE_MS);
    const refused = refusal("bad_params", /may still execute .*repeat after epoch \d+/);
    expect(await stub(fund).forceClose(digest)).toMatchObject(refused);
    expect(await corrections(fund)).toEqual([]);
  });

  longTest.each([
    [FIRST, /may still execute \(node other.test\)/],
    [SECOND, /may still execute \(node chain.test\)/],
  ])("is refused while only the endpoint %s does not show its coin", async (endpoint, shows) => {
    const fund = await fundOfTwoEndpoints();
    const { digest } = await sponsor(fund, "unmoved");
    pass(HOUR_MS + MINUTE_MS);
    alterReplies(...HONEST, ...blind(endpoint));
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", shows));
    expect(await corrections(fund)).toEqual([]);
  });

  longTest("is refused while the only endpoint that answers lags", async () => {
    const fund = await fundOfTwoEndpoints();
    const { digest } = await sponsor(fund, "stuck");
    pass(HOUR_MS + 10 * MINUTE_MS);
    const answersNothing = [deaf(SECOND), deaf(SECOND, LOOK_UP)];
    alterReplies(...blind(FIRST), lagging(FIRST), ...HONEST.slice(1), ...answersNothing);
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("node_unavailable", /up to date/));
    expect(await corrections(fund)).toEqual([]);
  });

  shortTest("settles one that a node shows instead", async () => {
    const fund = await newFund(COIN_MIST);
    const sponsored = await sponsor(fund, "executed");
    await executeOnChain(sponsored);
    pass(HOUR_MS + MINUTE_MS);
    expect(await stub(fund).forceClose(sponsored.digest)).toMatchObject(refusal("bad_params", /is settled now/));
    const ended = { ok: true, value: { digest: sponsored.digest, state: "complete" } };
    expect(await stub(fund).forceClose(sponsored.digest)).toEqual(ended);
    expect(await corrections(fund)).toEqual([]);
    await expectExactBooks(fund);
  });

  longTest("leaves one alone that nobody has signed", async () => {
    const fund = await newFund(COIN_MIST);
    const { digest } = await prepare(fund, "prepared");
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /the fund has not signed it/));
    pass(HOUR_MS + MINUTE_MS);
    expect(await stub(fund).forceClose(digest)).toEqual({ ok: true, value: { digest, state: "dead" } });
    expect(await corrections(fund)).toEqual([]);
  });

  describe("that an address balance pays for", () => {
    async function fundOfBalance(): Promise<TestFund> {
      const fund = await newFundWith({ mode: "address_balance" });
      await give(fund.address, 5n * SUI_MIST, "address_balance");
      await stub(fund).refresh();
      return fund;
    }

    longTest("leaves it alone while its last epoch is not over", async () => {
      const fund = await fundOfBalance();
      const { digest } = await sponsor(fund, "no coin");
      pass(HOUR_MS + MINUTE_MS);
      expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /run recover/));
    });

    shortTest("closes it as dead if a node still has its life, and as unresolvable otherwise, once", async () => {
      const fund = await fundOfBalance();
      const [dead, unresolvable] = [await sponsor(fund, "one"), await sponsor(fund, "other")];
      const pruned = { method: null, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) };
      alterReplies(withOurTime, pruned);
      await nextEpoch();
      pass(2 * HOUR_MS);
      await liveFor(fund, 10 * MINUTE_MS);
      const ended = (digest: string, state: string) => ({ ok: true, value: { digest, state } });
      for (let calls = 0; calls < 2; calls++)
        expect(await stub(fund).forceClose(unresolvable.digest)).toEqual(ended(unresolvable.digest, "unresolvable"));
      alterReplies(withOurTime);
      expect(await stub(fund).forceClose(dead.digest)).toEqual(ended(dead.digest, "dead"));
      expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, balanceAtoms: 5n * SUI_MIST });
      await expectExactBooks(fund);
    });
  });
});

describe("force-close of a transaction of the fund's own", () => {
  beforeEach(() => alterReplies(withOurTime, { method: SUBMIT, request: () => new Response("busy", { status: 503 }) }));

  shortTest("closes one whose coin the chain does not have, and books the coin", async () => {
    const fund = await newFund();
    await bookGhost(fund, 5n * SUI_MIST);
    await stub(fund).refresh();
    const [open] = await onDisk(fund, (store) => store.pendingTreasury());
    if (open === undefined) throw new Error("the fund splits nothing");
    const { digest } = open;
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /can be closed from 20/));
    pass(6 * MINUTE_MS);
    const closed = { ok: true, value: { digest, state: "dead" } };
    expect(await stub(fund).forceClose(digest)).toEqual(closed);
    expect(await stub(fund).forceClose(digest)).toEqual(closed);
    expect(await corrections(fund)).toEqual([[digest, -5n * SUI_MIST]]);
    await expectExactBooks(fund);
  });

  longTest("leaves a withdrawal open that may have paid, as far as one endpoint can tell", async () => {
    const fund = await newFund();
    await bookGhost(fund, COIN_MIST);
    const to = `0x${"9".repeat(64)}`;
    const idempotency = { scope: "stuck", fingerprint: "f" };
    const paid = await stub(fund).withdraw({ to, amountAtoms: 1_000_000n, from: "available", idempotency });
    const digest = paid?.ok ? paid.value.digest : "";
    expect(paid).toMatchObject({ value: { state: "pending" } });
    const pruned = { method: LOOK_UP, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) };
    pass(6 * MINUTE_MS);
    alterReplies(withOurTime, pruned);
    expect(await stub(fund).forceClose(digest)).toMatchObject(refusal("bad_params", /may still execute/));
    alterReplies(withOurTime);
    expect(await stub(fund).forceClose(digest)).toMatchObject({ ok: true, value: { state: "dead" } });
    await expectExactBooks(fund);
  });
});
