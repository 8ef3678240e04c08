import { GrpcTypes } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, expect, test } from "vitest";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { type Alter, alteration, altered } from "../../byzantine-node/altered-reply.ts";
import { BASE_URL, signAll, startChain, type TestChain } from "../../devchain/testing.ts";

const OWNER = `0x${"5".repeat(64)}`;
const LIST = "StateService/ListOwnedObjects";
const SINGLE = "LedgerService/BatchGetObjects";

let chain: TestChain;
let alter: Alter | null;
let node: SuiNode;
beforeEach(async () => {
  chain = await startChain();
  alter = null;
  node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [`${BASE_URL}/sui`],
    fetch: async (input, init) => altered(String(input), await chain.chain.fetch(new Request(input, init)), alter),
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: () => {},
  });
  await chain.fund(OWNER, 7n);
});

async function giveParty(amountMist: bigint): Promise<void> {
  const sender = await chain.account(1_000_000_000n);
  const transaction = new Transaction();
  transaction.setSender(sender.toSuiAddress());
  const [coin] = transaction.splitCoins(transaction.gas, [amountMist]);
  const party = transaction.moveCall({
    target: "0x2::party::single_owner",
    arguments: [transaction.pure.address(OWNER)],
  });
  transaction.moveCall({
    target: "0x2::transfer::public_party_transfer",
    typeArguments: ["0x2::coin::Coin<0x2::sui::SUI>"],
    arguments: [coin, party],
  });
  const bytes = await transaction.build({ client: chain.client });
  const signatures = await signAll(bytes, sender);
  const executed = await chain.client.executeTransaction({ transaction: bytes, signatures });
  expect(executed.$kind).toBe("Transaction");
}

async function listed() {
  const coins = await node.coins(OWNER, null);
  if (!coins.ok) throw new Error(coins.error.details);
  return coins.value.coins.value;
}

test("a listing tells coins that the address owns alone from those that it owns as a party", async () => {
  await giveParty(9n);
  const coins = await listed();
  const party = coins.find(({ owner }) => owner.kind === "consensus");
  expect(coins).toHaveLength(2);
  expect(coins).toContainEqual(
    expect.objectContaining({ balanceMist: 7n, owner: { kind: "address", address: OWNER } }),
  );
  expect(party).toMatchObject({ balanceMist: 9n, owner: { address: OWNER, startVersion: party?.version } });
  expect(await node.observeCoins(coins.map(({ objectId }) => objectId))).toMatchObject({
    value: { value: coins.map(({ objectId, owner }) => ({ objectId, owner })) },
  });
});

test("a listed coin of another owner is left out", async () => {
  const [{ digest = "" } = {}] = await listed();
  for (const owner of [
    { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: `0x${"6".repeat(64)}` },
    { kind: GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS, address: `0x${"6".repeat(64)}`, version: 1n },
    { kind: GrpcTypes.Owner_OwnerKind.OBJECT, address: OWNER },
    { kind: GrpcTypes.Owner_OwnerKind.SHARED, version: 1n },
    { kind: GrpcTypes.Owner_OwnerKind.IMMUTABLE },
  ]) {
    alter = alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
      const objectId = `0x${"a".repeat(64)}`;
      objects.push(GrpcTypes.Object.create({ objectId, version: 1n, digest, balance: 8n, owner }));
    });
    expect((await listed()).map(({ balanceMist }) => balanceMist)).toEqual([7n]);
  }
});

test.each([
  ["has no owner", (object: GrpcTypes.Object) => delete object.owner],
  ["has an owner of no kind", (object: GrpcTypes.Object) => (object.owner = {})],
  [
    "has an owner of an unknown kind",
    (object: GrpcTypes.Object) => (object.owner = { kind: 99 as GrpcTypes.Owner_OwnerKind, address: OWNER }),
  ],
  ["has an owner without an address", (object: GrpcTypes.Object) => (object.owner = { kind: 1 })],
])("a coin that %s is no answer", async (_what, spoil) => {
  const [coin] = await listed();
  alter = alteration(LIST, GrpcTypes.ListOwnedObjectsResponse, ({ objects }) => {
    for (const object of objects) spoil(object);
  });
  expect(await node.coins(OWNER, null)).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
  alter = alteration(SINGLE, GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
    for (const { result } of objects) if (result.oneofKind === "object") spoil(result.object);
  });
  const observed = await node.observeCoins([coin?.objectId ?? ""]);
  expect(observed).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
});
