import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction, TransactionArgument } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, balanceHarness, putCoin, refOf, sendFunds } from "./balance-testing.ts";
import { suiAccount } from "./sui/accounts.ts";
import { createCoinReservationRef } from "./sui/coin-reservation.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startRecordedChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const COMPUTATION = "1000000";
const COIN_DEPOSIT = "988000";
const COIN_REBATE = "978120";
const typeArguments = [SUI_TYPE];

let harness: BalanceHarness;
let chain: TestChain;
let user: Ed25519Keypair;

beforeEach(async () => {
  chain = await startRecordedChain();
  user = new Ed25519Keypair();
  harness = balanceHarness(chain, user);
});

const other = new Ed25519Keypair();
const OTHER = other.toSuiAddress();

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

  test("an older protocol refuses send_funds of the gas coin, and sends what is split off it", async () => {
    expect((await chain.control("POST", "/control/protocol", { sendsGasCoin: false })).status).toBe(200);
    const coins = [putCoin(chain, user.toSuiAddress(), SUI, 0xa), putCoin(chain, user.toSuiAddress(), SUI, 0xb)];
    const [first, second] = coins.map((coin) => [refOf(coin)]);
    const send = (transaction: Transaction, sent: TransactionArgument) =>
      transaction.moveCall({
        target: "0x2::coin::send_funds",
        typeArguments,
        arguments: [sent, transaction.pure.address(OTHER)],
      });
    const refused = await harness.run((transaction) => {
      transaction.setGasPayment(first ?? []);
      send(transaction, transaction.gas);
    });
    expect(refused.status.error?.message).toContain("Gas coin");
    expect((await harness.balances(OTHER)).inFunds).toBe(0n);
    await harness.run((transaction) => {
      transaction.setGasPayment(second ?? []);
      send(transaction, transaction.splitCoins(transaction.gas, [7n]));
    });
    expect((await harness.balances(OTHER)).inFunds).toBe(7n);
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
