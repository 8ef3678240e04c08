import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_PACKAGE } from "./demo.ts";
import { BADGE, callDemo, changeOf, LOCKER, type ObjectHarness, objectHarness } from "./object-testing.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;

let chain: TestChain;
let user: Ed25519Keypair;
let harness: ObjectHarness;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(10n * SUI);
  harness = objectHarness(chain, user);
});

/** Sends a badge of the user to a locker of the user. */
async function badgeInTheMail() {
  const locker = await harness.newLocker();
  const badge = await harness.mint();
  await harness.run((transaction) => {
    transaction.transferObjects([badge.objectId], locker.objectId);
  });
  return { locker, sent: await harness.ownedBy(locker.objectId, BADGE) };
}

describe("receiving", () => {
  test("an object that was sent to another is taken out of it, as one more dependency", async () => {
    const { locker, sent } = await badgeInTheMail();
    await harness.mint("another, so that nothing else is from the transaction that sent the badge");
    const executed = await harness.run((transaction) => {
      const [locked, ticket] = [transaction.object(locker.objectId), transaction.object(sent.objectId)];
      transaction.transferObjects([callDemo(transaction, "receive_badge", locked, ticket)], user.toSuiAddress());
    });
    expect(executed.status).toEqual({ success: true, error: null });
    expect(changeOf(executed, sent.objectId)).toEqual({ input: "Exists", output: "ObjectWrite", operation: "None" });
    const received = await harness.refOf(sent.objectId);
    expect(received.version).toBe(executed.effects?.lamportVersion);
    expect(await harness.ownerOf(sent.objectId)).toMatchObject({ AddressOwner: user.toSuiAddress() });
    const { response } = await chain.client.ledgerService.getObject({
      objectId: sent.objectId,
      version: BigInt(sent.version),
      readMask: { paths: ["previous_transaction"] },
    });
    expect(executed.effects?.dependencies).toContain(response.object?.previousTransaction);
  });

  test("a version can be received once", async () => {
    const { locker, sent } = await badgeInTheMail();
    const receive = async () => {
      const ref = await harness.refOf(locker.objectId);
      return harness.run((transaction) => {
        const [locked, ticket] = [transaction.objectRef(ref), transaction.receivingRef(sent)];
        transaction.transferObjects([callDemo(transaction, "receive_badge", locked, ticket)], locker.objectId);
      });
    };
    expect((await receive()).status.success).toBe(true);
    await expect(receive()).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("is unavailable for consumption"),
    });
  });

  test("a coin can be received too, and what is not received stays as it is", async () => {
    const locker = await harness.newLocker();
    // Every payment raises the version of the faucet's coins, beyond that of anything else in the transaction.
    await chain.fund(user.toSuiAddress(), ...Array.from({ length: 9 }, () => 1n));
    await chain.fund(locker.objectId, 77n);
    const [coin] = (await chain.client.listCoins({ owner: locker.objectId })).objects;
    const [oldest] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined || oldest === undefined) throw new Error("no coin");
    expect(BigInt(oldest.version)).toBeLessThan(BigInt(coin.version));
    const idle = await harness.run((transaction) => {
      transaction.setGasPayment([oldest]);
      transaction.receivingRef(coin);
    });
    expect(idle.status.success).toBe(true);
    expect(changeOf(idle, coin.objectId)).toBeUndefined();
    expect(BigInt(idle.effects?.lamportVersion ?? 0)).toBeGreaterThan(BigInt(coin.version));
    const executed = await harness.run((transaction) => {
      const received = transaction.moveCall({
        target: `${DEMO_PACKAGE}::demo::receive_coin`,
        typeArguments: [SUI_TYPE],
        arguments: [transaction.object(locker.objectId), transaction.object(coin.objectId)],
      });
      transaction.transferObjects([received], user.toSuiAddress());
    });
    expect(executed.status.success).toBe(true);
    expect((await chain.client.listCoins({ owner: locker.objectId })).objects).toEqual([]);
  });

  test("not from an object that it was not sent to", async () => {
    const locker = await harness.newLocker();
    const badge = await harness.mint();
    const stray = await harness.run((transaction) => {
      callDemo(transaction, "receive_badge", transaction.objectRef(locker), transaction.receivingRef(badge));
    });
    expect(stray.status.error).toMatchObject({
      $kind: "MoveAbort",
      MoveAbort: { abortCode: "3", location: { module: "transfer", functionName: "receive_impl" } },
    });
  });

  test("not as another type, and a ticket is no object", async () => {
    const { locker, sent } = await badgeInTheMail();
    const asCoin = await harness.run((transaction) => {
      transaction.moveCall({
        target: `${DEMO_PACKAGE}::demo::receive_coin`,
        typeArguments: [SUI_TYPE],
        arguments: [transaction.objectRef(locker), transaction.receivingRef(sent)],
      });
    });
    expect(asCoin.status.error).toMatchObject({ MoveAbort: { abortCode: "2" } });
    const asObject = await harness.run((transaction) => {
      transaction.transferObjects([transaction.receivingRef(sent)], user.toSuiAddress());
    });
    expect(asObject.status.error?.message).toContain(
      "Invalid command argument at 0. The type of the value does not match",
    );
  });

  test("an aborted transaction has received nothing, but depends on what it tried", async () => {
    const { locker, sent } = await badgeInTheMail();
    await harness.mint("another");
    const executed = await harness.run((transaction) => {
      callDemo(transaction, "receive_badge", transaction.objectRef(locker), transaction.receivingRef(sent));
    });
    expect(executed.status.error?.message).toContain("Unused result without the drop ability");
    expect(changeOf(executed, sent.objectId)).toBeUndefined();
    expect((await harness.ownedBy(locker.objectId, BADGE)).version).toBe(sent.version);
    // With the one that published the package.
    expect(executed.effects?.dependencies).toHaveLength(4);
  });
});

