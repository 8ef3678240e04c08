import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { type BalanceHarness, balanceHarness } from "./balance-testing.ts";
import { nodeSql } from "./node-sql.ts";
import { startChain, type TestChain } from "./testing.ts";

const SUI = 1_000_000_000n;
const DAY_MS = 86_400_000;

let chain: TestChain;
let user: Ed25519Keypair;
let harness: BalanceHarness;

beforeEach(async () => {
  chain = await startChain();
  user = new Ed25519Keypair();
  harness = balanceHarness(chain, user);
});

async function epochState() {
  const { systemState } = await chain.client.getCurrentSystemState();
  return {
    epoch: Number(systemState.epoch),
    startMs: Number(systemState.epochStartTimestampMs),
    price: systemState.referenceGasPrice,
  };
}

describe("an epoch", () => {
  test("ends by itself when its time is over, at that very time", async () => {
    const startMs = chain.clock.nowMs;
    chain.clock.nowMs += DAY_MS - 1;
    expect(await epochState()).toEqual({ epoch: 0, startMs, price: "1000" });
    chain.clock.nowMs += 1;
    expect(await epochState()).toEqual({ epoch: 1, startMs: startMs + DAY_MS, price: "1000" });
  });

  test("may be one of several that pass unseen, and each can be read afterwards", async () => {
    const startMs = chain.clock.nowMs;
    await chain.control("POST", "/control/price", { referenceGasPrice: "750" });
    chain.clock.nowMs += 3 * DAY_MS + 5;
    expect(await epochState()).toEqual({ epoch: 3, startMs: startMs + 3 * DAY_MS, price: "750" });
    const firstCheckpoints: bigint[] = [];
    for (const epoch of [0n, 1n, 2n, 3n]) {
      const { response } = await chain.client.ledgerService.getEpoch({ epoch, readMask: { paths: ["*"] } });
      expect(response.epoch?.referenceGasPrice).toBe(epoch === 0n ? 1_000n : 750n);
      expect(Number(response.epoch?.start?.seconds)).toBe((startMs + Number(epoch) * DAY_MS) / 1_000);
      firstCheckpoints.push(response.epoch?.firstCheckpoint ?? 0n);
    }
    expect(new Set(firstCheckpoints).size).toBe(4);
    expect([...firstCheckpoints].sort((left, right) => Number(left - right))).toEqual(firstCheckpoints);
    const { response } = await chain.client.ledgerService.getServiceInfo({});
    expect(response.checkpointHeight).toBeGreaterThanOrEqual(firstCheckpoints.at(-1) ?? 0n);
  });

  test("that is ended by hand starts the next one's time anew", async () => {
    chain.clock.nowMs += DAY_MS / 2;
    await chain.control("POST", "/control/epoch", { advance: 1, referenceGasPrice: "900" });
    chain.clock.nowMs += DAY_MS - 1;
    expect(await epochState()).toMatchObject({ epoch: 1, price: "900" });
    chain.clock.nowMs += 1;
    expect(await epochState()).toMatchObject({ epoch: 2, price: "900" });
  });

  test("that passed while the chain was down has passed afterwards", async () => {
    const sql = nodeSql();
    const before = await startChain(sql);
    const { chainIdentifier } = await before.client.getChainIdentifier();
    const after = await startChain(sql);
    after.clock.nowMs += 2 * DAY_MS;
    expect((await after.client.getCurrentSystemState()).systemState.epoch).toBe("2");
    expect((await after.client.getChainIdentifier()).chainIdentifier).toBe(chainIdentifier);
  });

  test("names the protocol's limits, as the SDK and a service read them", async () => {
    const { protocolConfig } = await chain.client.getProtocolConfig();
    expect(protocolConfig.featureFlags).toMatchObject({
      enable_address_balance_gas_payments: true,
      enable_accumulators: true,
      address_balance_gas_reject_gas_coin_arg: false,
      relax_valid_during_for_owned_inputs: true,
    });
    expect(protocolConfig.attributes).toMatchObject({
      base_tx_cost_fixed: "1000",
      max_tx_gas: "50000000000000",
      max_gas_payment_objects: "256",
      max_tx_size_bytes: "131072",
      max_pure_argument_size: "16384",
      obj_data_cost_refundable: "100",
      storage_gas_price: "76",
      storage_rebate_rate: "9999",
    });
  });
});

