import { coinWithBalance, Transaction, type TransactionObjectArgument } from "@mysten/sui/transactions";
import { describe, expect, test } from "vitest";
import { readCommands } from "../../shared/chain/sui/commands.ts";
import { inspectTransaction } from "../../shared/chain/sui/inspect-transaction.ts";
import type { Argument } from "../../shared/policy/commands.ts";
import { judge } from "../../shared/policy/evaluate.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { allowMoveCalls, allowPlainTransfers } from "../../shared/policy/rules.ts";
import { commandsOf, kindOf, PACKAGE, request, SENDER, STRANGER } from "./requests.ts";

/** Transactions as an app's page could send them, against a policy that lists a few functions of the app's package. */

const PLAY = `${PACKAGE}::game::play`;
const BUY = `${PACKAGE}::shop::buy`;
const OTHER = `0x${"cd".repeat(32)}`;
const SUI = "0x2::sui::SUI";
const USDC = `${OTHER}::usdc::USDC`;
const DIGEST = "D4Ay9TdBJjXkGmrZSstZakpEWskEQHaWURP6xWPRXbAm";

const policy: readonly Rule[] = [allowMoveCalls(["SUI_TESTNET"], [PLAY, BUY, `${PACKAGE}::market::trade<${SUI}>`])];

let ids = 0;
const ref = () => ({ objectId: `0x${(++ids).toString(16).padStart(64, "7")}`, version: "7", digest: DIGEST });
/** One of the sender's own coins, or another object of theirs. */
const own = (tx: Transaction) => tx.objectRef(ref());
const shared = (tx: Transaction) =>
  tx.sharedObjectRef({ objectId: ref().objectId, initialSharedVersion: "1", mutable: true });
const received = (tx: Transaction) => tx.receivingRef(ref());

const resultOf = (command: number, index: number) =>
  ({ $kind: "NestedResult", NestedResult: [command, index] }) satisfies TransactionObjectArgument;

type Change = (tx: Transaction) => void;
type Cases = Readonly<Record<string, Change>>;

async function verdictOn(rules: readonly Rule[], change: Change): Promise<string> {
  const commands = commandsOf(await kindOf(change));
  if (commands === null) return "no fund pays for it";
  const verdict = judge(rules, request({ commands }));
  return verdict.allowed ? "allowed" : verdict.why;
}

