import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction, TransactionArgument } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_CHILD, DEMO_COUNTER } from "./demo.ts";
import { BADGE, callDemo, changeOf, LOCKER, type ObjectHarness, objectHarness } from "./object-testing.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;

let chain: TestChain;
let user: Ed25519Keypair;
let other: Ed25519Keypair;
let harness: ObjectHarness;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(10n * SUI);
  other = await chain.account(10n * SUI);
  harness = objectHarness(chain, user);
});

function give(transaction: Transaction, function_: string, object: TransactionArgument, type = BADGE): void {
  transaction.moveCall({ target: `0x2::transfer::${function_}`, typeArguments: [type], arguments: [object] });
}

async function makeParty(objectId: string, owner: string, sender = user) {
  return harness.run((transaction) => {
    const address = transaction.pure.address(owner);
    const party = transaction.moveCall({ target: "0x2::party::single_owner", arguments: [address] });
    transaction.moveCall({
      target: "0x2::transfer::public_party_transfer",
      typeArguments: [BADGE],
      arguments: [transaction.object(objectId), party],
    });
  }, sender);
}

describe("party objects", () => {
  test("start where they came under consensus and keep that with their owner (party/transfers.snap)", async () => {
    const { objectId } = await harness.mint();
    const made = await makeParty(objectId, user.toSuiAddress());
    const startVersion = made.effects?.lamportVersion;
    const owner = user.toSuiAddress();
    expect(await harness.ownerOf(objectId)).toMatchObject({ ConsensusAddressOwner: { startVersion, owner } });
    expect((await harness.ownedBy(owner, BADGE)).objectId).toBe(objectId);
    await makeParty(objectId, owner);
    expect(await harness.ownerOf(objectId)).toMatchObject({ ConsensusAddressOwner: { startVersion, owner } });
    const given = await makeParty(objectId, other.toSuiAddress());
    expect(await harness.ownerOf(objectId)).toMatchObject({
      ConsensusAddressOwner: { startVersion: given.effects?.lamportVersion, owner: other.toSuiAddress() },
    });
    const back = await harness.run((transaction) => {
      transaction.transferObjects([objectId], other.toSuiAddress());
    }, other);
    expect(back.status.success).toBe(true);
    expect(await harness.ownerOf(objectId)).toMatchObject({ AddressOwner: other.toSuiAddress() });
  });

  test("are their owner's alone", async () => {
    const { objectId } = await harness.mint();
    await makeParty(objectId, other.toSuiAddress());
    await expect(makeParty(objectId, user.toSuiAddress())).rejects.toThrow(
      `is owned by account address ${other.toSuiAddress()}, but given owner/signer address is ${user.toSuiAddress()}`,
    );
  });

  test("are taken by their start, not by their version, and do not protect from replay", async () => {
    const { objectId } = await harness.mint();
    const made = await makeParty(objectId, user.toSuiAddress());
    const ref = await harness.refOf(objectId);
    const asShared = (initialSharedVersion: string) => (transaction: Transaction) => {
      const input = transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable: true });
      transaction.transferObjects([input], user.toSuiAddress());
    };
    const byVersion = harness.run((transaction) => {
      transaction.transferObjects([transaction.objectRef(ref)], user.toSuiAddress());
    });
    await expect(byVersion).rejects.toThrow("Object used as owned is not owned");
    await expect(harness.run(asShared("1"))).rejects.toThrow("Wrong initial version given for shared object");
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const byStart = asShared(made.effects?.lamportVersion ?? "");
    const unprotected = harness.run((transaction) => {
      transaction.setGasPayment([]);
      byStart(transaction);
    });
    await expect(unprotected).rejects.toThrow("Transactions must either have address-owned inputs");
    expect((await harness.run(byStart)).status.success).toBe(true);
  });
});

describe("immutable and shared objects", () => {
  test("a frozen object is taken by everybody and changed by nobody", async () => {
    const badge = await harness.mint();
    await harness.run((transaction) => give(transaction, "public_freeze_object", transaction.object(badge.objectId)));
    expect(await harness.ownerOf(badge.objectId)).toMatchObject({ Immutable: true });
    const ref = await harness.refOf(badge.objectId);
    const taken = await harness.run((transaction) => {
      transaction.transferObjects([transaction.objectRef(ref)], user.toSuiAddress());
    }, other);
    expect(taken.status.error?.message).toContain("Immutable objects cannot be passed by-value");
    expect(changeOf(taken, badge.objectId)).toBeUndefined();
    expect(await harness.refOf(badge.objectId)).toEqual(ref);
  });

  test("only what a transaction has made itself can be shared, and everybody can use it then", async () => {
    const old = await harness.mint();
    const failed = await harness.run((transaction) =>
      give(transaction, "public_share_object", transaction.objectRef(old)),
    );
    expect(failed.status.error).toMatchObject({
      MoveAbort: { abortCode: "0", location: { module: "transfer", functionName: "share_object_impl" } },
    });
    const shared = await harness.run((transaction) => {
      give(transaction, "public_share_object", callDemo(transaction, "new_locker"), LOCKER);
    });
    const initialSharedVersion = shared.effects?.lamportVersion ?? "";
    const created = shared.effects?.changedObjects.find(({ idOperation }) => idOperation === "Created");
    const objectId = created?.objectId ?? "";
    expect(await harness.ownerOf(objectId)).toMatchObject({ Shared: { initialSharedVersion } });
    const badge = await harness.mint("two", other);
    const byOther = await harness.run((transaction) => {
      const locker = transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable: true });
      callDemo(transaction, "lock", locker, transaction.objectRef(badge));
    }, other);
    expect(byOther.status.success).toBe(true);
    expect(await harness.ownerOf(objectId)).toMatchObject({ Shared: { initialSharedVersion } });
  });

  test("a child of an object cannot be named", async () => {
    const ref = await harness.refOf(DEMO_CHILD);
    const use = harness.run((transaction) => {
      transaction.transferObjects([transaction.objectRef(ref)], user.toSuiAddress());
    });
    await expect(use).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(
        `Object ${DEMO_CHILD} is owned by object ${DEMO_COUNTER.objectId}. Objects owned by other objects cannot be used`,
      ),
    });
  });

  test("what has no store cannot be transferred, and no type without it passes for one", async () => {
    const { objectId, initialSharedVersion } = DEMO_COUNTER;
    const typed = await harness.run((transaction) => {
      const counter = transaction.sharedObjectRef({
        objectId,
        initialSharedVersion: String(initialSharedVersion),
        mutable: true,
      });
      give(transaction, "public_freeze_object", counter, `${BADGE.replace("Badge", "Counter")}`);
    });
    expect(typed.status.error?.message).toContain("Move Bytecode Verification Error");
  });
});
