import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import { FOREIGN, foreignOf, sendDust, sendForeign } from "../support/foreign-objects.ts";
import { DEMO_PACKAGE } from "./demo.ts";
import { callDemo, changeOf, objectHarness } from "./object-testing.ts";
import { startChain } from "./testing.ts";

const SUI = 1_000_000_000n;

test("a stranger sends all kinds of things: only party coins are SUI of the address, and other types are told apart", async () => {
  const { client, fund } = await startChain();
  const owner = new Ed25519Keypair().toSuiAddress();
  await sendForeign(client, fund, owner);
  const { partyMist, ...others } = FOREIGN;
  expect(await foreignOf(client, owner)).toEqual(others);
  const { objects } = await client.listCoins({ owner });
  expect(objects.map(({ balance, owner: held }) => [BigInt(balance), held.$kind])).toEqual([
    [30_000_000n, "ConsensusAddressOwner"],
    [1n, "ConsensusAddressOwner"],
  ]);
  expect((await client.getBalance({ owner })).balance.coinBalance).toBe(partyMist.toString());
  await sendDust(client, fund, owner, 60);
  expect((await client.getBalance({ owner })).balance.coinBalance).toBe((partyMist + 60n).toString());
});

test("a wrapped coin is out of sight, and comes back as it was", async () => {
  const chain = await startChain();
  const user = await chain.account(10n * SUI, SUI);
  const { run, ownedBy, refOf } = objectHarness(chain, user);
  const owner = user.toSuiAddress();
  const wrapped = await run((transaction) => {
    const [coin] = transaction.splitCoins(transaction.gas, [5n]);
    transaction.transferObjects([callDemo(transaction, "wrap_coin", coin)], owner);
  });
  expect(wrapped.status.success).toBe(true);
  const parcel = await ownedBy(owner, `${DEMO_PACKAGE}::demo::Parcel`);
  const unwrapped = await run((transaction) => {
    transaction.transferObjects([callDemo(transaction, "unwrap_coin", transaction.object(parcel.objectId))], owner);
  });
  expect(unwrapped.status.success).toBe(true);
  expect(changeOf(unwrapped, parcel.objectId)).toMatchObject({ operation: "Deleted" });
  const balances = (await chain.client.listCoins({ owner })).objects.map(({ balance }) => balance);
  expect(balances).toContain("5");
  await expect(refOf(parcel.objectId)).rejects.toThrow();
});
