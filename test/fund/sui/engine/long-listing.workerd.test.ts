import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { describe, expect, vi } from "vitest";
import { CUT_LISTING_PAGES, ENDLESS_REST_MS } from "../../../../shared/fund/sui/listing-places.ts";
import { type Alteration, alteration, alterReplies } from "../../../byzantine-node/altered-sui-node.ts";
import { messageResponse } from "../../../devchain/sui/grpc-web.ts";
import { coinsOf, expectExactBooks, ownTransactions } from "../../../support/fund-books.ts";
import { longTest, rounds, shortTest } from "../../../support/rounds.ts";
import { BALANCE, type CoinOnChain, coinsOnChain, give, LIST } from "../../../support/sui-chain.ts";
import {
  alarm,
  alarmInMs,
  crash,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  SUI_MIST,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";

const PAGE_COINS = 1_000;
/** With the coins of the fund before and behind them: more than 200,000 in the long suite. */
const FOREIGN_PAGES = rounds(200, 30);
/** The platform ends an instance that nobody has called for about this long. */
const IDLE_LIFE_MS = MINUTE_MS;
/** How the ids of the other coins begin. */
const ID_START = "0xdddd";

useStoppedClock();

/** Messages one behind the other are one message, so that a page of many coins is encoded once. */
function pageOf(objects: Uint8Array, next: number | null): Response {
  const nextPageToken = Uint8Array.from(next === null ? [] : [next]);
  const rest = GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects: [], nextPageToken });
  const message = new Uint8Array(objects.length + rest.length);
  message.set(objects);
  message.set(rest, objects.length);
  return messageResponse("binary", message);
}

function listed({ objectId, version, digest, balanceMist }: CoinOnChain, owner: GrpcTypes.Owner): GrpcTypes.Object {
  return GrpcTypes.Object.create({ objectId, version, digest, balance: balanceMist, owner });
}

/** Coins of one MIST that somebody has sent by the thousand, as a party's: there is nothing that a fund could do. */
function dustOf({ address }: TestFund): GrpcTypes.Object[] {
  const owner = GrpcTypes.Owner.create({ kind: GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS, address, version: 1n });
  const digest = toBase58(new Uint8Array(32));
  return Array.from({ length: PAGE_COINS }, (_, index) => {
    const objectId = `0x${(index + 1).toString(16).padStart(64, "d")}`;
    return listed({ objectId, version: 2n, digest, balanceMist: 1n, isParty: true }, owner);
  });
}

/** The same page, with other ids each time: encoding each one would take long. */
function renamer(page: Uint8Array): (serial: number) => Uint8Array {
  const text = new TextDecoder("latin1").decode(page);
  const places: number[] = [];
  for (let at = text.indexOf(ID_START); at >= 0; at = text.indexOf(ID_START, at + 1)) places.push(at);
  return (serial) => {
    const copy = page.slice();
    const start = new TextEncoder().encode(`0x${serial.toString(16).padStart(ID_START.length - 2, "0")}`);
    for (const at of places) copy.set(start, at);
    return copy;
  };
}

/** The node lists the first coins, then many pages of others, and the last coins behind them. */
function longListing(
  fund: TestFund,
  [first, last]: readonly (readonly CoinOnChain[])[],
  pages = FOREIGN_PAGES,
): Alteration {
  const owner = GrpcTypes.Owner.create({ kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: fund.address });
  const encoded = (objects: GrpcTypes.Object[]) => GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects });
  const dustAt = renamer(encoded(dustOf(fund)));
  const own = (coins: readonly CoinOnChain[] = []) => encoded(coins.map((coin) => listed(coin, owner)));
  return {
    method: LIST,
    request: (message) => {
      const page = GrpcTypes.ListOwnedObjectsRequest.fromBinary(message).pageToken?.[0] ?? 0;
      if (page === 0) return pageOf(own(first), 1);
      return page > pages ? pageOf(own(last), null) : pageOf(dustAt(page), page + 1);
    },
  };
}

/** The node answers so many pages, and then one call of its listing with a fault, again and again. */
function failingAfter(pages: number): Alteration {
  let calls = 0;
  return {
    method: LIST,
    request: () => (++calls % (pages + 1) === 0 ? new Response("busy", { status: 503 }) : null),
  };
}

/** An endpoint that always has a next page, with one of so many coins. */
function endlessListing(
  fund: TestFund,
  endpoint: string,
  coins = Number.POSITIVE_INFINITY,
): { readonly pages: () => number; readonly lie: Alteration } {
  const owner = GrpcTypes.Owner.create({
    kind: GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS,
    address: fund.address,
    version: 1n,
  });
  const digest = toBase58(new Uint8Array(32));
  let pages = 0;
  const request = () => {
    pages += 1;
    const objectId = `0xee${(pages % coins).toString(16).padStart(62, "0")}`;
    const objects = [listed({ objectId, version: 2n, digest, balanceMist: 1n, isParty: true }, owner)];
    return pageOf(GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects }), pages % 250);
  };
  return { pages: () => pages, lie: { method: LIST, endpoint, request } };
}

