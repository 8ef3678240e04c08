import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, BUDGET_MIST, balanceHarness, putCoin, refOf, sendFunds } from "./balance-testing.ts";
import { accumulatorId, suiAccount } from "./sui/accounts.ts";
import { createCoinReservationRef } from "./sui/coin-reservation.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const COMPUTATION = "1000000";
const COIN_DEPOSIT = "988000";
const COIN_REBATE = "978120";
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

/** Figures of MystenLabs/sui, crates/sui-adapter-transactional-tests/tests/address_balances/*.snap (real executor). */
describe("gas from an address balance, as recorded", () => {
  test("the gas coin given away takes the whole budget with it (address_balance_gas_transfer)", async () => {
    await chain.fundBalance(user.toSuiAddress(), 10n * SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const executed = await harness.run(
      (transaction) => {
        transaction.objectRef(coin);
        transaction.transferObjects([transaction.gas], OTHER);
      },
      user,
      user,
      5n * SUI,
    );
    expect(executed.effects?.gasUsed).toEqual({
      computationCost: COMPUTATION,
      storageCost: "1976000",
      storageRebate: COIN_REBATE,
      nonRefundableStorageFee: "9880",
    });
    expect(await harness.balances(OTHER)).toEqual({ inCoins: 4_998_002_120n, inFunds: 0n });
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(5n * SUI);
  });

  test("a piece of the gas coin can only be zero, and costs its storage (address_balance_gas_transfer)", async () => {
    await chain.fundBalance(user.toSuiAddress(), 10n * SUI);
    const zero = await harness.run((transaction) => {
      const [piece] = transaction.splitCoins(transaction.gas, [0n]);
      transaction.transferObjects([piece], OTHER);
    });
    expect(zero.effects?.gasUsed).toMatchObject({ storageCost: COIN_DEPOSIT, storageRebate: "0" });
    expect(zero.effects?.gasObject).toBeNull();
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(10n * SUI - 1_988_000n);
    const some = await harness.run((transaction) => sendFunds(transaction, 1n, OTHER));
    expect(some.status.error?.message).toBe("Insufficient coin balance for operation. in command 0");
  });

  test.each([
    ["itself", () => user.toSuiAddress(), 599_999_997_000_000n, undefined],
    ["another", () => OTHER, 599_999_988_000_000n, 9_000_000n],
  ])("send_funds of the gas coin to %s moves budget less gas (gas_coin_send_funds)", async (_name, to, left, sent) => {
    await chain.fundBalance(user.toSuiAddress(), 599_999_998_000_000n);
    const executed = await harness.run((transaction) =>
      transaction.moveCall({
        target: "0x2::coin::send_funds",
        typeArguments,
        arguments: [transaction.gas, transaction.pure.address(to())],
      }),
    );
    expect(executed.effects?.gasUsed).toMatchObject({ computationCost: COMPUTATION, storageCost: "0" });
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(left);
    if (sent !== undefined) expect((await harness.balances(OTHER)).inFunds).toBe(sent);
  });

  test("send_funds of a real gas coin deletes it and charges the receiver (gas_coin_send_funds)", async () => {
    const coin = putCoin(chain, user.toSuiAddress(), 300_000_000_000_000n, 0xa);
    const executed = await harness.run((transaction) => {
      transaction.setGasPayment([refOf(coin)]);
      const [piece] = transaction.splitCoins(transaction.gas, [10n]);
      transaction.moveCall({
        target: "0x2::coin::send_funds",
        typeArguments,
        arguments: [transaction.gas, transaction.pure.address(OTHER)],
      });
      transaction.transferObjects([piece], OTHER);
    });
    expect(executed.effects?.gasUsed).toMatchObject({ computationCost: COMPUTATION, storageCost: COIN_DEPOSIT });
    expect(executed.effects?.gasObject).toBeNull();
    expect(await harness.balances(OTHER)).toEqual({ inCoins: 10n, inFunds: 299_999_998_011_990n });
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 0n, inFunds: 0n });
  });

  test("a coin merged into the gas coin ends up in the address balance, its rebate too (coin_reservation_gas)", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    await chain.fund(user.toSuiAddress(), 200_000n);
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const executed = await harness.run((transaction) =>
      transaction.mergeCoins(transaction.gas, [transaction.objectRef(coin)]),
    );
    expect(executed.effects?.gasUsed).toMatchObject({ storageCost: "0", storageRebate: COIN_REBATE });
    const net = BigInt(COMPUTATION) - BigInt(COIN_REBATE);
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 0n, inFunds: SUI + 200_000n - net });
  });

  test("a coin before a reservation takes it in (smash_order_comparison)", async () => {
    await chain.fundBalance(user.toSuiAddress(), 100n * SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const executed = await smashed("coin first");
    expect(executed.effects?.gasUsed).toMatchObject({ storageCost: "1976000", storageRebate: COIN_REBATE });
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 1_498_002_020n, inFunds: 99_500_000_000n });
  });

  test("a reservation before a coin takes that in (smash_order_comparison)", async () => {
    await chain.fundBalance(user.toSuiAddress(), 100n * SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const executed = await smashed("reservation first");
    expect(executed.effects?.gasUsed).toMatchObject({ storageCost: COIN_DEPOSIT, storageRebate: COIN_REBATE });
    expect(await harness.balances(user.toSuiAddress())).toEqual({ inCoins: 0n, inFunds: 100_998_990_020n });
  });
});

/** Splits 100 MIST off the gas, which a coin and 0.5 SUI of the address balance pay for. */
async function smashed(order: "coin first" | "reservation first") {
  const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
  const { chainIdentifier } = await chain.client.getChainIdentifier();
  if (coin === undefined) throw new Error("no coin");
  const reservation = createCoinReservationRef(suiAccount(user.toSuiAddress()), SUI / 2n, 0n, chainIdentifier);
  return harness.run(
    (transaction) => {
      transaction.setGasPayment(order === "coin first" ? [coin, reservation] : [reservation, coin]);
      const [piece] = transaction.splitCoins(transaction.gas, [100n]);
      transaction.transferObjects([piece], OTHER);
    },
    user,
    user,
    SUI / 2n,
  );
}

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