describe("expirations", () => {
  beforeEach(async () => {
    await chain.fund(user.toSuiAddress(), SUI, SUI, SUI, SUI);
    await chain.control("POST", "/control/epoch", { advance: 5 });
  });

  type Expiration = Parameters<Transaction["setExpiration"]>[0];

  /** Sends a transaction that pays with a coin and carries this expiration, after a round trip through BCS. */
  async function send(expiration: (chain: string) => Expiration, price = 1_000n) {
    const { chainIdentifier } = await chain.client.getChainIdentifier();
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const bytes = await harness.build((transaction) => {
      transaction.setGasPayment([coin]);
      transaction.setGasPrice(price);
      transaction.setGasBudget(20_000_000n);
      transaction.setExpiration(expiration(chainIdentifier));
    });
    expect(bcs.TransactionData.serialize(bcs.TransactionData.parse(bytes)).toBytes()).toEqual(bytes);
    return harness.submit(bytes, user);
  }

  function window(minEpoch: number | null, maxEpoch: number | null, rest: object = {}) {
    const ends = { minEpoch: minEpoch?.toString() ?? null, maxEpoch: maxEpoch?.toString() ?? null };
    return (chain: string) => ({ ...ends, minTimestamp: null, maxTimestamp: null, nonce: 1, chain, ...rest });
  }

  const during = (minEpoch: number | null, maxEpoch: number | null, rest?: object) => (chain: string) => ({
    ValidDuring: window(minEpoch, maxEpoch, rest)(chain),
  });

  const validity =
    (proposers: number[] | null, epoch = 5, rest?: object) =>
    (chain: string) => ({
      Validity: {
        ...window(5, 6, rest)(chain),
        allowedProposers: proposers === null ? null : { epoch: String(epoch), proposers },
      },
    });

  test.each<[string, (chain: string) => Expiration]>([
    ["None", () => ({ None: true })],
    ["Epoch, up to its end", () => ({ Epoch: 5 })],
    ["ValidDuring one epoch", during(5, 5)],
    ["ValidDuring two epochs", during(4, 5)],
    ["ValidDuring many epochs, with a gas coin", during(0, 99)],
    ["ValidDuring without ends, with a gas coin", during(null, null)],
    ["Validity", validity(null)],
    ["Validity with three proposers", validity([0, 1, 3])],
    ["Validity with another epoch's proposers, which do not count", validity([0, 1, 2, 3, 900], 4)],
  ])("%s is accepted", async (_name, expiration) => {
    expect((await send(expiration)).status.success).toBe(true);
  });

  test.each<[string, (chain: string) => Expiration, string]>([
    ["a past Epoch", () => ({ Epoch: 4 }), "Transaction Expired"],
    ["ValidDuring past epochs", during(3, 4), "Transaction Expired"],
    ["ValidDuring epochs to come", during(6, 7), "Transaction Expired"],
    ["ValidDuring on another chain", during(5, 6, { chain: "1".repeat(32) }), "does not match network chain ID"],
    ["ValidDuring with a timestamp", during(5, 6, { maxTimestamp: "1" }), "Timestamp-based transaction expiration"],
    ["Validity with a timestamp", validity(null, 5, { minTimestamp: "1" }), "Timestamp-based transaction expiration"],
    ["Validity of past epochs", validity(null, 5, { maxEpoch: "4" }), "Transaction Expired"],
    [
      "Validity with more proposers than are paid for",
      validity([0, 1, 2, 3]),
      "4 allowed proposers, at most 3 permitted",
    ],
    ["Validity with a stranger for a proposer", validity([4]), "allowed proposer 4 is outside a committee of 4"],
  ])("%s is refused", async (_name, expiration, message) => {
    await expect(send(expiration)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message),
    });
  });

  test("a higher price pays for more proposers, up to the committee", async () => {
    expect((await send(validity([0, 1, 2, 3]), 4_000n)).status.success).toBe(true);
  });

  test("every kind is shown again as it was", async () => {
    const kinds = [
      ["ValidDuring", during(5, 6)],
      ["Validity", validity([0, 2])],
    ] as const;
    for (const [kind, expiration] of kinds) {
      const { digest } = await send(expiration);
      const { response } = await chain.client.ledgerService.getTransaction({
        digest,
        readMask: { paths: ["transaction"] },
      });
      expect(response.transaction?.transaction?.expiration).toMatchObject({ minEpoch: 5n, epoch: 6n, nonce: 1 });
      const found = await chain.client.getTransaction({ digest, include: { transaction: true } });
      expect(found.Transaction?.transaction?.expiration).toMatchObject({ $kind: kind });
    }
  });

  test("a transaction that the epoch's end overtook cannot run any more", async () => {
    const { chainIdentifier } = await chain.client.getChainIdentifier();
    const [coin] = (await chain.client.listCoins({ owner: user.toSuiAddress() })).objects;
    if (coin === undefined) throw new Error("no coin");
    const bytes = await harness.build((transaction) => {
      transaction.setGasPayment([coin]);
      transaction.setExpiration(during(5, 5)(chainIdentifier));
    });
    chain.clock.nowMs += DAY_MS;
    await expect(harness.submit(bytes, user)).rejects.toThrow("Transaction Expired");
  });
});
