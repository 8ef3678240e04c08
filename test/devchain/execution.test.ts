import { bcs } from "@mysten/sui/bcs";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { normalizeSuiAddress } from "@mysten/sui/utils";
import { beforeEach, describe, expect, test } from "vitest";
import { DEMO_COUNTER, DEMO_PACKAGE } from "./demo.ts";
import { estimateBudget, roundComputationUnits, senderRebate } from "./sui/gas.ts";
import { protocolOf } from "./sui/protocol.ts";
import { signAll, startRecordedChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const BUDGET = 20_000_000n;
/** Deposit of one SUI coin and what is lost of it when it is written again (recorded on Sui mainnet). */
const COIN_DEPOSIT_MIST = 988_000n;
const COIN_NON_REFUNDABLE_MIST = 9_880n;
const MINIMUM_COMPUTATION_MIST = 1_000_000n;

let chain: TestChain;
let user: Ed25519Keypair;

beforeEach(async () => {
  chain = await startRecordedChain();
  user = await chain.account(SUI);
});

/** Executes a transaction that the user signs and pays for, whatever becomes of it. */
async function run(change: (transaction: Transaction) => void, budget = BUDGET) {
  const transaction = new Transaction();
  const coins = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
  transaction.setSender(user.toSuiAddress());
  transaction.setGasPayment(coins.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
  transaction.setGasPrice(1_000n);
  transaction.setGasBudget(budget);
  transaction.setExpiration({ None: true });
  change(transaction);
  const bytes = await transaction.build();
  const signatures = await signAll(bytes, user);
  const include = { effects: true, balanceChanges: true, events: true } as const;
  const result = await chain.client.executeTransaction({ transaction: bytes, signatures, include });
  return result.Transaction ?? result.FailedTransaction;
}

function counter(transaction: Transaction, mutable = true) {
  const { objectId, initialSharedVersion } = DEMO_COUNTER;
  return transaction.sharedObjectRef({ objectId, initialSharedVersion: String(initialSharedVersion), mutable });
}

async function balanceOf(address: string): Promise<bigint> {
  return BigInt((await chain.client.getBalance({ owner: address })).balance.balance);
}

async function counterValue(): Promise<unknown> {
  const { object } = await chain.client.getObject({ objectId: DEMO_COUNTER.objectId, include: { json: true } });
  return object.json?.value;
}

describe("coins", () => {
  const other = `0x${"0b".repeat(32)}`;

  test("splitting, merging and transferring move exactly what they say", async () => {
    const executed = await run((transaction) => {
      const [a, b, c] = transaction.splitCoins(transaction.gas, [5n, 7n, 11n]);
      transaction.mergeCoins(a, [b]);
      transaction.transferObjects([a, c], other);
    });
    expect(executed.status.success).toBe(true);
    const { objects } = await chain.client.listCoins({ owner: other });
    expect(objects.map(({ balance }) => balance)).toEqual(["12", "11"]);
  });

  test("all gas coins are smashed into the first", async () => {
    await chain.fund(user.toSuiAddress(), 3n * SUI, 2n * SUI);
    const executed = await run((transaction) => {
      const [coin] = transaction.splitCoins(transaction.gas, [4n * SUI]);
      transaction.transferObjects([coin], other);
    });
    expect(executed.status.success).toBe(true);
    expect(executed.effects?.changedObjects.filter(({ idOperation }) => idOperation === "Deleted")).toHaveLength(2);
    expect(await balanceOf(other)).toBe(4n * SUI);
    expect((await chain.client.listCoins({ owner: user.toSuiAddress() })).objects).toHaveLength(1);
  });

  test("the gas coin may be given away whole, and the gas is still paid from it", async () => {
    const executed = await run((transaction) => transaction.transferObjects([transaction.gas], other));
    const { computationCost, storageCost, storageRebate } = executed.effects?.gasUsed ?? {};
    const net = BigInt(computationCost ?? 0) + BigInt(storageCost ?? 0) - BigInt(storageRebate ?? 0);
    expect(await balanceOf(other)).toBe(SUI - net);
    expect(await balanceOf(user.toSuiAddress())).toBe(0n);
  });

  test("whoever sends a sponsored transaction can spend the sponsor's gas coin, as on mainnet", async () => {
    const sponsor = await chain.account(SUI);
    const transaction = new Transaction();
    const [loot] = transaction.splitCoins(transaction.gas, [SUI / 2n]);
    transaction.transferObjects([loot], other);
    transaction.setSender(user.toSuiAddress());
    transaction.setGasOwner(sponsor.toSuiAddress());
    const bytes = await transaction.build({ client: chain.client });
    await chain.client.executeTransaction({ transaction: bytes, signatures: await signAll(bytes, user, sponsor) });
    expect(await balanceOf(other)).toBe(SUI / 2n);
    expect(await balanceOf(user.toSuiAddress())).toBe(SUI);
  });

  test("the budget is withheld from the gas coin while commands run", async () => {
    const executed = await run((transaction) => {
      const [coin] = transaction.splitCoins(transaction.gas, [SUI - BUDGET + 1n]);
      transaction.transferObjects([coin], other);
    });
    expect(executed.status.error?.message).toContain("Insufficient coin balance for operation. in command 0");
    expect(await balanceOf(other)).toBe(0n);
  });

  test("framework functions work on coins as in Move", async () => {
    const executed = await run((transaction) => {
      const typeArguments = ["0x2::sui::SUI"];
      const zero = transaction.moveCall({ target: "0x2::coin::zero", typeArguments });
      const [piece] = transaction.splitCoins(transaction.gas, [9n]);
      transaction.moveCall({ target: "0x2::coin::join", typeArguments, arguments: [zero, piece] });
      const vector = transaction.makeMoveVec({ elements: [zero] });
      transaction.moveCall({ target: "0x2::pay::join_vec", typeArguments, arguments: [transaction.gas, vector] });
      const part = transaction.moveCall({
        target: "0x2::coin::split",
        typeArguments,
        arguments: [transaction.gas, transaction.pure.u64(6n)],
      });
      transaction.transferObjects([part], other);
    });
    expect(executed.status).toEqual({ success: true, error: null });
    expect(await balanceOf(other)).toBe(6n);
  });
});

describe("failures", () => {
  test("a transaction that aborts is charged, changes nothing else and is found as failed", async () => {
    const executed = await run((transaction) => {
      const [coin] = transaction.splitCoins(transaction.gas, [5n]);
      transaction.transferObjects([coin], `0x${"0b".repeat(32)}`);
      transaction.moveCall({
        target: `${DEMO_PACKAGE}::demo::increment_by`,
        arguments: [counter(transaction), transaction.pure.u64(0n)],
      });
    });
    expect(executed.status.error).toMatchObject({
      $kind: "MoveAbort",
      command: 2,
      MoveAbort: { abortCode: "1", location: { package: DEMO_PACKAGE, module: "demo", functionName: "increment_by" } },
    });
    expect(executed.events).toEqual([]);
    expect(await counterValue()).toBe("0");
    expect(executed.effects?.changedObjects).toHaveLength(2);
    const found = await chain.client.getTransaction({ digest: executed.digest });
    expect(found.$kind).toBe("FailedTransaction");
  });

  test("a failure that touches only the gas coin costs the minimum, 1,009,880 MIST", async () => {
    await run((transaction) => transaction.transferObjects([transaction.gas], user.toSuiAddress()));
    const before = await balanceOf(user.toSuiAddress());
    await run((transaction) => transaction.splitCoins(transaction.gas, [2n * SUI]));
    expect(before - (await balanceOf(user.toSuiAddress()))).toBe(MINIMUM_COMPUTATION_MIST + COIN_NON_REFUNDABLE_MIST);
  });

  test.each<[string, (transaction: Transaction) => void, string]>([
    [
      "a value that is left over",
      (transaction) => transaction.splitCoins(transaction.gas, [5n]),
      "Unused result without the drop ability. Command result 0, return value 0",
    ],
    [
      "the gas coin merged away",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [5n]);
        transaction.mergeCoins(coin, [transaction.gas]);
      },
      "It can only be used by-value with TransferObjects",
    ],
    [
      "the gas coin in a vector",
      (transaction) => transaction.makeMoveVec({ elements: [transaction.gas] }),
      "It can only be used by-value with TransferObjects",
    ],
    [
      "a moved value used again",
      (transaction) => {
        const [coin] = transaction.splitCoins(transaction.gas, [5n]);
        transaction.transferObjects([coin], "0x5");
        transaction.transferObjects([coin], "0x6");
      },
      "Invalid command argument at 0. Specified argument location does not have a value and cannot be used",
    ],
    [
      "an amount that is no u64",
      (transaction) => transaction.splitCoins(transaction.gas, [transaction.pure.u8(5)]),
      "Invalid command argument at 1. The argument cannot be deserialized",
    ],
    [
      "bytes given for an object",
      (transaction) => {
        const target = `${DEMO_PACKAGE}::demo::increment`;
        transaction.moveCall({ target, arguments: [transaction.pure.u64(1n)] });
      },
      "The argument cannot be instantiated from raw bytes",
    ],
    [
      "an object of another type",
      (transaction) => {
        transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::increment`, arguments: [transaction.gas] });
      },
      "Invalid command argument at 0. The type of the value does not match",
    ],
    [
      "text that is not UTF-8",
      (transaction) => {
        const text = transaction.pure(bcs.vector(bcs.u8()).serialize([0xff]));
        transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [text] });
      },
      "The argument cannot be deserialized into a value of the specified type",
    ],
    [
      "a shared object taken read-only but used mutably",
      (transaction) => {
        const target = `${DEMO_PACKAGE}::demo::increment`;
        transaction.moveCall({ target, arguments: [counter(transaction, false)] });
      },
      "Immutable objects cannot be passed by mutable reference",
    ],
    [
      "a shared object given away",
      (transaction) => transaction.transferObjects([counter(transaction)], "0x5"),
      "Shared object operations",
    ],
    [
      "a missing argument",
      (transaction) => transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::increment`, arguments: [] }),
      "Arity mismatch for Move function",
    ],
    [
      "an unknown function",
      (transaction) => transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::nothing`, arguments: [] }),
      "Function Not Found",
    ],
    [
      "an unknown coin type",
      (transaction) => transaction.moveCall({ target: "0x2::coin::zero", typeArguments: [`${DEMO_PACKAGE}::x::X`] }),
      "Error for type argument at index 0",
    ],
  ])("%s fails the transaction", async (_name, change, message) => {
    const before = await balanceOf(user.toSuiAddress());
    const executed = await run(change);
    expect(executed.status.error?.message).toContain(message);
    expect(await balanceOf(user.toSuiAddress())).toBeLessThan(before);
  });
});

describe("shared objects", () => {
  test("two senders take turns on a shared object without naming its version", async () => {
    const second = await chain.account(SUI);
    const increment = (amount: bigint) => (transaction: Transaction) => {
      const target = `${DEMO_PACKAGE}::demo::increment_by`;
      transaction.moveCall({ target, arguments: [counter(transaction), transaction.pure.u64(amount)] });
    };
    expect((await run(increment(3n))).status.success).toBe(true);
    user = second;
    expect((await run(increment(4n))).status.success).toBe(true);
    expect(await counterValue()).toBe("7");
  });

  test("a read-only shared object is listed as unchanged and keeps its version", async () => {
    const executed = await run((transaction) => {
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::value`, arguments: [counter(transaction, false)] });
    });
    expect(executed.effects?.unchangedConsensusObjects).toEqual([
      { kind: "ReadOnlyRoot", objectId: DEMO_COUNTER.objectId, version: "1", digest: expect.any(String) },
    ]);
    expect(executed.effects?.changedObjects).toHaveLength(1);
  });

  test("the Clock is read by a transaction, and changed by none", async () => {
    const executed = await run((transaction) => {
      transaction.moveCall({ target: "0x2::clock::timestamp_ms", arguments: [transaction.object.clock()] });
    });
    expect(executed.effects?.unchangedConsensusObjects).toMatchObject([
      { kind: "ReadOnlyRoot", objectId: normalizeSuiAddress("0x6") },
    ]);
    const { object } = await chain.client.getObject({ objectId: "0x6", include: { json: true } });
    expect(object.json).toEqual({ id: normalizeSuiAddress("0x6"), timestamp_ms: String(chain.clock.nowMs) });
    chain.clock.nowMs += 1_000;
    const later = await chain.client.getObject({ objectId: "0x6", include: { json: true } });
    expect(later.object.json).toMatchObject({ timestamp_ms: String(chain.clock.nowMs) });
    expect(BigInt(later.object.version)).toBeGreaterThan(BigInt(object.version));
  });

  test("what is from genesis is no dependency, the transaction that paid the gas coin is", async () => {
    const { objects } = await chain.client.listOwnedObjects({
      owner: user.toSuiAddress(),
      include: { previousTransaction: true },
    });
    const executed = await run((transaction) => {
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::increment`, arguments: [counter(transaction)] });
    });
    const { publishedBy } = chain.chain.sui.ledger.packages;
    expect(executed.effects?.dependencies.toSorted()).toEqual(
      [objects[0]?.previousTransaction, publishedBy].toSorted(),
    );
  });
});

describe("gas", () => {
  test("without enough gas for storage nothing happens but the charge, within the budget", async () => {
    const before = await balanceOf(user.toSuiAddress());
    const budget = 2_500_000n;
    const executed = await run((transaction) => {
      const coins = transaction.splitCoins(transaction.gas, [1n, 2n, 3n, 4n]);
      transaction.transferObjects([coins[0], coins[1], coins[2], coins[3]], "0x5");
    }, budget);
    expect(executed.status.error?.message).toBe("Insufficient Gas.");
    const charged = before - (await balanceOf(user.toSuiAddress()));
    expect(charged).toBeLessThanOrEqual(budget);
    expect(charged).toBeGreaterThanOrEqual(MINIMUM_COMPUTATION_MIST);
    expect(await balanceOf(`0x${"0".repeat(63)}5`)).toBe(0n);
  });

  test("a budget of the bare minimum takes the whole budget", async () => {
    const before = await balanceOf(user.toSuiAddress());
    const executed = await run((transaction) => {
      const [coin] = transaction.splitCoins(transaction.gas, [1n]);
      transaction.transferObjects([coin], "0x5");
    }, MINIMUM_COMPUTATION_MIST);
    expect(executed.status.error?.message).toBe("Insufficient Gas.");
    const { computationCost, storageCost } = executed.effects?.gasUsed ?? {};
    expect({ computationCost, storageCost }).toMatchObject({ computationCost: String(MINIMUM_COMPUTATION_MIST) });
    expect(before - (await balanceOf(user.toSuiAddress()))).toBeLessThanOrEqual(MINIMUM_COMPUTATION_MIST);
  });

  test("a budget that computation eats up fails, even when rebates would cover the rest", async () => {
    await chain.fund(user.toSuiAddress(), SUI, SUI);
    const merge = (transaction: Transaction) => transaction.transferObjects([transaction.gas], user.toSuiAddress());
    const executed = await run(merge, MINIMUM_COMPUTATION_MIST);
    expect(executed.status.error?.message).toBe("Insufficient Gas.");
    const { objects } = await chain.client.listCoins({ owner: user.toSuiAddress() });
    expect(objects).toHaveLength(1);
  });

  test("no MIST is made or lost: what leaves accounts is fees and deposits", async () => {
    const accounts = [user, await chain.account(2n * SUI), await chain.account(5n * SUI)];
    const total = async () => {
      const balances = await Promise.all(accounts.map((account) => balanceOf(account.toSuiAddress())));
      return balances.reduce((sum, balance) => sum + balance, 0n);
    };
    const before = await total();
    let spent = 0n;
    for (let round = 0; round < 12; round++) {
      user = accounts[round % accounts.length] ?? user;
      const to = accounts[(round + 1) % accounts.length]?.toSuiAddress() ?? "0x5";
      const executed = await run((transaction) => {
        const [a, b] = transaction.splitCoins(transaction.gas, [BigInt(round) * 1_000n, round === 7 ? 90n * SUI : 1n]);
        transaction.transferObjects([a, b], to);
      });
      const gas = executed.effects?.gasUsed;
      spent += BigInt(gas?.computationCost ?? 0) + BigInt(gas?.storageCost ?? 0) - BigInt(gas?.storageRebate ?? 0);
      const sum = executed.balanceChanges?.reduce((changed, { amount }) => changed + BigInt(amount), 0n);
      expect(sum).toBe(
        BigInt(gas?.storageRebate ?? 0) - BigInt(gas?.storageCost ?? 0) - BigInt(gas?.computationCost ?? 0),
      );
    }
    expect(before - (await total())).toBe(spent);
  });

  test("the gas schedule rounds as the protocol does", () => {
    const rounded = [0n, 999n, 1_000n, 1_001n, 1_050n, 1_999n, 20_001n, 29_999n].map(roundComputationUnits);
    expect(rounded).toEqual([1_000n, 1_000n, 1_000n, 1_010n, 1_050n, 2_000n, 20_100n, 30_000n]);
    const rebates = (deposits: bigint[], protocol = protocolOf(137)) =>
      deposits.map((deposit) => senderRebate(deposit, protocol));
    expect(rebates([COIN_DEPOSIT_MIST])).toEqual([COIN_DEPOSIT_MIST - COIN_NON_REFUNDABLE_MIST]);
    expect(rebates([50n, 49n, 1n])).toEqual([50n, 49n, 1n]);
    expect(rebates([149n, 150n])).toEqual([148n, 149n]);
    expect(rebates([COIN_DEPOSIT_MIST, 4_999n, 5_000n], protocolOf(140))).toEqual([987_901n, 4_999n, 5_000n]);
    const gas = { computationCost: 1_000_000n, storageCost: 10n, storageRebate: 500n, nonRefundableStorageFee: 5n };
    expect(estimateBudget(gas, 1_000n)).toBe(2_000_000n);
  });
});

describe("simulation", () => {
  test("changes nothing, needs no signature and gives return values", async () => {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::value`, arguments: [counter(transaction, false)] });
    transaction.setSender(user.toSuiAddress());
    const before = await balanceOf(user.toSuiAddress());
    const simulated = await chain.client.simulateTransaction({ transaction, include: { commandResults: true } });
    expect(simulated.$kind).toBe("Transaction");
    expect(simulated.commandResults?.[0]?.returnValues[0]?.bcs).toEqual(bcs.u64().serialize(0n).toBytes());
    expect(await balanceOf(user.toSuiAddress())).toBe(before);
  });

  test("a mocked payment gives the cost of a transaction without a coin", async () => {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
    transaction.setSender(`0x${"0c".repeat(32)}`);
    transaction.setGasPayment([]);
    transaction.setGasPrice(1_000n);
    transaction.setGasBudget(50n * SUI);
    transaction.setExpiration({ None: true });
    const { Transaction: simulated } = await chain.client.simulateTransaction({
      transaction: await transaction.build(),
      doGasSelection: false,
      include: { effects: true },
    });
    expect(simulated?.effects?.gasUsed.computationCost).toBe(String(MINIMUM_COMPUTATION_MIST));
  });

  test("gas selection without funds is refused as a node refuses it", async () => {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
    transaction.setSender(`0x${"0c".repeat(32)}`);
    await expect(transaction.build({ client: chain.client })).rejects.toThrow("Unable to perform gas selection");
  });

  test("a kind is built without a sender's coins and fails with the dry run's reason", async () => {
    const transaction = new Transaction();
    transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::increment_by`,
      arguments: [transaction.object(DEMO_COUNTER.objectId), transaction.pure.u64(0n)],
    });
    const kind = await transaction.build({ client: chain.client, onlyTransactionKind: true });
    const whole = Transaction.fromKind(kind);
    whole.setSender(user.toSuiAddress());
    await expect(whole.build({ client: chain.client })).rejects.toThrow("MoveAbort");
  });
});