const allowed: Cases = {
  "a listed call": (tx) => {
    tx.moveCall({ target: PLAY });
  },
  "two listed calls": (tx) => {
    tx.moveCall({ target: PLAY });
    tx.moveCall({ target: BUY });
  },
  "a listed call with the types that the list names": (tx) => {
    tx.moveCall({ target: `${PACKAGE}::market::trade`, typeArguments: [SUI] });
  },
  "a listed call with any types, where the list names none": (tx) => {
    tx.moveCall({ target: BUY, typeArguments: [USDC] });
  },
  "a payment that is split from a coin of the sender's": (tx) => {
    const [coin] = tx.splitCoins(own(tx), [100]);
    tx.moveCall({ target: BUY, arguments: [coin] });
  },
  "a payment that is collected from several coins, as the SDK does it": (tx) => {
    const base = own(tx);
    tx.mergeCoins(base, [own(tx), own(tx)]);
    const [coin] = tx.splitCoins(base, [100]);
    tx.moveCall({ target: "0x2::coin::destroy_zero", typeArguments: [USDC], arguments: [base] });
    tx.moveCall({ target: BUY, arguments: [coin] });
  },
  "a payment out of the sender's address balance, as the SDK does it": (tx) => {
    tx.moveCall({ target: BUY, arguments: [coinWithBalance({ type: USDC, balance: 100 })] });
  },
  "two payments out of the sender's address balance, whose rest goes back": (tx) => {
    const coins = [1, 2].map((balance) => coinWithBalance({ type: USDC, balance }));
    tx.moveCall({ target: BUY, arguments: coins });
  },
  "a balance in the place of a coin": (tx) => {
    tx.moveCall({ target: BUY, arguments: [tx.balance({ type: USDC, balance: 100 })] });
  },
  "a payment of nothing": (tx) => {
    tx.moveCall({ target: BUY, arguments: [coinWithBalance({ type: USDC, balance: 0 })] });
  },
  "an option with something in it": (tx) => {
    tx.moveCall({ target: PLAY, arguments: [tx.object.option({ type: `${PACKAGE}::game::Item`, value: own(tx) })] });
  },
  "an option with nothing in it": (tx) => {
    tx.moveCall({ target: PLAY, arguments: [tx.object.option({ type: `${PACKAGE}::game::Item`, value: null })] });
  },
  "a vector of the sender's objects": (tx) => {
    tx.moveCall({ target: PLAY, arguments: [tx.makeMoveVec({ elements: [own(tx), own(tx)] })] });
  },
  "an object that the call gives, transferred to the sender": (tx) => {
    tx.transferObjects([tx.moveCall({ target: PLAY })], SENDER);
  },
  "a transfer to the sender before a listed call takes the same address": (tx) => {
    const to = tx.pure.address(SENDER);
    tx.transferObjects([own(tx)], to);
    tx.moveCall({ target: PLAY, arguments: [to] });
  },
  "one address for two transfers": (tx) => {
    const to = tx.pure.address(SENDER);
    const [one, other] = [tx.moveCall({ target: PLAY }), tx.moveCall({ target: PLAY })];
    tx.transferObjects([one], to);
    tx.transferObjects([other], to);
  },
  "the same by the framework's function": (tx) => {
    const item = tx.moveCall({ target: PLAY });
    const type = `${PACKAGE}::game::Item`;
    tx.moveCall({
      target: "0x2::transfer::public_transfer",
      typeArguments: [type],
      arguments: [item, tx.pure.address(SENDER)],
    });
  },
  "what two calls give, merged and transferred to the sender": (tx) => {
    const [one, other] = [tx.moveCall({ target: BUY }), tx.moveCall({ target: BUY })];
    tx.mergeCoins(one, [other]);
    tx.transferObjects([one], SENDER);
  },
  "change that goes back to the sender": (tx) => {
    const change = tx.moveCall({ target: BUY, arguments: [own(tx)] });
    tx.mergeCoins(own(tx), [change]);
  },
  "a result passed on to another listed call": (tx) => {
    tx.moveCall({ target: BUY, arguments: [tx.moveCall({ target: PLAY })] });
  },
  "a shared object in a listed call": (tx) => {
    tx.moveCall({ target: PLAY, arguments: [shared(tx)] });
  },
  "an object that is received by a listed call": (tx) => {
    tx.moveCall({ target: PLAY, arguments: [own(tx), received(tx)] });
  },
  "money withdrawn from the sender's balance in a listed call": (tx) => {
    tx.moveCall({ target: BUY, arguments: [tx.withdrawal({ amount: 5 })] });
  },
  "coins split for the sender beside a listed call": (tx) => {
    tx.moveCall({ target: PLAY });
    tx.transferObjects([tx.splitCoins(own(tx), [1])], SENDER);
  },
};

