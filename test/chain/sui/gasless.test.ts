import type { Transaction } from "@mysten/sui/transactions";
import { describe, expect, test } from "vitest";
import { mayBeGasless } from "../../../shared/chain/sui/gasless.ts";
import { inspectKind } from "../../../shared/chain/sui/kind.ts";
import { kindOf } from "../../support/sui-transactions.ts";

const USDC = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
const OTHER = `0x${"0b".repeat(32)}::other::OTHER`;
const TO = `0x${"0c".repeat(32)}`;
const REF = { objectId: `0x${"0d".repeat(32)}`, version: "1", digest: "11111111111111111111111111111111" };

type Change = (transaction: Transaction) => void;

async function on(network: Parameters<typeof mayBeGasless>[1], change: Change): Promise<boolean> {
  const inspected = inspectKind(await kindOf(change));
  if (!inspected.ok) throw new Error(inspected.error.details);
  return mayBeGasless(inspected.value, network);
}

type Given = NonNullable<Parameters<Transaction["moveCall"]>[0]["arguments"]>;

function call(transaction: Transaction, target: string, type: string, given: Given) {
  return transaction.moveCall({ target: `0x2::${target}`, typeArguments: [type], arguments: given });
}

/** Sends an amount out of the sender's address balance. */
function transfer(type: string): Change {
  return (transaction) => {
    const balance = call(transaction, "balance::redeem_funds", type, [transaction.withdrawal({ amount: 5n, type })]);
    call(transaction, "balance::send_funds", type, [balance, transaction.pure.address(TO)]);
  };
}

describe("a transfer that the network may execute without gas", () => {
  test("is one of a listed coin on mainnet, and of any coin but SUI elsewhere", async () => {
    expect(await on("SUI_MAINNET", transfer(USDC))).toBe(true);
    expect(await on("SUI_MAINNET", transfer(OTHER))).toBe(false);
    for (const network of ["SUI_TESTNET", "SUI_DEVNET", "SUI_LOCALNET"] as const) {
      expect(await on(network, transfer(OTHER))).toBe(true);
      expect(await on(network, transfer("0x2::sui::SUI"))).toBe(false);
    }
  });

  test("merges and splits coins, and splits withdrawals", async () => {
    const change: Change = (transaction) => {
      const coin = transaction.objectRef(REF);
      transaction.mergeCoins(coin, [transaction.objectRef({ ...REF, objectId: TO })]);
      const [part] = transaction.splitCoins(coin, [3n]);
      for (const one of [part, coin]) call(transaction, "coin::send_funds", USDC, [one, transaction.pure.address(TO)]);
    };
    expect(await on("SUI_MAINNET", change)).toBe(true);
    const splitting = (type: string): Change => {
      const balanceType = `0x2::balance::Balance<${type}>`;
      return (transaction) => {
        const whole = transaction.withdrawal({ amount: 5n, type });
        const part = call(transaction, "funds_accumulator::withdrawal_split", balanceType, [
          whole,
          transaction.pure.u256(2n),
        ]);
        for (const one of [part, whole])
          call(transaction, "balance::send_funds", type, [
            call(transaction, "balance::redeem_funds", type, [one]),
            transaction.pure.address(TO),
          ]);
      };
    };
    expect(await on("SUI_MAINNET", splitting(USDC))).toBe(true);
    expect(await on("SUI_MAINNET", splitting(OTHER))).toBe(false);
  });

  const others: readonly (readonly [string, Change])[] = [
    [
      "another command",
      (transaction) => {
        transfer(USDC)(transaction);
        transaction.transferObjects([transaction.objectRef(REF)], TO);
      },
    ],
    [
      "another function",
      (transaction) => {
        transfer(USDC)(transaction);
        call(transaction, "balance::value", USDC, [call(transaction, "balance::zero", USDC, [])]);
      },
    ],
    [
      "a function of that name in another package",
      (transaction) => {
        transaction.moveCall({ target: `${TO}::balance::send_funds`, typeArguments: [USDC] });
      },
    ],
    [
      "two type arguments",
      (transaction) => {
        transaction.moveCall({ target: "0x2::balance::zero", typeArguments: [USDC, USDC] });
      },
    ],
    [
      "an object that nothing uses",
      (transaction) => {
        transfer(USDC)(transaction);
        transaction.objectRef(REF);
      },
    ],
    [
      "a withdrawal that nothing uses",
      (transaction) => {
        transfer(USDC)(transaction);
        transaction.withdrawal({ amount: 5n, type: USDC });
      },
    ],
    [
      "a shared object",
      (transaction) => {
        const { objectId } = REF;
        const coin = transaction.sharedObjectRef({ objectId, initialSharedVersion: "1", mutable: true });
        call(transaction, "coin::send_funds", USDC, [coin, transaction.pure.address(TO)]);
      },
    ],
    [
      "a received object",
      (transaction) => {
        const coin = transaction.receivingRef(REF);
        call(transaction, "coin::send_funds", USDC, [coin, transaction.pure.address(TO)]);
      },
    ],
    [
      "a pure input of more than 32 bytes",
      (transaction) => {
        transfer(USDC)(transaction);
        transaction.pure.string("x".repeat(32));
      },
    ],
    [
      "two pure inputs that nothing uses",
      (transaction) => {
        transfer(USDC)(transaction);
        transaction.pure.u64(1n);
        transaction.pure.u64(2n);
      },
    ],
    ["no command", () => {}],
  ];
  test.each(others)("has not %s", async (_, change) => {
    expect(await on("SUI_MAINNET", change)).toBe(false);
  });

  test("may have one pure input that nothing uses", async () => {
    const change: Change = (transaction) => {
      transfer(USDC)(transaction);
      transaction.pure.u64(1n);
    };
    expect(await on("SUI_MAINNET", change)).toBe(true);
  });
});
