import { GrpcTypes } from "@mysten/sui/grpc";
import { expect, test } from "vitest";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { DEMO_PACKAGE } from "../../../devchain/demo.ts";
import { messageResponse } from "../../../devchain/sui/grpc-web.ts";
import {
  DRY_RUN,
  give,
  giveDust,
  giveForeign,
  giveParty,
  LIST,
  LIST_BALANCES,
  nodeDown,
  orderFault,
} from "../../../support/sui-chain.ts";
import {
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
const SUI = `0x${"2".padStart(64, "0")}::sui::SUI`;
/** Node pages that one call of ours reads at most. */
const MOST_READS = 5;

useStoppedClock();

async function unusable(fund: TestFund, limit = 100, cursor: string | null = null) {
  const listed = await stub(fund).unusable({ limit, cursor });
  if (!listed?.ok) throw new Error(JSON.stringify(listed));
  return listed.value;
}

test.each(["coin", "address_balance"] as const)(
  "whatever a stranger has sent is shown with its owner kind and cause, and no money is (%s)",
  async (mode) => {
    const fund = await newFundWith({ mode });
    await give(fund.address, 3n * SUI_MIST, mode);
    await stub(fund).refresh();
    await giveForeign(fund.address);
    await giveDust(fund.address, 30);
    const { items, nextCursor } = await unusable(fund);
    expect(nextCursor).toBe(null);
    const party = { kind: "coin", type: SUI, owner: "consensus", objects: 1 };
    const listed = [
      { kind: "object", type: `${DEMO_PACKAGE}::demo::Parcel`, owner: "address", objects: 1, amountAtoms: null },
      { kind: "coin", type: DEMO, owner: "address", objects: 1, amountAtoms: 5n },
      { kind: "coin", type: DEMO, owner: "consensus", objects: 1, amountAtoms: 7n },
      { ...party, amountAtoms: 30_000_000n, cause: expect.stringMatching(/^the next listing/) },
      { ...party, amountAtoms: 1n, cause: expect.stringMatching(/^less than 1000000 MIST/) },
      { kind: "address_balance", type: DEMO, owner: "address", objects: 0, amountAtoms: 3n, objectId: null },
    ];
    expect(items).toHaveLength(listed.length);
    expect(items).toEqual(expect.arrayContaining(listed.map((item) => expect.objectContaining(item))));

    await liveFor(fund, MINUTE_MS);
    const left = (await unusable(fund)).items.filter(({ type }) => type === SUI);
    expect(left, "what was worth it is money by now").toMatchObject([{ objects: 1, amountAtoms: 1n }]);
  },
);

test("a party coin that is not taken in says what keeps it", async () => {
  const fund = await newFund();
  await stub(fund).refresh();
  await giveParty(fund.address, 40_000_000n);
  await stub(fund).refresh();
  const cause = async () => (await unusable(fund)).items.map((item) => item.cause);
  expect(await cause()).toEqual(["it waits to be taken in: the fund has nothing free that could pay for it"]);
  alterReplies(
    withOurTime,
    alteration(DRY_RUN, GrpcTypes.SimulateTransactionResponse, ({ transaction }) => {
      const status = transaction?.effects?.status;
      if (status === undefined) return;
      status.success = false;
      status.error = GrpcTypes.ExecutionError.create({ description: "no rule allows it" });
    }),
  );
  await give(fund.address, 3n * SUI_MIST);
  await stub(fund).refresh();
  expect(await cause()).toEqual([
    "it was not taken in when that was tried, and waits: the treasury transaction would fail: no rule allows it",
  ]);
});

/** Whoever asks for everything that an address owns is told of a thousand more things each time, of so many types. */
function endlessly(fund: TestFund, types: number): Alteration & { readonly reads: () => number } {
  let reads = 0;
  const owner = GrpcTypes.Owner.create({ kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: fund.address });
  const objects = Array.from({ length: 1_000 }, (_, index) =>
    GrpcTypes.Object.create({
      objectId: `0x${index.toString(16).padStart(64, "e")}`,
      objectType: `0xb::c::D${index % types}`,
      owner,
    }),
  );
  const request = (message: Uint8Array) => {
    if (GrpcTypes.ListOwnedObjectsRequest.fromBinary(message).objectType !== undefined) return null;
    reads += 1;
    const nextPageToken = Uint8Array.of(reads);
    return messageResponse("binary", GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects, nextPageToken }));
  };
  return { method: LIST, request, reads: () => reads };
}

test("a list without an end costs a few calls at a time, and nothing else waits for it", async () => {
  const fund = await newFund(SUI_MIST);
  const endless = endlessly(fund, 3);
  alterReplies(withOurTime, endless);
  const [listed] = await Promise.all([unusable(fund, 3), sponsor(fund, "meanwhile").then(executeOnChain)]);
  expect(endless.reads()).toBe(MOST_READS);
  expect(listed.items.map(({ objects }) => objects)).toEqual([1_670, 1_665, 1_665]);
  expect(listed.nextCursor).toBe("o0.BQ");
  const next = await unusable(fund, 2, listed.nextCursor);
  expect(endless.reads(), "it ends as soon as the page is full").toBe(MOST_READS + 1);
  expect(next).toMatchObject({ items: [{ objects: 1 }, { objects: 1 }], nextCursor: "o2.BQ" });
});

test("what cannot be read spoils nothing else", async () => {
  const fund = await newFund();
  await giveForeign(fund.address);
  alterReplies(
    withOurTime,
    alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
      for (const object of objects) if (object.objectType?.endsWith("Parcel")) delete object.objectType;
    }),
    alteration(LIST_BALANCES, GrpcTypes.ListBalancesResponse, ({ balances }) => {
      balances.push(GrpcTypes.Balance.create({ coinType: "\u0000", balance: 1n }));
    }),
  );
  const { items } = await unusable(fund);
  expect(items.filter(({ kind }) => kind === "unreadable")).toMatchObject([{ objects: 2, type: "", owner: null }]);
  expect(items.map(({ kind }) => kind)).toContain("address_balance");
});

test("where no node answers the list is refused; what was read before is shown", async () => {
  const fund = await newFund();
  await giveForeign(fund.address);
  await orderFault(LIST_BALANCES, "unavailable", 1_000);
  const { items, nextCursor } = await unusable(fund);
  expect(items.map(({ kind }) => kind)).toContain("object");
  expect(nextCursor).toBe("b0.");
  expect(await stub(fund).unusable({ limit: 1, cursor: nextCursor })).toMatchObject({
    error: { reason: "node_unavailable" },
  });
  await nodeDown();
  expect(await stub(fund).unusable({ limit: 1, cursor: null })).toMatchObject({
    error: { reason: "node_unavailable" },
  });
});
