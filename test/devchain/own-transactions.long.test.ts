import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, balanceHarness } from "./balance-testing.ts";
import { SUI_TYPE } from "./sui/objects.ts";
import { startRecordedChain, type TestChain } from "./testing.ts";

/** What an account that lends its coins does with them besides: bumps their versions, and changes their form. */

const SUI = 1_000_000_000n;
const PIECE_MIST = SUI / 100n;
const COMPUTATION_MIST = 1_000_000n;
const COIN_DEPOSIT_MIST = 988_000n;
/** One percent of a coin's deposit, which each new version of it costs. */
const REWRITE_MIST = 9_880n;
const typeArguments = [SUI_TYPE];
const OTHER = `0x${"0b".repeat(32)}`;

let chain: TestChain;
let user: Ed25519Keypair;
let self: string;
let harness: BalanceHarness;

beforeEach(async () => {
  chain = await startRecordedChain();
  user = new Ed25519Keypair();
  self = user.toSuiAddress();
  harness = balanceHarness(chain, user);
  await chain.fund(self, 10n * SUI);
});

type Coin = Awaited<ReturnType<typeof ownCoins>>["all"][number];
type CoinArgument = Parameters<Transaction["mergeCoins"]>[0];

/** The account's coins, the largest first. */
async function ownCoins() {
  const { objects: all } = await chain.client.listCoins({ owner: self, limit: 1_000 });
  const [largest, ...others] = all;
  if (largest === undefined) throw new Error("no coin");
  return { all, largest, others };
}

/** So many coins of a hundredth SUI, split off the largest. */
async function splitOff(count: number): Promise<readonly Coin[]> {
  const { largest } = await ownCoins();
  const split = (transaction: Transaction) => {
    transaction.setGasPayment([largest]);
    const amounts = Array.from({ length: count }, () => PIECE_MIST);
    const pieces = transaction.splitCoins(transaction.gas, amounts);
    transaction.transferObjects(
      amounts.map((_, index) => ({ NestedResult: [pieces.Result, index] })),
      self,
    );
  };
  await harness.run(split, user, user, SUI);
  return (await ownCoins()).others;
}

function netMist({ effects }: Awaited<ReturnType<BalanceHarness["run"]>>): bigint {
  const { computationCost, storageCost, storageRebate } = effects?.gasUsed ?? {};
  return BigInt(computationCost ?? 0) + BigInt(storageCost ?? 0) - BigInt(storageRebate ?? 0);
}

function redeem(transaction: Transaction, amount: bigint) {
  const given = [transaction.withdrawal({ amount })];
  return transaction.moveCall({ target: "0x2::coin::redeem_funds", typeArguments, arguments: given });
}

function sendFunds(transaction: Transaction, coin: CoinArgument, to: string): void {
  const given = [transaction.object(coin), transaction.pure.address(to)];
  transaction.moveCall({ target: "0x2::coin::send_funds", typeArguments, arguments: given });
}

describe("coins that a transaction names as inputs all get its version, for 1 % of their deposits", () => {
  type Change = (transaction: Transaction, inputs: ReturnType<Transaction["objectRef"]>[]) => void;
  const forms: readonly [string, boolean, Change][] = [
    ["given to their owner again", true, (transaction, inputs) => transaction.transferObjects(inputs, self)],
    ["without any command", true, () => {}],
    ["while the only command fails", false, (transaction, [first]) => transaction.splitCoins(first ?? "", [SUI])],
  ];
  const counts = [1, 32, 256];

  test.each(forms.flatMap(([form, succeeds, change]) => counts.map((count) => ({ form, count, succeeds, change }))))(
    "$count, $form",
    async ({ count, succeeds, change }) => {
      const inputs = await splitOff(count);
      const { largest } = await ownCoins();
      const executed = await harness.run((transaction) => {
        transaction.setGasPayment([largest]);
        change(
          transaction,
          inputs.map((coin) => transaction.objectRef(coin)),
        );
      });
      expect(executed.status.success).toBe(succeeds);
      expect(netMist(executed)).toBe(COMPUTATION_MIST + BigInt(count + 1) * REWRITE_MIST);
      const version = String(BigInt(largest.version) + 1n);
      const { all, others } = await ownCoins();
      for (const coin of all) expect(coin.version).toBe(version);
      const balances = (coins: readonly Coin[]) => new Map(coins.map(({ objectId, balance }) => [objectId, balance]));
      expect(balances(others)).toEqual(balances(inputs));
    },
  );

  test("one of them that is stale refuses the whole transaction, free of charge", async () => {
    const [first, second] = await splitOff(2);
    const before = await ownCoins();
    if (first === undefined || second === undefined) throw new Error("no coins");
    const attempt = harness.run((transaction) => {
      transaction.setGasPayment([before.largest]);
      const stale = { ...first, version: String(BigInt(first.version) - 1n) };
      transaction.transferObjects([transaction.objectRef(second), transaction.objectRef(stale)], self);
    });
    await expect(attempt).rejects.toThrow(`object ${first.objectId} version`);
    expect(await ownCoins()).toEqual(before);
  });
});

