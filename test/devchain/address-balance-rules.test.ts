import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type BalanceHarness, BUDGET_MIST, balanceHarness, putCoin, refOf } from "./balance-testing.ts";
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

async function expectRefusal(attempt: Promise<unknown>, message: string): Promise<void> {
  await expect(attempt).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(message),
  });
}

function withdraw(transaction: Transaction, amount: bigint, to = OTHER): void {
  const withdrawal = transaction.withdrawal({ amount });
  const coin = transaction.moveCall({ target: "0x2::coin::redeem_funds", typeArguments, arguments: [withdrawal] });
  transaction.transferObjects([coin], to);
}

describe("withdrawals are refused", () => {
  type FundsWithdrawal = NonNullable<(typeof bcs.CallArg.$inferType)["FundsWithdrawal"]>;

  /** A withdrawal that the SDK's builder would not make. */
  async function buildWith(change: Partial<FundsWithdrawal>): Promise<Uint8Array> {
    const bytes = await harness.build((transaction) => {
      transaction.withdrawal({ amount: 1n });
    });
    const data = bcs.TransactionData.parse(bytes);
    const input = data.V1.kind.ProgrammableTransaction?.inputs[0]?.FundsWithdrawal;
    if (input === undefined) throw new Error("no withdrawal");
    Object.assign(input, change);
    return bcs.TransactionData.serialize(data).toBytes();
  }

  test.each<[string, Partial<FundsWithdrawal>, string]>([
    [
      "from the sponsor",
      { withdrawFrom: { $kind: "Sponsor", Sponsor: true } },
      "Explicit sponsor withdrawals are not yet supported",
    ],
    [
      "of nothing",
      { reservation: { $kind: "MaxAmountU64", MaxAmountU64: "0" } },
      "Balance withdraw reservation amount must be non-zero",
    ],
  ])("%s", async (_name, change, message) => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    await expectRefusal(harness.submit(await buildWith(change), user), message);
  });

  test("beyond ten, the one for the gas included", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const withdrawing = (count: number) => (transaction: Transaction) => {
      for (let index = 0; index < count; index++) withdraw(transaction, 1n);
    };
    await expectRefusal(harness.run(withdrawing(10)), "Maximum number of balance withdraw reservations is 10");
    expect((await harness.run(withdrawing(9), user, user, 2n * BUDGET_MIST)).status.success).toBe(true);
  });

  test("when all of them and the budget are more than there is, netted over the transaction", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const half = (SUI - BUDGET_MIST) / 2n;
    await expectRefusal(
      harness.run((transaction) => {
        withdraw(transaction, half);
        withdraw(transaction, half + 1n);
      }),
      `the transaction requires ${SUI + 1n} but only ${SUI} is available`,
    );
    const executed = await harness.run((transaction) => {
      withdraw(transaction, half);
      withdraw(transaction, half);
    });
    expect(executed.status.success).toBe(true);
    expect((await harness.balances(OTHER)).inCoins).toBe(2n * half);
  });

  test("when the sponsor's address balance does not cover the budget, whatever coins it has", async () => {
    const sponsor = await chain.account(SUI);
    await chain.fundBalance(sponsor.toSuiAddress(), BUDGET_MIST - 1n);
    await expectRefusal(
      harness.run(() => {}, user, sponsor),
      `Insufficient address balance of coin type 0x2::sui::SUI for address ${sponsor.toSuiAddress()}`,
    );
  });
});

describe("replay protection", () => {
  const unprotected = "Transactions must either have address-owned inputs, or a ValidDuring expiration";

  beforeEach(() => chain.fundBalance(user.toSuiAddress(), SUI));

  test.each([
    ["no expiration", async () => ({ None: true }) as const],
    ["an epoch", async () => ({ Epoch: 1 }) as const],
    ["three epochs", () => harness.during(0n, 2n)],
    ["an open end", () => harness.during(0n, null)],
  ])("%s is not enough without an object of the sender", async (_name, expiration) => {
    const set = await expiration();
    const bytes = await harness.build((transaction) => transaction.setExpiration(set));
    await expectRefusal(harness.submit(bytes, user), unprotected);
  });

  test("one epoch is enough, and so is an object of the sender", async () => {
    const one = await harness.during(0n, 0n);
    expect((await harness.run((transaction) => transaction.setExpiration(one))).status.success).toBe(true);
    await chain.fund(user.toSuiAddress(), 7n);
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const executed = await harness.run((transaction) => {
      transaction.setExpiration({ None: true });
      transaction.transferObjects([transaction.objectRef(coin)], OTHER);
    });
    expect(executed.status.success).toBe(true);
  });

  test("two transactions that differ in the nonce alone are two", async () => {
    const [first, second] = [await harness.run(() => {}), await harness.run(() => {})];
    expect(first.digest).not.toBe(second.digest);
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(SUI - 2n * COMPUTATION_MIST);
  });
});

