import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { deriveObjectID } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { signAll, startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const ALIAS_STATE = "0xa";

let chain: TestChain;
let user: Ed25519Keypair;
let aliasesId: string;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(10n * SUI);
  const key = Buffer.from(user.toSuiAddress().slice(2), "hex");
  aliasesId = deriveObjectID(ALIAS_STATE, "0x2::address_alias::AliasKey", key);
});

/** Sends a transaction of the user that this key signs. */
async function send(change: (transaction: Transaction) => void, ...signers: Ed25519Keypair[]) {
  const transaction = new Transaction();
  transaction.setSender(user.toSuiAddress());
  change(transaction);
  const bytes = await transaction.build({ client: chain.client });
  const signatures = await signAll(bytes, ...signers);
  const result = await chain.client.executeTransaction({ transaction: bytes, signatures, include: { effects: true } });
  return (result.Transaction ?? result.FailedTransaction).status;
}

function call(name: string, ...given: ((transaction: Transaction) => unknown)[]) {
  return (transaction: Transaction) => {
    const args = given.map((one) => one(transaction) as ReturnType<Transaction["object"]>);
    transaction.moveCall({ target: `0x2::address_alias::${name}`, arguments: args });
  };
}

const initialize = call("initialize", (transaction) => transaction.object(ALIAS_STATE));
const addressOf = (alias: Ed25519Keypair) => (transaction: Transaction) =>
  transaction.pure.address(alias.toSuiAddress());
const own = (transaction: Transaction) => transaction.object(aliasesId);
const nothing = (transaction: Transaction) => {
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], user.toSuiAddress());
};
const success = { success: true, error: null };

describe("an address", () => {
  test("signs for itself, and nobody else does, until it has aliases", async () => {
    const other = new Ed25519Keypair();
    expect(await send(nothing, user)).toEqual(success);
    await expect(send(nothing, other)).rejects.toThrow(`Required Signature from ${user.toSuiAddress()} is absent`);
    expect(await send(initialize, user)).toEqual(success);
    expect(await send(nothing, user)).toEqual(success);
    await expect(send(nothing, other)).rejects.toThrow("Required Signature");
    const { object } = await chain.client.getObject({ objectId: aliasesId });
    expect(object.owner).toMatchObject({ ConsensusAddressOwner: { owner: user.toSuiAddress() } });
  });

  test("lets an alias sign, and can lose its own key", async () => {
    const alias = new Ed25519Keypair();
    await send(initialize, user);
    expect(await send(call("add", own, addressOf(alias)), user)).toEqual(success);
    expect(await send(nothing, alias)).toEqual(success);
    expect(await send(call("remove", own, addressOf(user)), alias)).toEqual(success);
    await expect(send(nothing, user)).rejects.toThrow("Required Signature");
    expect(await send(nothing, alias)).toEqual(success);
    await expect(send(nothing, user, alias)).rejects.toThrow("Expect 1 signer signatures but got 2");
  });

  test("has eight aliases at most and one at least, each once, and is set up once", async () => {
    await send(initialize, user);
    const codeOf = async (change: (transaction: Transaction) => void) => {
      const { error } = await send(change, user).catch((thrown: Error) => ({ error: { message: thrown.message } }));
      return /abort code: (\d+)/.exec(error?.message ?? "")?.[1];
    };
    expect(await codeOf(initialize)).toBe("2");
    expect(await codeOf(call("add", own, addressOf(user)))).toBe("2");
    expect(await codeOf(call("remove", own, addressOf(new Ed25519Keypair())))).toBe("1");
    expect(await codeOf(call("remove", own, addressOf(user)))).toBe("3");
    const many = Array.from({ length: 9 }, () => new Ed25519Keypair().toSuiAddress());
    const all = (count: number) => (transaction: Transaction) =>
      transaction.pure.vector("address", many.slice(0, count));
    expect(await codeOf(call("replace_all", own, all(9)))).toBe("4");
    expect(await send(call("replace_all", own, all(8)), user)).toEqual(success);
  });

  test("that an alias signed for before it was taken away is refused when its turn comes", async () => {
    const alias = new Ed25519Keypair();
    await send(initialize, user);
    await send(call("add", own, addressOf(alias)), user);
    await chain.fund(user.toSuiAddress(), SUI);
    await chain.control("POST", "/control/consensus", { held: true });
    const removed = send(call("remove", own, addressOf(alias)), user);
    await chain.chain.sui.ledger.consensus.waiting();
    const late = send(nothing, alias);
    const settled = Promise.allSettled([removed, late]);
    while (chain.chain.sui.ledger.consensus.waiting() < 2) await new Promise((resolve) => setImmediate(resolve));
    await chain.control("POST", "/control/consensus", { held: false });
    const [first, second] = await settled;
    expect([first.status, second.status]).toContain("rejected");
  });
});