describe("wrapping", () => {
  function lock(transaction: Transaction, lockerId: string, badgeId: string): void {
    callDemo(transaction, "lock", transaction.object(lockerId), transaction.object(badgeId));
  }

  test("an object that is wrapped is gone without being deleted, and comes back with a higher version", async () => {
    const locker = await harness.newLocker();
    const badge = await harness.mint();
    const wrapped = await harness.run((transaction) => lock(transaction, locker.objectId, badge.objectId));
    expect(changeOf(wrapped, badge.objectId)).toEqual({ input: "Exists", output: "DoesNotExist", operation: "None" });
    await expect(chain.client.getObject({ objectId: badge.objectId })).rejects.toMatchObject({ reason: "notFound" });
    expect((await harness.ownedBy(user.toSuiAddress(), LOCKER)).json).toMatchObject({ badge: { name: "one" } });
    const unwrapped = await harness.run((transaction) => {
      const taken = callDemo(transaction, "unlock", transaction.object(locker.objectId));
      transaction.transferObjects([taken], user.toSuiAddress());
    });
    const change = { input: "DoesNotExist", output: "ObjectWrite", operation: "None" };
    expect(changeOf(unwrapped, badge.objectId)).toEqual(change);
    const back = await harness.ownedBy(user.toSuiAddress(), BADGE);
    expect(BigInt(back.version)).toBeGreaterThan(BigInt(badge.version));
  });

  test("deleting what is wrapped is told from deleting what is not, and frees its storage", async () => {
    const locker = await harness.newLocker();
    const badge = await harness.mint();
    await harness.run((transaction) => lock(transaction, locker.objectId, badge.objectId));
    const burnt = await harness.run((transaction) => {
      callDemo(transaction, "burn_locked", transaction.object(locker.objectId));
    });
    const burntChange = { input: "DoesNotExist", output: "DoesNotExist", operation: "Deleted" };
    expect(changeOf(burnt, badge.objectId)).toEqual(burntChange);
    const second = await harness.mint("two");
    const deleted = await harness.run((transaction) => {
      callDemo(transaction, "burn", transaction.object(second.objectId));
    });
    const deletedChange = { input: "Exists", output: "DoesNotExist", operation: "Deleted" };
    expect(changeOf(deleted, second.objectId)).toEqual(deletedChange);
    for (const { effects } of [burnt, deleted]) {
      const { storageCost, storageRebate } = effects?.gasUsed ?? {};
      expect(BigInt(storageRebate ?? 0)).toBeGreaterThan(BigInt(storageCost ?? 0));
    }
  });

  test("what is wrapped and unwrapped in one transaction was only moved", async () => {
    const locker = await harness.newLocker();
    const badge = await harness.mint();
    const executed = await harness.run((transaction) => {
      lock(transaction, locker.objectId, badge.objectId);
      const taken = callDemo(transaction, "unlock", transaction.object(locker.objectId));
      transaction.transferObjects([taken], user.toSuiAddress());
    });
    expect(changeOf(executed, badge.objectId)).toEqual({ input: "Exists", output: "ObjectWrite", operation: "None" });
  });

  test("aborts carry their code, module, function and command", async () => {
    const locker = await harness.newLocker();
    const [first, second] = [await harness.mint(), await harness.mint("two")];
    expect(first.objectId).toBeDefined();
    const full = await harness.run((transaction) => {
      const into = transaction.objectRef(locker);
      callDemo(transaction, "unlock", into);
      callDemo(transaction, "lock", into, transaction.objectRef(second));
    });
    expect(full.status.error).toMatchObject({
      command: 0,
      MoveAbort: { abortCode: "3", location: { package: DEMO_PACKAGE, module: "demo", functionName: "unlock" } },
    });
  });
});