const refused: Readonly<Record<string, readonly [RegExp, Change]>> = {
  "nothing at all": [/no command calls what is listed/, () => {}],
  "plumbing without a listed call": [
    /no command calls what is listed/,
    (tx) => {
      tx.transferObjects([tx.splitCoins(own(tx), [1])], SENDER);
    },
  ],
  "plumbing of the framework without a listed call": [
    /no command calls what is listed/,
    (tx) => {
      const zero = tx.moveCall({ target: "0x2::coin::zero", typeArguments: [SUI] });
      tx.transferObjects([zero], SENDER);
    },
  ],
  "an unlisted call": [
    /command 0 calls 0x(cd)+::evil::take, which is not listed/,
    (tx) => {
      tx.moveCall({ target: `${OTHER}::evil::take` });
    },
  ],
  "an unlisted call after a listed one": [
    /command 1 calls/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.moveCall({ target: `${OTHER}::evil::take` });
    },
  ],
  "another function of a listed package": [
    /calls 0x(ab)+::game::admin/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::game::admin` });
    },
  ],
  "a function whose name begins like a listed one": [
    /calls 0x(ab)+::game::play_all/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::game::play_all` });
    },
  ],
  "a listed function of another module": [
    /calls 0x(ab)+::games::play/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::games::play` });
    },
  ],
  "other types than the list names": [
    /calls 0x(ab)+::market::trade/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::market::trade`, typeArguments: [USDC] });
    },
  ],
  "more types than the list names": [
    /calls 0x(ab)+::market::trade/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::market::trade`, typeArguments: [SUI, USDC] });
    },
  ],
  "no types where the list names some": [
    /calls 0x(ab)+::market::trade/,
    (tx) => {
      tx.moveCall({ target: `${PACKAGE}::market::trade` });
    },
  ],
  "a coin of the sender's that goes to a stranger": [
    /command 1 transfers to 0x6+, which is not the sender/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.transferObjects([own(tx)], STRANGER);
    },
  ],
  "a split that goes to a stranger": [
    /command 2 transfers to 0x6+, which is not the sender/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.transferObjects([tx.splitCoins(own(tx), [1])], STRANGER);
    },
  ],
  "what the listed call gives, to a stranger": [
    /command 1 transfers to 0x6+/,
    (tx) => {
      tx.transferObjects([tx.moveCall({ target: PLAY })], STRANGER);
    },
  ],
  "something for the sender, and something for a stranger": [
    /command 2 transfers to 0x6+/,
    (tx) => {
      const item = tx.moveCall({ target: PLAY });
      tx.transferObjects([item], SENDER);
      tx.transferObjects([own(tx)], STRANGER);
    },
  ],
  "a transfer to an address that a listed call gives": [
    /transfers to an address that the transaction computes/,
    (tx) => {
      tx.transferObjects([own(tx)], tx.moveCall({ target: PLAY }));
    },
  ],
  "a transfer to the sender's address, which an earlier listed call may have changed": [
    /command 1 transfers to an address that the transaction computes/,
    (tx) => {
      const to = tx.pure.address(SENDER);
      tx.moveCall({ target: PLAY, arguments: [to] });
      tx.transferObjects([own(tx)], to);
    },
  ],
  "the framework's transfer to an address that an earlier listed call may have changed": [
    /command 2 transfers to an address that the transaction computes/,
    (tx) => {
      const to = tx.pure.address(SENDER);
      const item = tx.moveCall({ target: PLAY, arguments: [to] });
      tx.moveCall({ target: BUY });
      tx.moveCall({ target: "0x2::transfer::public_transfer", typeArguments: [USDC], arguments: [item, to] });
    },
  ],
  "money into an address balance that an earlier listed call may have changed": [
    /command 1 transfers to an address that the transaction computes/,
    (tx) => {
      const to = tx.pure.address(SENDER);
      tx.moveCall({ target: PLAY, arguments: [to] });
      tx.moveCall({ target: "0x2::coin::send_funds", typeArguments: [SUI], arguments: [own(tx), to] });
    },
  ],
  "the framework's transfer to a stranger": [
    /transfers to 0x6+/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.moveCall({
        target: "0x2::transfer::public_transfer",
        typeArguments: [USDC],
        arguments: [own(tx), tx.pure.address(STRANGER)],
      });
    },
  ],
  "money into a stranger's address balance": [
    /transfers to 0x6+/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.moveCall({
        target: "0x2::coin::send_funds",
        typeArguments: [SUI],
        arguments: [own(tx), tx.pure.address(STRANGER)],
      });
    },
  ],
  "a balance into a stranger's": [
    /transfers to 0x6+/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      const balance = tx.balance({ type: USDC, balance: 5 });
      tx.moveCall({
        target: "0x2::balance::send_funds",
        typeArguments: [USDC],
        arguments: [balance, tx.pure.address(STRANGER)],
      });
    },
  ],
  "the sender's coin, frozen": [
    /calls 0x0+2::transfer::public_freeze_object/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.moveCall({ target: "0x2::transfer::public_freeze_object", typeArguments: [USDC], arguments: [own(tx)] });
    },
  ],
  "the sender's coin, shared": [
    /calls 0x0+2::transfer::public_share_object/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.moveCall({ target: "0x2::transfer::public_share_object", typeArguments: [USDC], arguments: [own(tx)] });
    },
  ],
  "a merge into a coin that is not the sender's": [
    /command 1 handles 0x7+[0-9a-f]+, which is shared and not the sender's own/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.mergeCoins(shared(tx), [own(tx)]);
    },
  ],
  "a merge of a coin that is not the sender's": [
    /which is shared/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.mergeCoins(own(tx), [shared(tx)]);
    },
  ],
  "a merge into a coin that a call only refers to": [
    /command 1 changes a coin that nothing takes afterwards/,
    (tx) => {
      tx.mergeCoins(tx.moveCall({ target: PLAY }), [own(tx)]);
    },
  ],
  "a merge into one result, where another is taken": [
    /command 1 changes a coin that nothing takes afterwards/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.mergeCoins(resultOf(0, 0), [own(tx)]);
      tx.transferObjects([resultOf(0, 1)], SENDER);
    },
  ],
  "a split of a coin that is not the sender's": [
    /which is shared/,
    (tx) => {
      tx.moveCall({ target: BUY, arguments: [tx.splitCoins(shared(tx), [1])] });
    },
  ],
  "a split whose coins nobody takes": [
    /command 0 gives what nothing takes/,
    (tx) => {
      tx.splitCoins(own(tx), [1]);
      tx.moveCall({ target: PLAY });
    },
  ],
  "a split passed on to an unlisted call": [
    /command 1 calls 0x(cd)+::evil::take/,
    (tx) => {
      const coin = tx.splitCoins(own(tx), [1]);
      tx.moveCall({ target: `${OTHER}::evil::take`, arguments: [coin] });
      tx.moveCall({ target: PLAY });
    },
  ],
  "what a listed call gives, passed on to an unlisted one": [
    /command 1 calls 0x(cd)+::evil::take/,
    (tx) => {
      tx.moveCall({ target: `${OTHER}::evil::take`, arguments: [tx.moveCall({ target: PLAY })] });
    },
  ],
  "an option that an unlisted call takes": [
    /calls 0x(cd)+::evil::take/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      const option = tx.object.option({ type: USDC, value: own(tx) });
      tx.moveCall({ target: `${OTHER}::evil::take`, arguments: [option] });
    },
  ],
  "an option of a shared object": [
    /which is shared/,
    (tx) => {
      tx.moveCall({ target: PLAY, arguments: [tx.object.option({ type: USDC, value: shared(tx) })] });
    },
  ],
  "another function of the option's module": [
    /calls 0x0+1::option::destroy_some/,
    (tx) => {
      tx.moveCall({ target: PLAY, arguments: [tx.moveCall({ target: "0x1::option::destroy_some" })] });
    },
  ],
  "a namesake of the framework's plumbing": [
    /calls 0x(cd)+::option::some/,
    (tx) => {
      tx.moveCall({ target: PLAY, arguments: [tx.moveCall({ target: `${OTHER}::option::some` })] });
    },
  ],
  "a vector that nothing takes": [
    /command 0 gives what nothing takes/,
    (tx) => {
      tx.makeMoveVec({ elements: [own(tx)] });
      tx.moveCall({ target: PLAY });
    },
  ],
  "an object received by the framework's function": [
    /calls 0x0+2::transfer::public_receive/,
    (tx) => {
      const item = tx.moveCall({
        target: "0x2::transfer::public_receive",
        typeArguments: [USDC],
        arguments: [own(tx), received(tx)],
      });
      tx.moveCall({ target: PLAY, arguments: [item] });
    },
  ],
  "an object to be received, transferred": [
    /which is received/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.transferObjects([received(tx)], SENDER);
    },
  ],
  "a package that is published": [
    /command 1 brings code of its own/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.transferObjects([tx.publish({ modules: [[1, 2, 3]], dependencies: ["0x1"] })], SENDER);
    },
  ],
  "a package that is upgraded": [
    /brings code of its own/,
    (tx) => {
      tx.moveCall({ target: PLAY });
      tx.upgrade({ modules: [[1]], dependencies: ["0x1"], package: OTHER, ticket: own(tx) });
    },
  ],
  "the gas coin, split": [
    /no fund pays for it/,
    (tx) => {
      tx.moveCall({ target: BUY, arguments: [tx.splitCoins(tx.gas, [1])] });
    },
  ],
  "the gas coin in a listed call": [
    /no fund pays for it/,
    (tx) => {
      tx.moveCall({ target: BUY, arguments: [tx.gas] });
    },
  ],
  "money withdrawn from the fund's balance": [
    /no fund pays for it/,
    (tx) => {
      tx.moveCall({ target: BUY, arguments: [tx.withdrawal({ amount: 5, from: "sponsor" })] });
    },
  ],
  "money withdrawn from somebody else's allowance": [
    /no rule of the app's policy allows/,
    (tx) => {
      const from = { from: "allowance", funder: STRANGER, allowance: OTHER } as const;
      tx.moveCall({ target: BUY, arguments: [tx.withdrawal({ amount: 5, ...from })] });
    },
  ],
};

describe("allowMoveCalls allows the listed calls and the plumbing around them", () => {
  test.each(Object.entries(allowed))("%s", async (_, change) => {
    expect(await verdictOn(policy, change)).toBe("allowed");
  });
});

describe("allowMoveCalls refuses", () => {
  test.each(Object.entries(refused))("%s", async (_, [why, change]) => {
    expect(await verdictOn(policy, change)).toMatch(why);
  });
});

describe("a transaction that the sender pays for", () => {
  async function signed(change: Change, gasOwner = SENDER): Promise<string> {
    const tx = new Transaction();
    change(tx);
    tx.setSender(SENDER);
    tx.setGasOwner(gasOwner);
    tx.setGasBudget(1_000_000);
    tx.setGasPrice(1_000);
    tx.setGasPayment([ref()]);
    const inspected = inspectTransaction(await tx.build({ assumeSufficientAddressBalances: true }));
    if (!inspected.ok) return inspected.error.reason;
    const commands = readCommands(inspected.value.kindBytes);
    const payer = inspected.value.gasOwner === SENDER ? "sender" : "other";
    const verdict = judge(policy, request({ action: "sign", commands, gas: { budgetAtoms: 1_000_000n, payer } }));
    return verdict.allowed ? "allowed" : verdict.why;
  }

  test("may pay with a part of its gas coin", async () => {
    const pay: Change = (tx) => tx.moveCall({ target: BUY, arguments: [tx.splitCoins(tx.gas, [1])] });
    expect(await signed(pay)).toBe("allowed");
    expect(await signed(pay, STRANGER)).toBe("gas_coin_used");
  });

  test("must not give its gas coin away", async () => {
    const drain: Change = (tx) => {
      tx.moveCall({ target: PLAY });
      tx.transferObjects([tx.gas], STRANGER);
    };
    expect(await signed(drain)).toMatch(/command 1 transfers to 0x6+, which is not the sender/);
  });

  test("must not draw on somebody else's allowance", async () => {
    const from = { from: "allowance", funder: STRANGER, allowance: OTHER } as const;
    const draw: Change = (tx) => tx.moveCall({ target: BUY, arguments: [tx.withdrawal({ amount: 5, ...from })] });
    expect(await signed(draw)).toMatch(/withdraws from a balance that is not the sender's/);
  });
});

describe("allowPlainTransfers", () => {
  const plain = [allowPlainTransfers(["SUI_TESTNET"])];
  const verdict = (change: Change) => verdictOn(plain, change);

  test("allows what the sender owns to go to anybody", async () => {
    expect(await verdict((tx) => tx.transferObjects([own(tx)], STRANGER))).toBe("allowed");
    expect(await verdict((tx) => tx.transferObjects([tx.splitCoins(own(tx), [1])], STRANGER))).toBe("allowed");
    expect(await verdict((tx) => tx.mergeCoins(own(tx), [own(tx)]))).toBe("allowed");
    expect(await verdict((tx) => tx.transferObjects([coinWithBalance({ type: USDC, balance: 5 })], STRANGER))).toBe(
      "allowed",
    );
  });

  test("allows no call, no code, and nothing that is not the sender's", async () => {
    expect(await verdict((tx) => tx.moveCall({ target: PLAY }))).toMatch(/calls/);
    expect(await verdict((tx) => tx.publish({ modules: [[1]], dependencies: [] }))).toMatch(/brings code/);
    expect(await verdict((tx) => tx.mergeCoins(shared(tx), [own(tx)]))).toMatch(/which is shared/);
  });
});

test("a plain value is told by its bytes up to the first call that takes it, and to that call", async () => {
  const commands = commandsOf(
    await kindOf((tx) => {
      const [amount, other] = [tx.pure.u64(5), tx.pure.u64(6)];
      tx.splitCoins(own(tx), [amount]);
      tx.moveCall({ target: PLAY, arguments: [amount, resultOf(0, 0)] });
      tx.moveCall({ target: BUY, arguments: [amount, tx.splitCoins(own(tx), [amount, other])] });
      tx.makeMoveVec({ type: "u64", elements: [amount, other] });
    }),
  );
  const kinds = (args: readonly Argument[]) => args.map(({ kind }) => kind);
  const told = commands?.map((command) => {
    if (command.kind === "call") return kinds(command.arguments);
    if (command.kind === "split") return kinds(command.amounts);
    return command.kind === "vector" ? kinds(command.elements) : [];
  });
  expect(told).toEqual([
    ["pure"],
    ["pure", "result"],
    ["changeable", "pure"],
    ["changeable", "result"],
    ["changeable", "pure"],
  ]);
});