describe("funds that fall short after consensus", () => {
  async function hold(): Promise<() => Promise<unknown>> {
    await chain.control("POST", "/control/consensus", { held: true });
    return () => chain.control("POST", "/control/consensus", { held: false });
  }

  test("of two transactions admitted against one balance the later fails, free of charge, and is final", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const spend = (transaction: Transaction) => withdraw(transaction, SUI - BUDGET_MIST);
    const first = await harness.build(spend);
    const second = await harness.build(spend);
    const release = await hold();
    const answers = [await admitted(first), await admitted(second)].map(({ answer }) => answer);
    expect((await harness.balances(OTHER)).inCoins).toBe(0n);
    await release();
    const [earlier, later] = await Promise.all(answers);
    expect(earlier?.status.success).toBe(true);
    expect(later?.status.error?.message).toContain("Insufficient funds for funds accumulator withdrawal");
    expect(later?.effects?.gasUsed).toEqual({
      computationCost: "0",
      storageCost: "0",
      storageRebate: "0",
      nonRefundableStorageFee: "0",
    });
    expect(later?.balanceChanges).toEqual([]);
    const { balance } = await chain.client.getBalance({ owner: user.toSuiAddress() });
    await chain.fundBalance(user.toSuiAddress(), SUI);
    const again = await harness.submit(second, user);
    expect(again.effects?.bcs).toEqual(later?.effects?.bcs);
    const left = BigInt(balance.addressBalance) + SUI;
    expect((await harness.balances(user.toSuiAddress())).inFunds).toBe(left);
  });

  test("the free failure still takes the versions of its objects, and keeps their deposits", async () => {
    await chain.fundBalance(user.toSuiAddress(), BUDGET_MIST);
    const coin = putCoin(chain, user.toSuiAddress(), 7n, 0xa);
    const blocker = await harness.build(() => {});
    const bytes = await harness.build((transaction) => {
      transaction.transferObjects([transaction.objectRef(refOf(coin))], OTHER);
    });
    const release = await hold();
    const answers = [await admitted(blocker), await admitted(bytes)].map(({ answer }) => answer);
    await release();
    const [, failed] = await Promise.all(answers);
    expect(failed?.status.success).toBe(false);
    const { response } = await chain.client.ledgerService.getObject({
      objectId: coin.id,
      readMask: { paths: ["owner", "version", "storage_rebate"] },
    });
    expect(response.object).toMatchObject({
      owner: { address: user.toSuiAddress() },
      version: coin.version + 1n,
      storageRebate: coin.storageRebate,
    });
  });

  test("of two transactions that consume one version the later is told which one has it, a round before that one runs", async () => {
    await chain.fund(user.toSuiAddress(), SUI);
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const paid = (budget: bigint) =>
      harness.build((transaction) => transaction.setGasPayment([coin]), user, user, budget);
    const release = await hold();
    const winner = await admitted(await paid(BUDGET_MIST));
    const loser = await admitted(await paid(BUDGET_MIST + 1n));
    const refused = expect(loser.answer).rejects.toMatchObject({
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining("already locked by a different transaction: TransactionDigest("),
    });
    const ended: string[] = [];
    void winner.answer.then(() => ended.push("winner"));
    void loser.answer.catch(() => ended.push("loser"));
    await release();
    await refused;
    const third = await harness.build((transaction) => transaction.setGasPayment([coin]), user, user, BUDGET_MIST + 2n);
    const { digest } = await winner.answer;
    await expect(loser.answer).rejects.toThrow(`TransactionDigest(${digest})`);
    expect(ended).toEqual(["loser", "winner"]);
    await expect(harness.submit(third, user), "executed since").rejects.toThrow("is unavailable for consumption");
  });

  test("with gas from a coin the failure is charged for", async () => {
    await chain.fundBalance(user.toSuiAddress(), SUI);
    await chain.fund(user.toSuiAddress(), SUI);
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const all = await harness.build((transaction) => withdraw(transaction, SUI - BUDGET_MIST));
    const late = await harness.build((transaction) => {
      transaction.setGasPayment([coin]);
      withdraw(transaction, SUI);
    });
    const release = await hold();
    const answers = [await admitted(all), await admitted(late)].map(({ answer }) => answer);
    await release();
    const [, failed] = await Promise.all(answers);
    expect(failed?.status.error?.message).toContain("Insufficient funds for funds accumulator withdrawal");
    expect(failed?.effects?.gasUsed.computationCost).toBe(String(COMPUTATION_MIST));
  });
});

/** Sends a transaction while consensus is held, and waits until it is admitted. */
async function admitted(bytes: Uint8Array) {
  const { consensus } = chain.chain.sui.ledger;
  const before = consensus.waiting();
  const answer = harness.submit(bytes, user);
  await vi.waitUntil(() => consensus.waiting() > before, { timeout: 30_000, interval: 1 });
  return { answer };
}
