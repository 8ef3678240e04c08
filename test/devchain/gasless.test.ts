import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, balanceHarness } from "./balance-testing.ts";
import { DEMO_PACKAGE } from "./demo.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
const OTHER = `0x${"0b".repeat(32)}`;
const NO_GAS = { computationCost: "0", storageCost: "0", storageRebate: "0", nonRefundableStorageFee: "0" };

let chain: TestChain;
let harness: BalanceHarness;
let user: Ed25519Keypair;

beforeEach(async () => {
  chain = await startChain();
  user = await chain.account(10n * SUI);
  harness = balanceHarness(chain, user);
});

type Change = (transaction: Transaction) => void;

/** Runs a transaction at price 0, which `payer` owns the gas of. */
async function free(change: Change, payer = user) {
  const bytes = await harness.build(
    (transaction) => {
      transaction.setGasPrice(0n);
      transaction.setGasBudget(0n);
      change(transaction);
    },
    user,
    payer,
  );
  return harness.submit(bytes, ...(payer === user ? [user] : [user, payer]));
}

/** Mints coins of the demo package, into the user's address balance or as an object. */
async function mint(amount: bigint, into: "funds" | "object") {
  const transaction = new Transaction();
  transaction.setSender(user.toSuiAddress());
  const coin = transaction.moveCall({
    target: `${DEMO_PACKAGE}::demo::mint_coin`,
    arguments: [transaction.pure.u64(amount)],
  });
  if (into === "object") transaction.transferObjects([coin], user.toSuiAddress());
  else
    transaction.moveCall({
      target: "0x2::coin::send_funds",
      typeArguments: [DEMO],
      arguments: [coin, transaction.pure.address(user.toSuiAddress())],
    });
  const executed = await harness.submit(await transaction.build({ client: chain.client }), user);
  return executed.effects?.changedObjects.find(({ idOperation }) => idOperation === "Created")?.objectId ?? "";
}

/** Sends an amount out of the address balance. */
function transfer(amount: bigint, to = OTHER): Change {
  return (transaction) => {
    const balance = transaction.moveCall({
      target: "0x2::balance::redeem_funds",
      typeArguments: [DEMO],
      arguments: [transaction.withdrawal({ amount, type: DEMO })],
    });
    transaction.moveCall({
      target: "0x2::balance::send_funds",
      typeArguments: [DEMO],
      arguments: [balance, transaction.pure.address(to)],
    });
  };
}

async function fundsOf(owner: string) {
  return BigInt((await chain.client.getBalance({ owner, coinType: DEMO })).balance.addressBalance);
}

describe("a transfer of a listed coin", () => {
  test("out of an address balance costs nothing, and nobody pays", async () => {
    await mint(100_000n, "funds");
    const executed = await free(transfer(40_000n));
    expect(executed.status).toEqual({ success: true, error: null });
    expect(executed.effects?.gasUsed).toEqual(NO_GAS);
    expect(executed.effects?.gasObject).toBeNull();
    expect([await fundsOf(user.toSuiAddress()), await fundsOf(OTHER)]).toEqual([60_000n, 40_000n]);
  });

  test("has a sponsor that owns its gas and owns nothing", async () => {
    await mint(100_000n, "funds");
    const sponsor = new Ed25519Keypair();
    expect((await free(transfer(40_000n), sponsor)).status.success).toBe(true);
    expect(await fundsOf(OTHER)).toBe(40_000n);
  });

  test("uses up the coins that it takes, and what comes back of their deposits is its computation", async () => {
    const coin = await mint(100_000n, "object");
    const { object } = await chain.client.getObject({ objectId: coin });
    const executed = await free((transaction) => {
      const given = transaction.objectRef(object);
      const [part] = transaction.splitCoins(given, [30_000n]);
      for (const one of [part, given])
        transaction.moveCall({
          target: "0x2::coin::send_funds",
          typeArguments: [DEMO],
          arguments: [one, transaction.pure.address(OTHER)],
        });
    });
    const gas = executed.effects?.gasUsed;
    expect(executed.status.success).toBe(true);
    expect(gas?.computationCost).toBe(gas?.storageRebate);
    expect(BigInt(gas?.storageRebate ?? 0)).toBeGreaterThan(0n);
    expect(gas?.storageCost).toBe("0");
  });

  test("that breaks its terms once it runs has run out of gas, free of charge", async () => {
    await mint(100_000n, "funds");
    const coin = await mint(100_000n, "object");
    const { object } = await chain.client.getObject({ objectId: coin });
    const broken: Change[] = [
      transfer(9_999n),
      // A part of the withdrawal goes back, and is too small.
      (transaction) => {
        transfer(20_000n)(transaction);
        transfer(5_000n, user.toSuiAddress())(transaction);
        transfer(5_000n)(transaction);
      },
      // A coin is left over.
      (transaction) => {
        const [part] = transaction.splitCoins(transaction.objectRef(object), [30_000n]);
        transaction.moveCall({
          target: "0x2::coin::send_funds",
          typeArguments: [DEMO],
          arguments: [part, transaction.pure.address(OTHER)],
        });
      },
    ];
    const [tooSmall, , leftOver] = await Promise.all(broken.map((change) => free(change)));
    for (const executed of [tooSmall, leftOver]) {
      expect(executed?.status.error?.message).toContain("Insufficient Gas");
      expect(executed?.effects?.gasUsed).toEqual(NO_GAS);
    }
  });
});