describe.each([["a coin"], ["the address balance"]])("with gas from %s", (source) => {
  const fromCoin = source === "a coin";

  beforeEach(async () => {
    await chain.fundBalance(self, SUI);
    await splitOff(2);
  });

  async function run(change: (transaction: Transaction) => void) {
    const { largest } = await ownCoins();
    return harness.run((transaction) => {
      if (fromCoin) transaction.setGasPayment([largest]);
      change(transaction);
    });
  }

  test.each([
    ["the account itself", () => self],
    ["another", () => OTHER],
  ])("an address balance becomes a coin of %s", async (_to, to) => {
    const before = await harness.balances(self);
    const executed = await run((transaction) => {
      transaction.transferObjects([redeem(transaction, SUI / 2n)], to());
    });
    const gasMist = COMPUTATION_MIST + COIN_DEPOSIT_MIST + (fromCoin ? REWRITE_MIST : 0n);
    expect(netMist(executed)).toBe(gasMist);
    expect(await harness.balances(self)).toEqual({
      inCoins: before.inCoins + (to() === self ? SUI / 2n : 0n) - (fromCoin ? gasMist : 0n),
      inFunds: before.inFunds - SUI / 2n - (fromCoin ? 0n : gasMist),
    });
    if (to() === OTHER) expect(await harness.balances(OTHER)).toEqual({ inCoins: SUI / 2n, inFunds: 0n });
  });

  test("an address balance becomes several coins at once", async () => {
    const { all } = await ownCoins();
    await run((transaction) => {
      const coin = redeem(transaction, SUI / 2n);
      const [piece] = transaction.splitCoins(coin, [PIECE_MIST]);
      transaction.transferObjects([coin, piece], self);
    });
    const known = new Set(all.map(({ objectId }) => objectId));
    const added = (await ownCoins()).all.filter(({ objectId }) => !known.has(objectId));
    expect(added.map(({ balance }) => BigInt(balance))).toEqual([SUI / 2n - PIECE_MIST, PIECE_MIST]);
  });

  test("whole coins go into the address balance, and their deposits come back", async () => {
    const before = await harness.balances(self);
    const { others } = await ownCoins();
    const executed = await run((transaction) => {
      for (const coin of others) sendFunds(transaction, transaction.objectRef(coin), self);
    });
    const gasMist = COMPUTATION_MIST + (fromCoin ? REWRITE_MIST : 0n) - 2n * (COIN_DEPOSIT_MIST - REWRITE_MIST);
    expect(netMist(executed)).toBe(gasMist);
    expect(await harness.balances(self)).toEqual({
      inCoins: before.inCoins - 2n * PIECE_MIST - (fromCoin ? gasMist : 0n),
      inFunds: before.inFunds + 2n * PIECE_MIST - (fromCoin ? 0n : gasMist),
    });
    expect((await ownCoins()).others).toEqual([]);
  });

  test("a simulation of both charges what the execution does", async () => {
    const { largest, others } = await ownCoins();
    const transaction = await harness.build((building) => {
      if (fromCoin) building.setGasPayment([largest]);
      building.transferObjects([redeem(building, SUI / 2n)], self);
      for (const coin of others) sendFunds(building, building.objectRef(coin), OTHER);
    });
    const include = { effects: true, balanceChanges: true } as const;
    const simulated = await chain.client.simulateTransaction({ transaction, include });
    const executed = await harness.submit(transaction, user);
    expect(simulated.Transaction?.effects?.gasUsed).toEqual(executed.effects?.gasUsed);
    expect(simulated.Transaction?.balanceChanges).toEqual(executed.balanceChanges);
  });
});

test("a part of the gas coin goes into the address balance", async () => {
  const { largest } = await ownCoins();
  const executed = await harness.run((transaction) => {
    transaction.setGasPayment([largest]);
    const [piece] = transaction.splitCoins(transaction.gas, [SUI]);
    sendFunds(transaction, piece, self);
  });
  expect(await harness.balances(self)).toEqual({ inCoins: 9n * SUI - netMist(executed), inFunds: SUI });
});