/** Nodes count party coins in the balance. */
function withDust(pages = FOREIGN_PAGES): Alteration {
  return alteration(BALANCE, GrpcTypes.GetBalanceResponse, ({ balance }) => {
    if (balance?.balance === undefined) return;
    const dustMist = BigInt(pages * PAGE_COINS);
    balance.balance += dustMist;
    if (balance.coinBalance !== undefined) balance.coinBalance += dustMist;
  });
}

/** The fund's own alarms alone run, and an instance that waits for long is ended before the next one. */
async function liveAlone(fund: TestFund, ms: number, isOver: () => Promise<boolean>): Promise<void> {
  for (const untilMs = Date.now() + ms; !(await isOver()); ) {
    const inMs = (await alarmInMs(fund)) ?? Number.POSITIVE_INFINITY;
    if (Date.now() + inMs > untilMs) return;
    if (inMs > IDLE_LIFE_MS) await crash();
    pass(Math.max(inMs, 0));
    await alarm(fund);
  }
}

longTest(
  `behind ${FOREIGN_PAGES},000 other coins a deposit is found, and the pool is stocked before, though nobody calls`,
  async () => {
    const fund = await newFund();
    await give(fund.address, 3n * SUI_MIST);
    const first = await coinsOnChain(fund.address);
    await give(fund.address, 2n * SUI_MIST);
    const last = (await coinsOnChain(fund.address)).filter(
      (coin) => !first.some((row) => row.objectId === coin.objectId),
    );
    alterReplies(withOurTime, withDust(), longListing(fund, [first, last]));
    await crash();
    const isBooked = async () => (await coinsOf(fund)).some(({ objectId }) => objectId === last[0]?.objectId);
    const isStocked = async () => (await ownTransactions(fund, "split")).some(({ state }) => state === "complete");
    await liveAlone(fund, 10 * MINUTE_MS, isStocked);
    expect([await isStocked(), await isBooked()]).toEqual([true, false]);
    await crash();
    await liveAlone(fund, 10 * MINUTE_MS, isBooked);
    expect(await isBooked()).toBe(true);
  },
);

longTest("a node that fails again and again costs a listing no page that it has had", async () => {
  const fund = await newFund();
  await give(fund.address, 3n * SUI_MIST);
  const first = await coinsOnChain(fund.address);
  await give(fund.address, 2n * SUI_MIST);
  const last = (await coinsOnChain(fund.address)).filter(
    (coin) => !first.some((row) => row.objectId === coin.objectId),
  );
  alterReplies(withOurTime, withDust(30), failingAfter(7), longListing(fund, [first, last], 30));
  await crash();
  const isBooked = async () => (await coinsOf(fund)).some(({ objectId }) => objectId === last[0]?.objectId);
  await liveAlone(fund, 5 * MINUTE_MS, isBooked);
  expect(await isBooked()).toBe(true);
});

describe("an endpoint whose listing has no end", () => {
  const [FIRST, SECOND] = ["/sui/first/sui.rpc.", "/sui/second/sui.rpc."];
  const ours = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));

  longTest("keeps no deposit from being found that another one lists", async () => {
    alterReplies(withOurTime, ...ours);
    const fund = await newFundWith({ network: "SUI_MAINNET" });
    const { lie, pages } = endlessListing(fund, FIRST);
    alterReplies(withOurTime, ...ours, lie);
    await give(fund.address, 3n * SUI_MIST);
    const isBooked = async () => (await coinsOf(fund)).length > 0;
    await liveAlone(fund, 7 * MINUTE_MS, isBooked);
    expect(await isBooked()).toBe(true);
    expect(pages()).toBeGreaterThan(0);
    await expectExactBooks(fund);
  });

  shortTest("is ended, said once, rests for ten minutes, and is read again", async () => {
    const fund = await newFund();
    const { lie, pages } = endlessListing(fund, "/sui/sui.rpc.", 3);
    alterReplies(withOurTime, lie);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const said = () => log.mock.calls.flat().filter((line) => String(line).includes("fund.listing_endless"));
    await liveFor(fund, MINUTE_MS);
    const read = pages();
    expect(read).toBeLessThan(CUT_LISTING_PAGES);
    await liveFor(fund, ENDLESS_REST_MS - 2 * MINUTE_MS);
    expect(pages()).toBe(read);
    await liveFor(fund, 20 * MINUTE_MS);
    expect(pages()).toBeGreaterThan(read);
    expect(pages()).toBeLessThanOrEqual(4 * read);
    expect(said()).toHaveLength(1);
  });
});