describe("at price 0 nothing else is taken", () => {
  const refusals: readonly (readonly [string, string, Change])[] = [
    [
      "a budget",
      "gas_budget must be 0 for gasless transactions",
      (transaction) => {
        transfer(40_000n)(transaction);
        transaction.setGasBudget(1_000n);
      },
    ],
    [
      "another command",
      "Gasless transactions only support MoveCall, MergeCoins, and SplitCoins commands",
      (transaction) => {
        transfer(40_000n)(transaction);
        transaction.makeMoveVec({ type: "u64", elements: [transaction.pure.u64(1n)] });
      },
    ],
    [
      "another function",
      "::balance::value is not supported in gasless transactions",
      (transaction) => {
        const balance = transaction.moveCall({
          target: "0x2::balance::redeem_funds",
          typeArguments: [DEMO],
          arguments: [transaction.withdrawal({ amount: 50n, type: DEMO })],
        });
        transaction.moveCall({ target: "0x2::balance::value", typeArguments: [DEMO], arguments: [balance] });
      },
    ],
    [
      "another coin",
      "is not currently allowed in gasless transactions",
      (transaction) => {
        transaction.moveCall({ target: "0x2::balance::zero", typeArguments: ["0x2::sui::SUI"] });
      },
    ],
    [
      "an unused input",
      "Gasless transactions do not allow unused FundsWithdrawal inputs (input 2)",
      (transaction) => {
        transfer(40_000n)(transaction);
        transaction.withdrawal({ amount: 20_000n, type: DEMO });
      },
    ],
    [
      "a long pure input",
      "but gasless transactions allow at most 32 bytes per Pure input",
      (transaction) => {
        transfer(40_000n)(transaction);
        transaction.pure.string("x".repeat(40));
      },
    ],
    ["a remainder that is too small", "Gasless transactions must either use the entire balance", transfer(95_000n)],
  ];
  test.each(refusals)("%s is refused", async (_, text, change) => {
    await mint(100_000n, "funds");
    await expect(free(change)).rejects.toThrow(text);
  });
});

test("a simulation says the same as an execution", async () => {
  await mint(100_000n, "funds");
  const simulate = async (amount: bigint) => {
    const bytes = await harness.build((transaction) => {
      transaction.setGasPrice(0n);
      transaction.setGasBudget(0n);
      transfer(amount)(transaction);
    });
    const result = await chain.client.simulateTransaction({ transaction: bytes, include: { effects: true } });
    return (result.Transaction ?? result.FailedTransaction).status.success;
  };
  expect([await simulate(40_000n), await simulate(1n)]).toEqual([true, false]);
});
