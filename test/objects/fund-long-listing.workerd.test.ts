import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { type Alteration, alteration, alterReplies } from "./altered-node.ts";
import { BALANCE, type CoinOnChain, coinsOnChain, give, LIST } from "./chain-support.ts";
import { coinsOf, ownTransactions } from "./fund-books.ts";
import {
  alarm,
  alarmInMs,
  crash,
  MINUTE_MS,
  newFund,
  pass,
  SUI_MIST,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "./fund-support.ts";

const PAGE_COINS = 1_000;
/** With the coins of the fund before and behind them: more than 200,000. */
const FOREIGN_PAGES = 200;
/** The platform ends an instance that nobody has called for about this long. */
const IDLE_LIFE_MS = MINUTE_MS;
const TRAILER_FRAME = 0x80;

useStoppedClock();

function framed(flag: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(5 + bytes.length);
  frame[0] = flag;
  new DataView(frame.buffer).setUint32(1, bytes.length);
  frame.set(bytes, 5);
  return frame;
}

/** Messages one behind the other are one message, so that a page of many coins is encoded once. */
function pageOf(objects: Uint8Array, next: number | null): Response {
  const nextPageToken = Uint8Array.from(next === null ? [] : [next]);
  const rest = GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects: [], nextPageToken });
  const message = new Uint8Array(objects.length + rest.length);
  message.set(objects);
  message.set(rest, objects.length);
  const trailers = new TextEncoder().encode("grpc-status:0\r\n");
  return new Response(new Blob([framed(0, message), framed(TRAILER_FRAME, trailers)]), {
    headers: { "content-type": "application/grpc-web+proto" },
  });
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

/** The node lists the first coins, then 200,000 others, and the last coins behind them. */
function longListing(fund: TestFund, first: readonly CoinOnChain[], last: readonly CoinOnChain[]): Alteration {
  const owner = GrpcTypes.Owner.create({ kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: fund.address });
  const encoded = (objects: GrpcTypes.Object[]) => GrpcTypes.ListOwnedObjectsResponse.toBinary({ objects });
  const dust = encoded(dustOf(fund));
  const own = (coins: readonly CoinOnChain[]) => encoded(coins.map((coin) => listed(coin, owner)));
  return {
    method: LIST,
    request: (message) => {
      const page = GrpcTypes.ListOwnedObjectsRequest.fromBinary(message).pageToken?.[0] ?? 0;
      if (page === 0) return pageOf(own(first), 1);
      return page > FOREIGN_PAGES ? pageOf(own(last), null) : pageOf(dust, page + 1);
    },
  };
}

/** Nodes count party coins in the balance. */
function withDust(): Alteration {
  return alteration(BALANCE, GrpcTypes.GetBalanceResponse, ({ balance }) => {
    if (balance?.balance === undefined) return;
    const dustMist = BigInt(FOREIGN_PAGES * PAGE_COINS);
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

test("behind 200,000 other coins a deposit is found, and the pool is stocked before, though nobody calls", async () => {
  const fund = await newFund();
  await give(fund.address, 3n * SUI_MIST);
  const first = await coinsOnChain(fund.address);
  await give(fund.address, 2n * SUI_MIST);
  const last = (await coinsOnChain(fund.address)).filter(
    (coin) => !first.some((row) => row.objectId === coin.objectId),
  );
  alterReplies(withOurTime, withDust(), longListing(fund, first, last));
  await crash();
  const isBooked = async () => (await coinsOf(fund)).some(({ objectId }) => objectId === last[0]?.objectId);
  const isStocked = async () => (await ownTransactions(fund, "split")).some(({ state }) => state === "complete");
  await liveAlone(fund, 10 * MINUTE_MS, isStocked);
  expect([await isStocked(), await isBooked()]).toEqual([true, false]);
  await crash();
  await liveAlone(fund, 10 * MINUTE_MS, isBooked);
  expect(await isBooked()).toBe(true);
});
