import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, BUDGET_MIST, balanceHarness, sendFunds } from "./balance-testing.ts";
import { accumulatorId, suiAccount } from "./sui/accounts.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const COMPUTATION = "1000000";
const typeArguments = [SUI_TYPE];

let harness: BalanceHarness;
let chain: TestChain;
let user: Ed25519Keypair;

beforeEach(async () => {
  chain = await startChain();
  user = new Ed25519Keypair();
  harness = balanceHarness(chain, user);
});

const other = new Ed25519Keypair();
const OTHER = other.toSuiAddress();

describe("deposits and withdrawals", () => {
  test("a deposit makes no object, is shown beside the coins and named in the effects", async () => {
    await chain.fund(user.toSuiAddress(), 5n * SUI);
    const transaction = new Transaction();
    sendFunds(transaction, 3n * SUI, OTHER);
    transaction.setSender(user.toSuiAddress());
    const executed = await harness.submit(await transaction.build({ client: chain.client }), user);
    const id = accumulatorId(suiAccount(OTHER));
    expect(executed.effects?.changedObjects.find(({ objectId }) => objectId === id)).toMatchObject({
      inputState: "DoesNotExist",
      outputState: "AccumulatorWriteV1",
      idOperation: "None",
    });
    expect(executed.balanceChanges).toContainEqual({ address: OTHER, coinType: SUI_TYPE, amount: String(3n * SUI) });
    const { balance } = await chain.client.getBalance({ owner: OTHER });
    expect(balance).toMatchObject({ balance: String(3n * SUI), coinBalance: "0", addressBalance: String(3n * SUI) });
    expect((await chain.client.listBalances({ owner: OTHER })).balances).toEqual([balance]);
    expect((await chain.client.listCoins({ owner: OTHER })).objects).toEqual([]);
  });

  test("balances are made of coins, split, joined, measured and made coins again", async () => {
    await chain.fundBalance(user.toSuiAddress(), 5n * SUI);
    const executed = await harness.run((transaction) => {
      const call = (name: string, ...given: Parameters<Transaction["moveCall"]>[0]["arguments"] & object) =>
        transaction.moveCall({ target: `0x2::${name}`, typeArguments, arguments: given });
      const withdrawn = call("balance::redeem_funds", transaction.withdrawal({ amount: 100n }));
      const piece = call("balance::split", withdrawn, transaction.pure.u64(30n));
      const whole = call("coin::into_balance", call("coin::from_balance", piece));
      const empty = call("balance::zero");
      call("balance::join", empty, whole);
      call("balance::value", empty);
      call("balance::send_funds", call("balance::withdraw_all", empty), transaction.pure.address(OTHER));
      call("balance::destroy_zero", empty);
      transaction.transferObjects([call("coin::from_balance", withdrawn)], OTHER);
    });
    expect(executed.status).toEqual({ success: true, error: null });
    expect(await harness.balances(OTHER)).toEqual({ inCoins: 70n, inFunds: 30n });
  });

  test.each([
    [
      "a balance that nobody takes",
      "Unused result without the drop ability",
      (transaction: Transaction) =>
        transaction.moveCall({
          target: "0x2::balance::redeem_funds",
          typeArguments,
          arguments: [transaction.withdrawal({ amount: 5n })],
        }),
    ],
    [
      "a withdrawal redeemed twice",
      "Specified argument location does not have a value",
      (transaction: Transaction) => {
        const withdrawal = transaction.withdrawal({ amount: 5n });
        const redeem = () =>
          transaction.moveCall({ target: "0x2::coin::redeem_funds", typeArguments, arguments: [withdrawal] });
        transaction.transferObjects([redeem(), redeem()], OTHER);
      },
    ],
    [
      "more than a balance has",
      "abort code: 2",
      (transaction: Transaction) =>
        transaction.moveCall({
          target: "0x2::balance::split",
          typeArguments,
          arguments: [transaction.moveCall({ target: "0x2::balance::zero", typeArguments }), transaction.pure.u64(1n)],
        }),
    ],
  ])("%s fails the transaction", async (_name, message, change) => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const executed = await harness.run(change);
    expect(executed.status.error?.message).toContain(message);
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 0n, inFunds: SUI - BigInt(COMPUTATION) });
  });

  test("a withdrawal that nobody redeems takes nothing", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const executed = await harness.run((transaction) => {
      transaction.withdrawal({ amount: SUI / 2n });
    });
    expect(executed.status.success).toBe(true);
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 0n, inFunds: SUI - BigInt(COMPUTATION) });
  });
});

describe("sponsored", () => {
  test("the sponsor pays from its address balance and gets the rebate there", async () => {
    const sponsor = new Ed25519Keypair();
    await chain.fundBalance(sponsor.toSuiAddress(), SUI);
    await chain.fund(user.toSuiAddress(), 5n, 6n);
    const { objects } = await chain.client.listCoins({ owner: user.toSuiAddress() });
    const [first, second] = objects;
    if (first === undefined || second === undefined) throw new Error("no coins");
    const executed = await harness.run(
      (transaction) => transaction.mergeCoins(transaction.objectRef(first), [transaction.objectRef(second)]),
      user,
      sponsor,
    );
    const { computationCost, storageCost, storageRebate } = executed.effects?.gasUsed ?? {};
    const net = BigInt(computationCost ?? 0) + BigInt(storageCost ?? 0) - BigInt(storageRebate ?? 0);
    expect(BigInt(storageRebate ?? 0)).toBeGreaterThan(BigInt(storageCost ?? 0));
    expect((await harness.balances(sponsor.toSuiAddress())).inFunds).toBe(SUI - net);
    expect(executed.balanceChanges).toEqual([
      { address: sponsor.toSuiAddress(), coinType: SUI_TYPE, amount: String(-net) },
    ]);
    expect(executed.effects?.gasObject).toBeNull();
  });

  test("a transaction is charged once, however often it comes", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const bytes = await harness.build(() => {});
    const first = await harness.submit(bytes, user);
    const again = await harness.submit(bytes, user);
    expect(again.effects?.bcs).toEqual(first.effects?.bcs);
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(SUI - BigInt(COMPUTATION));
  });

  test("whoever sends a sponsored transaction can take the sponsor's budget with the gas coin, as on mainnet", async () => {
    const sponsor = new Ed25519Keypair();
    await chain.fundBalance(sponsor.toSuiAddress(), SUI);
    await harness.run((transaction) => transaction.transferObjects([transaction.gas], OTHER), user, sponsor);
    expect((await harness.balances(sponsor.toSuiAddress())).inFunds).toBe(SUI - BUDGET_MIST);
    expect((await harness.balances(OTHER)).inCoins).toBe(BUDGET_MIST - 1_988_000n);
  });
});
