import {
  Account,
  AccountAddress,
  ChainId,
  Ed25519PrivateKey,
  EntryFunction,
  type EntryFunctionArgument,
  generateSignedTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { displayAddress } from "./aptos/address.ts";
import { type AptosNode, openAptosNode } from "./aptos/node.ts";
import { createControls } from "./control.ts";
import { APTOS_DEMO_MODULE } from "./demo.ts";
import { nodeSql } from "./node-sql.ts";

const START_MS = Date.UTC(2026, 7, 1);
const BLOCK_MS = 100;
/** Enough for a few transactions: some histories run out of it. */
const FUNDS_OCTAS = 3_000_000n;
const people = [1, 2, 3].map((byte) =>
  Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(new Uint8Array(32).fill(byte)) }),
);
/** Nobody funds it, and nothing is sent from it. */
const stranger = AccountAddress.from(`0x${"77".repeat(32)}`);

const person = fc.nat({ max: people.length - 1 });
const step = fc.record({
  sender: person,
  feePayer: fc.option(person, { freq: 2 }),
  action: fc.constantFrom("transfer", "give", "increment", "close", "abort"),
  octas: fc.integer({ min: 0, max: 2_000_000 }),
  ahead: fc.constantFrom(0, 0, 0, 0, 1, -1),
  maxGas: fc.constantFrom(6_000, 10_000, 20_000),
  price: fc.constantFrom(100, 150),
  livesSeconds: fc.constantFrom(1, 60),
  blocks: fc.constantFrom(0, 0, 1, 1, 30),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const Fee = z.object({
  total_charge_gas_units: z.string().transform(BigInt),
  storage_fee_octas: z.string().transform(BigInt),
  storage_fee_refund_octas: z.string().transform(BigInt),
});
const Committed = z.object({
  version: z.string().transform(Number),
  sender: z.string(),
  sequence_number: z.string().transform(Number),
  success: z.boolean(),
  gas_unit_price: z.string().transform(BigInt),
  events: z.array(z.object({ type: z.string(), data: z.unknown() })),
});
const Balances = z.object({
  data: z.object({ current_fungible_asset_balances: z.array(z.object({ amount: z.number() })) }),
});

interface World {
  readonly node: AptosNode;
  readonly clock: { nowMs: number };
}

function call({ node }: World, method: string, path: string, body?: Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { "content-type": "application/x.aptos.signed_transaction+bcs" };
  const request = new Request(`http://chain.test${path}`, { method, ...(body && { body, headers }) });
  return node.serve("default", path.split("?")[0] ?? "", request);
}

async function sequenceNumber(world: World, account: Account): Promise<number> {
  const response = await call(world, "GET", `/accounts/${account.accountAddress}`);
  return Number(z.object({ sequence_number: z.string() }).parse(await response.json()).sequence_number);
}

/** The clock stands still unless it is moved, and a payment is answered when its block has come. */
async function fund({ node, clock }: World, address: AccountAddress): Promise<void> {
  let isPaid = false;
  const payment = node.faucet(address.toString(), FUNDS_OCTAS).then(() => {
    isPaid = true;
  });
  while (!isPaid) {
    clock.nowMs += BLOCK_MS;
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
  }
  await payment;
}

function target({ action, octas }: Step): [name: string, args: EntryFunctionArgument[]] {
  switch (action) {
    case "transfer":
      return [
        "0x1::aptos_account::transfer",
        [people[octas % people.length]?.accountAddress ?? stranger, new U64(octas)],
      ];
    case "give":
      return ["0x1::aptos_account::transfer", [stranger, new U64(octas)]];
    case "abort":
      return [`${APTOS_DEMO_MODULE}::abort_with`, [new U64(octas)]];
    default:
      return [`${APTOS_DEMO_MODULE}::${action}`, []];
  }
}

async function take(world: World, one: Step): Promise<void> {
  const [sender, feePayer] = [people[one.sender], one.feePayer === null ? undefined : people[one.feePayer]];
  if (sender === undefined) throw new Error("no such person");
  const [id, args] = target(one);
  const [address = "", module = "", name = ""] = id.split("::");
  const raw = new RawTransaction(
    sender.accountAddress,
    BigInt(Math.max(0, (await sequenceNumber(world, sender)) + one.ahead)),
    new TransactionPayloadEntryFunction(EntryFunction.build(`${address}::${module}`, name, [], args)),
    BigInt(one.maxGas),
    BigInt(one.price),
    BigInt(Math.floor(world.clock.nowMs / 1_000) + one.livesSeconds),
    new ChainId(4),
  );
  const transaction = new SimpleTransaction(raw, feePayer?.accountAddress);
  const signed = generateSignedTransaction({
    transaction,
    senderAuthenticator: sender.signTransactionWithAuthenticator(transaction),
    ...(feePayer && { feePayerAuthenticator: feePayer.signTransactionWithAuthenticator(transaction) }),
  });
  const response = await call(world, "POST", "/transactions", new Uint8Array(signed));
  expect([202, 400]).toContain(response.status);
  world.clock.nowMs += one.blocks * BLOCK_MS;
}

/** All transactions of the people, by version. */
async function history(world: World): Promise<z.infer<typeof Committed>[]> {
  const lists = people.map(async ({ accountAddress }) => {
    const response = await call(world, "GET", `/accounts/${accountAddress}/transactions?start=0&limit=100`);
    return z.array(Committed).parse(await response.json());
  });
  return (await Promise.all(lists)).flat().sort((one, other) => one.version - other.version);
}

async function ledger(world: World) {
  const info = await (await call(world, "GET", "/")).json();
  const { ledger_version: last, block_height: height } = z
    .object({ ledger_version: z.string(), block_height: z.string() })
    .parse(info);
  return { last: Number(last), height: Number(height) };
}

async function allBalances({ node }: World): Promise<bigint> {
  const query = "{ current_fungible_asset_balances(where: {amount: {_lt: 1000000000000}}) { amount } }";
  const request = new Request("http://chain.test/", { method: "POST", body: JSON.stringify({ query }) });
  const { data } = Balances.parse(await (await node.query("default", request)).json());
  return data.current_fungible_asset_balances.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function feeOf({ events }: z.infer<typeof Committed>): z.infer<typeof Fee> {
  return Fee.parse(events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement")?.data);
}

function chargedOctas(one: z.infer<typeof Committed>): bigint {
  const { total_charge_gas_units: units, storage_fee_refund_octas: refund } = feeOf(one);
  return units * one.gas_unit_price - refund;
}

test("whatever is sent: no octa is lost or made, numbers have no gaps, and every version has its place", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const clock = { nowMs: START_MS };
      const node = openAptosNode({ sql: nodeSql(), controls: createControls(), nowMs: () => clock.nowMs });
      const world = { node, clock };
      for (const { accountAddress } of people) {
        await fund(world, accountAddress);
      }
      for (const one of steps) await take(world, one);
      // All that can be executed is, and what waits for a number that never comes expires.
      clock.nowMs += 70_000;

      const committed = await history(world);
      const charged = committed.map(chargedOctas).reduce((sum, one) => sum + one, 0n);
      expect(await allBalances(world)).toBe(FUNDS_OCTAS * BigInt(people.length) - charged);
      for (const account of people) {
        const own = committed.filter(({ sender }) => sender === displayAddress(account.accountAddress.toStringLong()));
        expect(own.map((one) => one.sequence_number)).toEqual(own.map((_, index) => index));
        expect(await sequenceNumber(world, account)).toBe(own.length);
      }
      await expectBlocksToMeet(world, committed);
    }),
    { numRuns: 25 },
  );
});

/** Each block starts after the one before, and a version is found in the block that has it. */
async function expectBlocksToMeet(world: World, committed: readonly z.infer<typeof Committed>[]): Promise<void> {
  const Block = z.object({
    block_height: z.string().transform(Number),
    first_version: z.string().transform(Number),
    last_version: z.string().transform(Number),
  });
  const read = async (path: string) => Block.parse(await (await call(world, "GET", path)).json());
  for (const { version } of committed) {
    const block = await read(`/blocks/by_version/${version}`);
    expect(block.first_version).toBeLessThan(version);
    expect(block.last_version).toBeGreaterThan(version);
    const next = await read(`/blocks/by_height/${block.block_height + 1}`);
    expect(next.first_version).toBe(block.last_version + 1);
    expect((await read(`/blocks/by_version/${next.first_version}`)).block_height).toBe(next.block_height);
  }
  const { last, height } = await ledger(world);
  expect((await read(`/blocks/by_height/${height}`)).last_version).toBe(last);
}
