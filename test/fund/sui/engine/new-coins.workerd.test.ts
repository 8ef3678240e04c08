import { GrpcTypes } from "@mysten/sui/grpc";
import { expect, test } from "vitest";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { expectExactBooks, ledgerOf } from "../../../support/fund-books.ts";
import { BALANCE, give, LIST, OBJECTS } from "../../../support/sui-chain.ts";
import {
  crash,
  executeOnChain,
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

/** Two endpoints of two hosts. The first one is asked first. */
const [FIRST, SECOND] = ["/sui/first/sui.rpc.", "/sui/second/sui.rpc."];
const HONEST = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
const INVENTED_MIST = 70n * SUI_MIST;
/** Two scans of a fund in use are further apart. */
const SCAN_MS = 15_000;

useStoppedClock();

async function newFund(): Promise<TestFund> {
  alterReplies(...HONEST);
  const fund = await newFundWith({ network: "SUI_MAINNET" });
  await stub(fund).refresh();
  return fund;
}

/** The endpoint counts more in the balance than there is, and lists it as these coins. */
function inventing(change: (listed: GrpcTypes.Object[]) => void): readonly Alteration[] {
  const list = alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => change(objects));
  const balance = alteration(BALANCE, GrpcTypes.GetBalanceResponse, (reply) => {
    if (reply.balance?.coinBalance !== undefined) reply.balance.coinBalance += INVENTED_MIST;
  });
  return [list, balance].map((one) => ({ ...one, endpoint: FIRST }));
}

function invented({ address }: TestFund) {
  return inventing((objects) => {
    const owner = { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address };
    const objectId = `0x${"ab".repeat(32)}`;
    const digest = "11111111111111111111111111111111";
    objects.push(GrpcTypes.Object.create({ objectId, version: 7n, digest, owner, balance: INVENTED_MIST }));
  });
}

/** The endpoint answers no question about single coins. */
const DEAF: Alteration = {
  method: OBJECTS,
  endpoint: SECOND,
  request: () => new Response("busy", { status: 503 }),
};

/** The endpoint's newest checkpoint is two minutes old, and it knows no coin of these minutes. */
const LAGGING: readonly Alteration[] = [
  alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
    reply.timestamp = { seconds: BigInt(Math.floor((Date.now() - 2 * MINUTE_MS) / 1_000)), nanos: 0 };
  }),
  alteration(OBJECTS, GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
    for (const object of objects) object.result = { oneofKind: "error", error: { code: 5, message: "", details: [] } };
  }),
].map((one) => ({ ...one, endpoint: SECOND }));

/** @returns what has come from outside by the books. Transactions of the fund do not count. */
async function scan(fund: TestFund): Promise<bigint> {
  pass(SCAN_MS);
  await stub(fund).refresh();
  const came = (await ledgerOf(fund)).filter(({ kind }) => kind === "deposit" || kind === "adjustment");
  return came.reduce((sum, { balanceAtoms }) => sum + balanceAtoms, 0n);
}

test("a coin that one of two endpoints invents is never booked, and a deposit beside it is booked at once", async () => {
  const fund = await newFund();
  alterReplies(...HONEST, ...invented(fund));
  await give(fund.address, 3n * SUI_MIST);
  expect([await scan(fund), await scan(fund), await scan(fund)]).toEqual([3n, 3n, 3n].map((sui) => sui * SUI_MIST));
  alterReplies(...HONEST);
  await scan(fund);
  expect((await ledgerOf(fund)).filter(({ kind }) => kind === "adjustment")).toEqual([]);
  await expectExactBooks(fund);
});

test("one of two endpoints cannot put money into a coin that the fund has", async () => {
  const fund = await newFund();
  await give(fund.address, 3n * SUI_MIST);
  expect(await scan(fund)).toBe(3n * SUI_MIST);
  const lie = inventing((objects) => {
    for (const object of objects) {
      object.version = (object.version ?? 0n) + 100n;
      object.balance = (object.balance ?? 0n) + INVENTED_MIST;
    }
  });
  alterReplies(...HONEST, ...lie);
  expect([await scan(fund), await scan(fund)]).toEqual([3n * SUI_MIST, 3n * SUI_MIST]);
});

test("one of two endpoints cannot put money into a coin that it lists twice, once as it is", async () => {
  const fund = await newFund();
  const lie = inventing((objects) => {
    for (const object of [...objects]) {
      const { version = 0n, balance = 0n } = object;
      objects.push({ ...object, version: version + 100n, balance: balance + INVENTED_MIST });
    }
  });
  alterReplies(...HONEST, ...lie);
  await give(fund.address, 3n * SUI_MIST);
  expect([await scan(fund), await scan(fund)]).toEqual([3n * SUI_MIST, 3n * SUI_MIST]);
});

test("one of two endpoints cannot move a coin that the fund has to a version that the chain never had", async () => {
  const fund = await newFund();
  await give(fund.address, 3n * SUI_MIST);
  await liveFor(fund, MINUTE_MS);
  const list = alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
    for (const object of objects) object.version = (object.version ?? 0n) + 100n;
  });
  alterReplies(...HONEST, { ...list, endpoint: FIRST });
  await scan(fund);
  alterReplies(...HONEST);
  await scan(fund);
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true, differences: [] } });
  await executeOnChain(await sponsor(fund, "first"));
});

test.each([
  ["does not answer", [DEAF]],
  ["lags", LAGGING],
] as const)(
  "a deposit is booked one scan later if the other endpoint %s, also by a new instance",
  async (_, others) => {
    const fund = await newFund();
    alterReplies(...HONEST, ...others);
    await give(fund.address, 3n * SUI_MIST);
    expect(await scan(fund)).toBe(0n);
    await crash();
    expect(await scan(fund)).toBe(3n * SUI_MIST);
  },
);

test("an endpoint that answers again ends the waiting, and contradicts", async () => {
  const fund = await newFund();
  alterReplies(...HONEST, ...invented(fund), DEAF);
  expect(await scan(fund)).toBe(0n);
  alterReplies(...HONEST, ...invented(fund));
  expect(await scan(fund)).toBe(0n);
  alterReplies(...HONEST, ...invented(fund), DEAF);
  expect(await scan(fund), "the waiting begins anew").toBe(0n);
});
