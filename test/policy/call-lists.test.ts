import { bcs } from "@mysten/sui/bcs";
import type { Transaction } from "@mysten/sui/transactions";
import { describe, expect, test } from "vitest";
import { type CallLists, outsideLists } from "../../shared/policy/call-lists.ts";
import { fullTarget } from "../../shared/policy/move-targets.ts";
import { rawKind } from "../support/sui-transactions.ts";
import { commandsOf, kindOf, PACKAGE, SENDER, STRANGER } from "./requests.ts";

const FRIEND = `0x${"7".repeat(64)}`;
const PLAY = `${PACKAGE}::game::play`;
const COIN = {
  objectId: `0x${"c".repeat(64)}`,
  version: "1",
  digest: bcs.ObjectDigest.parse(new Uint8Array(33).fill(1, 1).fill(32, 0, 1)),
};
const NO_LISTS: CallLists = { allowedAddresses: null, allowedMoveCallTargets: null };

type Change = (transaction: Transaction) => void;

async function ruleOf(change: Change, lists: Partial<CallLists>, trusted: readonly string[] = []) {
  const commands = commandsOf(await kindOf(change));
  if (commands === null) throw new Error("no fund would pay for this kind");
  const call = {
    sender: SENDER,
    lists: { ...NO_LISTS, ...lists },
    isTrusted: (target: string) => trusted.includes(target),
  };
  return outsideLists(commands, call)?.rule ?? null;
}

const play: Change = (tx) => tx.moveCall({ target: PLAY });
const give =
  (recipient: string): Change =>
  (tx) =>
    tx.transferObjects([tx.objectRef(COIN)], recipient);
const giveTo =
  (target: string, recipientAt: number, recipient: string): Change =>
  (tx) => {
    const args = Array.from({ length: recipientAt + 1 }, (_, at) =>
      at === recipientAt ? tx.pure.address(recipient) : tx.objectRef(COIN),
    );
    tx.moveCall({ target, typeArguments: ["0x2::sui::SUI"], arguments: args });
  };

describe("allowedMoveCallTargets", () => {
  test("a call that is not listed is refused, and an empty list allows none", async () => {
    expect(await ruleOf(play, { allowedMoveCallTargets: [PLAY] })).toBeNull();
    expect(await ruleOf(play, { allowedMoveCallTargets: [`${PACKAGE}::game::plays`] })).toBe("allowedMoveCallTargets");
    expect(await ruleOf(play, { allowedMoveCallTargets: [] })).toBe("allowedMoveCallTargets");
    expect(await ruleOf(play, { allowedMoveCallTargets: [] }, [PLAY])).toBe("allowedMoveCallTargets");
    const second: Change = (tx) => {
      play(tx);
      tx.moveCall({ target: `${PACKAGE}::game::steal` });
    };
    expect(await ruleOf(second, { allowedMoveCallTargets: [PLAY] })).toBe("allowedMoveCallTargets");
  });

  test("native commands and the plumbing of an SDK need no entry, code of its own has none", async () => {
    expect(await ruleOf(give(STRANGER), { allowedMoveCallTargets: [] })).toBeNull();
    const option: Change = (tx) =>
      tx.moveCall({ target: PLAY, arguments: [tx.object.option({ type: PLAY, value: null })] });
    expect(await ruleOf(option, { allowedMoveCallTargets: [PLAY] })).toBeNull();
    const publish: Change = (tx) => {
      tx.transferObjects([tx.publish({ modules: [[1]], dependencies: [] })], SENDER);
    };
    for (const lists of [{ allowedMoveCallTargets: [PLAY] }, { allowedAddresses: [] }])
      expect(await ruleOf(publish, lists)).not.toBeNull();
  });
});

