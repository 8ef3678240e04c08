import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, BUDGET_MIST, balanceHarness, sendFunds } from "./balance-testing.ts";
import { DEMO_PACKAGE } from "./demo.ts";
import { suiAccount } from "./sui/accounts.ts";
import { createCoinReservationRef } from "./sui/coin-reservation.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const COMPUTATION_MIST = 1_000_000n;
const typeArguments = [SUI_TYPE];
const OTHER = `0x${"0b".repeat(32)}`;

let harness: BalanceHarness;
let chain: TestChain;
let user: Ed25519Keypair;

beforeEach(async () => {
  chain = await startChain();
  user = new Ed25519Keypair();
  harness = balanceHarness(chain, user);
});

async function expectRefusal(attempt: Promise<unknown>, message: string, code = "INVALID_ARGUMENT"): Promise<void> {
  await expect(attempt).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
}

function withdraw(transaction: Transaction, amount: bigint, to = OTHER): void {
  const withdrawal = transaction.withdrawal({ amount });
  const coin = transaction.moveCall({ target: "0x2::coin::redeem_funds", typeArguments, arguments: [withdrawal] });
  transaction.transferObjects([coin], to);
}

async function reservation(amount: bigint, owner = user.toSuiAddress(), epoch = 0n) {
  const { chainIdentifier } = await chain.client.getChainIdentifier();
  return createCoinReservationRef(suiAccount(owner), amount, epoch, chainIdentifier);
}

describe("coin reservations", () => {
  beforeEach(async () => {
    await chain.fundBalance(user.toSuiAddress(), 10n * SUI);
  });

  test("as an input they are a coin, and what is not used goes back (coin_reservation_*.snap)", async () => {
    const ref = await reservation(SUI);
    const used = await harness.run((transaction) => transaction.transferObjects([transaction.objectRef(ref)], OTHER));
    expect(used.status.success).toBe(true);
    expect((await harness.balances(OTHER)).inCoins).toBe(SUI);
    const before = (await harness.balances(user.toSuiAddress())).inFunds;
    await harness.run((transaction) => {
      const [piece] = transaction.splitCoins(transaction.objectRef(ref), [SUI / 4n]);
      transaction.transferObjects([piece], OTHER);
    });
    const after = (await harness.balances(user.toSuiAddress())).inFunds;
    expect(before - after).toBe(SUI / 4n + COMPUTATION_MIST + 988_000n);
  });

  test("they count as the sender's only: not for another, not as gas of a sponsor, not for ever", async () => {
    const sponsor = new Ed25519Keypair();
    await chain.fundBalance(sponsor.toSuiAddress(), SUI);
    const theirs = await reservation(1n, sponsor.toSuiAddress());
    await expectRefusal(
      harness.run((transaction) => transaction.transferObjects([transaction.objectRef(theirs)], OTHER)),
      `is owned by ${sponsor.toSuiAddress()}, not sender ${user.toSuiAddress()}`,
    );
    const gas = await reservation(SUI / 2n, sponsor.toSuiAddress());
    await expectRefusal(
      harness.run((transaction) => transaction.setGasPayment([gas]), user, sponsor),
      `Gas object is not an owned object with owner: AddressOwner(${user.toSuiAddress()})`,
    );
    const own = await reservation(SUI / 2n);
    await expectRefusal(
      harness.run((transaction) => transaction.setGasPayment([own]), user, sponsor),
      "Gas object is not an owned object with owner",
    );
    await chain.control("POST", "/control/epoch", { advance: 2 });
    const old = await reservation(SUI, user.toSuiAddress(), 0n);
    const current = await harness.during(2n, 3n);
    await expectRefusal(
      harness.run((transaction) => {
        transaction.setExpiration(current);
        transaction.transferObjects([transaction.objectRef(old)], OTHER);
      }),
      "Transaction Expired",
    );
  });

  test("as gas they must cover the budget and be covered", async () => {
    const small = await reservation(BUDGET_MIST - 1n);
    await expectRefusal(
      harness.run((transaction) => transaction.setGasPayment([small])),
      `Balance of gas object ${BUDGET_MIST - 1n} is lower than the needed amount: ${BUDGET_MIST}`,
    );
    const large = await reservation(11n * SUI);
    await expectRefusal(
      harness.run((transaction) => transaction.setGasPayment([large])),
      `the transaction requires ${11n * SUI} but only ${10n * SUI} is available`,
    );
    const fitting = await reservation(5n * SUI);
    const executed = await harness.run((transaction) => {
      transaction.setGasPayment([fitting]);
      sendFunds(transaction, SUI, OTHER);
    });
    expect(executed.status.success).toBe(true);
    expect((await harness.balances(OTHER)).inFunds).toBe(SUI);
  });
});

describe("the stock client prefers the address balance", () => {
  test("and sets what such a transaction needs", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const transaction = new Transaction();
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("x")] });
    transaction.setSender(user.toSuiAddress());
    const bytes = await transaction.build({ client: chain.client });
    const data = Transaction.from(bytes).getData();
    expect(data.gasData.payment).toEqual([]);
    expect(data.expiration?.ValidDuring).toMatchObject({ minEpoch: "0", maxEpoch: "1" });
    expect((await harness.submit(bytes, user)).status.success).toBe(true);
  });

  test("but pays with coins where the gas coin is used, putting the balance before them", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const transaction = new Transaction();
    const [coin] = transaction.splitCoins(transaction.gas, [SUI + SUI / 2n]);
    transaction.transferObjects([coin], OTHER);
    transaction.setSender(user.toSuiAddress());
    const bytes = await transaction.build({ client: chain.client });
    expect(Transaction.from(bytes).getData().gasData.payment).toHaveLength(2);
    expect((await harness.submit(bytes, user)).status.success).toBe(true);
    expect((await harness.balances(OTHER)).inCoins).toBe(SUI + SUI / 2n);
  });

  test("a simulation does not check an empty payment against the payer, but does check withdrawals", async () => {
    const poor = await harness.build(() => {}, user, user, 5n * SUI);
    const { Transaction: simulated } = await chain.client.simulateTransaction({
      transaction: poor,
      doGasSelection: false,
    });
    expect(simulated?.status.success).toBe(true);
    const withdrawing = await harness.build((transaction) => withdraw(transaction, 1n));
    await expectRefusal(
      chain.client.simulateTransaction({ transaction: withdrawing, doGasSelection: false }),
      "Insufficient address balance",
      "INTERNAL",
    );
  });
});
