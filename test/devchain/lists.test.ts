import { GrpcTypes, type SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeAll, expect, test } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const CHECKPOINT_MS = 1_000;
const { QueryEndReason: Reason, Ordering } = GrpcTypes;

let chain: TestChain;
let sender: string;
const digests: string[] = [];

/** Three transactions of one account, each in a checkpoint of its own. Each mints a badge, which is an event. */
beforeAll(async () => {
  chain = await startChain();
  const keypair = await chain.account(SUI);
  sender = keypair.toSuiAddress();
  for (const name of ["one", "two", "three"]) {
    chain.clock.nowMs += CHECKPOINT_MS;
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
    const executed = await chain.client.signAndExecuteTransaction({ transaction, signer: keypair });
    digests.push(executed.Transaction?.digest ?? "failed");
  }
  chain.clock.nowMs += CHECKPOINT_MS;
});

const bySender = (address = sender): GrpcTypes.TransactionFilter => ({
  terms: [{ literals: [{ negated: false, predicate: { oneofKind: "sender", sender: { address } } }] }],
});

type Listing = Parameters<SuiGrpcClient["ledgerService"]["listTransactions"]>[0];

async function list(request: Listing) {
  const frames: GrpcTypes.ListTransactionsResponse[] = [];
  for await (const frame of chain.client.ledgerService.listTransactions(request).responses) frames.push(frame);
  return { found: frames.flatMap(({ transaction }) => transaction?.digest ?? []), frames, last: frames.at(-1) };
}

test("the stock client lists a sender's transactions, up to the tip", async () => {
  const { found, frames, last } = await list({ filter: bySender() });
  expect(found).toEqual(digests);
  expect(last?.end?.reason).toBe(Reason.LEDGER_TIP);
  expect(frames.filter(({ end }) => end !== undefined)).toHaveLength(1);
  expect(frames.every(({ watermark }) => watermark?.cursor !== undefined)).toBe(true);
});

test("a page ends at its limit, and the next one goes on behind its cursor, in both orders", async () => {
  const first = await list({ filter: bySender(), options: { limit: 2 } });
  expect([first.found, first.last?.end?.reason]).toEqual([digests.slice(0, 2), Reason.ITEM_LIMIT]);
  const after = first.last?.watermark?.cursor ?? new Uint8Array();
  expect((await list({ filter: bySender(), options: { limit: 2, after } })).found).toEqual(digests.slice(2));
  const ordering = Ordering.DESCENDING;
  const back = await list({ filter: bySender(), options: { limit: 2, ordering } });
  expect(back.found).toEqual(digests.toReversed().slice(0, 2));
  const before = back.last?.watermark?.cursor ?? new Uint8Array();
  expect((await list({ filter: bySender(), options: { limit: 2, ordering, before } })).found).toEqual(
    digests.slice(0, 1),
  );
});

test("a range of checkpoints bounds a list, and says so", async () => {
  const all = await list({ filter: bySender(), readMask: { paths: ["digest", "checkpoint"] } });
  const [, second] = all.frames.flatMap(({ transaction }) => transaction?.checkpoint ?? []);
  const bounded = await list({ filter: bySender(), ...(second !== undefined && { endCheckpoint: second }) });
  expect([bounded.found, bounded.last?.end?.reason]).toEqual([digests.slice(0, 1), Reason.CHECKPOINT_BOUND]);
});

test("a filter by call, or by its opposite, finds what it says", async () => {
  const calls = (path: string, negated: boolean): GrpcTypes.TransactionFilter => ({
    terms: [{ literals: [{ negated, predicate: { oneofKind: "moveCall", moveCall: { function: path } } }] }],
  });
  expect((await list({ filter: calls(`${DEMO_PACKAGE}::demo::mint`, false) })).found).toEqual(digests);
  expect((await list({ filter: calls(`${DEMO_PACKAGE}::demo::min`, false) })).found).toEqual([]);
  const others = (await list({ filter: calls(DEMO_PACKAGE, true) })).found;
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter((digest) => digests.includes(digest))).toEqual([]);
});

test("the stock client lists events with their places", async () => {
  const eventType = `${DEMO_PACKAGE}::demo::BadgeMinted`;
  const filter = {
    terms: [
      { literals: [{ negated: false, predicate: { oneofKind: "eventType" as const, eventType: { eventType } } }] },
    ],
  };
  const found: (string | undefined)[] = [];
  const readMask = { paths: ["event_type", "transaction_digest", "event_index"] };
  for await (const { event } of chain.client.ledgerService.listEvents({ filter, readMask }).responses)
    if (event !== undefined) found.push(event.transactionDigest);
  expect(found).toEqual(digests);
});

test("a cursor, a limit and a filter that are none are refused", async () => {
  for (const request of [
    { options: { after: Uint8Array.of(1) } },
    { options: { limit: 0 } },
    { filter: { terms: [] } },
  ])
    await expect(list(request)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