describe("allowedAddresses", () => {
  test("objects go to the sender and to the listed addresses, and to nobody else", async () => {
    expect(await ruleOf(give(SENDER), { allowedAddresses: [] })).toBeNull();
    expect(await ruleOf(give(FRIEND), { allowedAddresses: [FRIEND] })).toBeNull();
    expect(await ruleOf(give(STRANGER), { allowedAddresses: [FRIEND] })).toBe("allowedAddresses");
    const both: Change = (tx) => {
      const [first, second] = tx.splitCoins(tx.objectRef(COIN), [1, 2]);
      if (first === undefined || second === undefined) throw new Error("no coins");
      tx.transferObjects([first], FRIEND);
      tx.transferObjects([second], STRANGER);
    };
    expect(await ruleOf(both, { allowedAddresses: [FRIEND] })).toBe("allowedAddresses");
    expect(await ruleOf(both, { allowedAddresses: [FRIEND, STRANGER] })).toBeNull();
  });

  test("a recipient that the transaction computes, or an object, is refused", async () => {
    const computed: Change = (tx) => {
      const address = tx.moveCall({ target: PLAY });
      tx.transferObjects([tx.objectRef(COIN)], address);
    };
    expect(await ruleOf(computed, { allowedAddresses: [FRIEND], allowedMoveCallTargets: [PLAY] })).toBe(
      "allowedAddresses",
    );
    const changed: Change = (tx) => {
      const address = tx.pure.address(FRIEND);
      tx.moveCall({ target: PLAY, arguments: [address] });
      tx.transferObjects([tx.objectRef(COIN)], address);
    };
    expect(await ruleOf(changed, { allowedAddresses: [FRIEND], allowedMoveCallTargets: [PLAY] })).toBe(
      "allowedAddresses",
    );
    const object: Change = (tx) =>
      tx.transferObjects([tx.objectRef(COIN)], tx.objectRef({ ...COIN, objectId: FRIEND }));
    expect(await ruleOf(object, { allowedAddresses: [FRIEND] })).toBe("allowedAddresses");
  });

  test.each([
    ["0x2::transfer::public_transfer", 1],
    ["0x2::coin::send_funds", 1],
    ["0x2::balance::send_funds", 1],
    ["0x2::coin::mint_and_transfer", 2],
    ["0x2::pay::join_vec_and_transfer", 1],
    ["0x2::pay::split_and_transfer", 2],
    ["0x2::sui::transfer", 1],
    ["0x2::token::transfer", 1],
  ])("%s gives to listed addresses only, even if it is listed and trusted itself", async (target, at) => {
    const named = fullTarget(target);
    const lists = { allowedAddresses: [FRIEND], allowedMoveCallTargets: [named] };
    expect(await ruleOf(giveTo(target, at, FRIEND), lists, [named])).toBeNull();
    expect(await ruleOf(giveTo(target, at, STRANGER), lists, [named])).toBe("allowedAddresses");
  });

  test("a function of the framework that gives an object to nobody in particular is refused", async () => {
    for (const name of ["public_share_object", "public_party_transfer", "public_freeze_object"]) {
      const target = fullTarget(`0x2::transfer::${name}`);
      const lists = { allowedAddresses: [FRIEND], allowedMoveCallTargets: [target] };
      expect(await ruleOf(giveTo(target, 1, FRIEND), lists, [target])).toBe("allowedAddresses");
    }
  });

  test("a call that neither the call's own list nor a policy names is refused: it may give anything to anybody", async () => {
    expect(await ruleOf(play, { allowedAddresses: [FRIEND] })).toBe("allowedAddresses");
    expect(await ruleOf(play, { allowedAddresses: [FRIEND], allowedMoveCallTargets: [PLAY] })).toBeNull();
    expect(await ruleOf(play, { allowedAddresses: [FRIEND] }, [PLAY])).toBeNull();
  });

  test("money is not merged into an object that others may open", async () => {
    const merge: Change = (tx) => {
      const shared = tx.sharedObjectRef({ objectId: FRIEND, initialSharedVersion: "1", mutable: true });
      tx.mergeCoins(shared, [tx.objectRef(COIN)]);
    };
    expect(await ruleOf(merge, { allowedAddresses: [FRIEND] })).toBe("allowedAddresses");
  });

  test("an argument that names no input is refused", () => {
    const kind = rawKind([{ TransferObjects: { objects: [{ Input: 7 }], address: { Input: 8 } } }]);
    const commands = commandsOf(kind) ?? [];
    const call = { sender: SENDER, lists: { ...NO_LISTS, allowedAddresses: [FRIEND] }, isTrusted: () => true };
    expect(outsideLists(commands, call)?.rule).toBe("allowedAddresses");
  });
});

test("without lists every transaction keeps to them", async () => {
  for (const change of [play, give(STRANGER)]) expect(await ruleOf(change, {})).toBeNull();
});
