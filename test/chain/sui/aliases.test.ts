import { GrpcTypes } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, expect, test } from "vitest";
import { aliasesId } from "../../../shared/chain/sui/aliases.ts";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { type Alter, alteration, altered } from "../../byzantine-node/altered-reply.ts";
import { BASE_URL, signAll, startChain, type TestChain } from "../../devchain/testing.ts";

const OTHER = `0x${"6".repeat(64)}`;
const SUI_MIST = 1_000_000_000n;

let chain: TestChain;
let user: Ed25519Keypair;
let address: string;
let alter: Alter | null;
let node: SuiNode;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(SUI_MIST);
  address = user.toSuiAddress();
  alter = null;
  node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [`${BASE_URL}/sui`],
    fetch: async (input, init) => altered(String(input), await chain.chain.fetch(new Request(input, init)), alter),
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: () => {},
  });
});

async function call(
  name: string,
  change: (transaction: Transaction) => Parameters<Transaction["moveCall"]>[0]["arguments"],
) {
  const transaction = new Transaction();
  transaction.setSender(address);
  transaction.moveCall({ target: `0x2::address_alias::${name}`, arguments: change(transaction) ?? [] });
  const bytes = await transaction.build({ client: chain.client });
  await chain.client.executeTransaction({ transaction: bytes, signatures: await signAll(bytes, user) });
}

const initialize = () => call("initialize", (transaction) => [transaction.object("0xa")]);

test("the aliases of an address are read from the chain, and an address without any has none", async () => {
  expect(await node.aliases(address)).toEqual({ ok: true, value: [] });
  await initialize();
  expect(await node.aliases(address)).toEqual({ ok: true, value: [address] });
  await call("add", (transaction) => [transaction.object(aliasesId(address)), transaction.pure.address(OTHER)]);
  expect(await node.aliases(address)).toEqual({ ok: true, value: [address, OTHER] });
});

test.each([
  ["of another address", (contents: Uint8Array) => contents.with(0, (contents[0] ?? 0) ^ 1)],
  ["cut short", (contents: Uint8Array) => contents.slice(0, -1)],
  ["nine", (contents: Uint8Array) => Uint8Array.from([...contents.slice(0, 32), 9, ...new Uint8Array(9 * 32)])],
])("aliases that are %s are a fault of the node, and nobody's", async (_, change) => {
  await initialize();
  alter = alteration("LedgerService/BatchGetObjects", GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
    for (const { result } of objects)
      if (result.oneofKind === "object" && result.object.contents?.value !== undefined)
        result.object.contents.value = change(result.object.contents.value);
  });
  expect(await node.aliases(address)).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
});

test("a node that does not answer about them leaves it open", async () => {
  alter = alteration("LedgerService/BatchGetObjects", GrpcTypes.BatchGetObjectsResponse, ({ objects }) => {
    objects.length = 0;
  });
  expect(await node.aliases(address)).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
});
