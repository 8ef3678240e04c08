import { bcs } from "@mysten/sui/bcs";
import { toBase58 } from "@mysten/sui/utils";
import { blake2b } from "@noble/hashes/blake2.js";
import type { GasUsed, ObjectRef, ObservedCoin, SuiCoin, SuiExecution } from "../../shared/chain/sui/node.ts";

const GAS_USED: GasUsed = {
  computationCostMist: 1_000_000n,
  storageCostMist: 1_976_000n,
  storageRebateMist: 978_120n,
  nonRefundableStorageFeeMist: 9_880n,
};
export const CHARGED_MIST = 1_997_880n;
const GENESIS_DIGEST = toBase58(new Uint8Array(32));

interface ModelCoin {
  readonly version: bigint;
  readonly balanceMist: bigint;
  readonly previousTransaction: string;
}

/** Gas coins of one owner and the transactions that spend them: just enough chain to judge a fund's bookkeeping. */
export class ModelChain {
  readonly coins = new Map<string, ModelCoin>();
  readonly executed = new Map<string, SuiExecution>();
  epoch = 5n;
  readonly #owner: string;
  #deposits = 0;

  constructor(owner: string) {
    this.#owner = owner;
  }

  deposit(balanceMist: bigint): void {
    this.#deposits += 1;
    const objectId = `0x${this.#deposits.toString(16).padStart(64, "0")}`;
    this.coins.set(objectId, { version: 1n, balanceMist, previousTransaction: GENESIS_DIGEST });
  }

  listing(): SuiCoin[] {
    return [...this.coins].map(([objectId, { balanceMist, version }]) => ({
      ...refOf(objectId, version),
      balanceMist,
    }));
  }

  observe(objectIds: readonly string[]): (ObservedCoin | null)[] {
    return objectIds.map((objectId) => {
      const coin = this.coins.get(objectId);
      if (coin === undefined) return null;
      const { balanceMist, previousTransaction, version } = coin;
      return { ...refOf(objectId, version), balanceMist, previousTransaction };
    });
  }

  /** Executes signed bytes as the chain would, once; false where it refuses them. */
  execute(digest: string, transactionBytes: Uint8Array, created: readonly SuiCoin[] = []): boolean {
    if (this.executed.has(digest)) return true;
    const { gasData, expiration } = bcs.TransactionData.parse(transactionBytes).V1;
    if (expiration.$kind !== "Epoch" || BigInt(expiration.Epoch) < this.epoch) return false;
    const inputs = gasData.payment.map((ref) => ({ ref, coin: this.coins.get(ref.objectId) }));
    if (inputs.some(({ ref, coin }) => coin === undefined || coin.version !== BigInt(ref.version))) return false;
    const paidMist = inputs.reduce((sum, { coin }) => sum + (coin?.balanceMist ?? 0n), 0n);
    const lamportVersion = inputs.reduce((max, { coin }) => (coin && coin.version > max ? coin.version : max), 0n) + 1n;
    for (const { ref } of inputs) this.coins.delete(ref.objectId);
    const splitMist = created.reduce((sum, coin) => sum + coin.balanceMist, 0n);
    const gasObjectId = inputs[0]?.ref.objectId ?? "";
    const written: [string, bigint][] = [
      [gasObjectId, paidMist - CHARGED_MIST - splitMist],
      ...created.map(({ objectId, balanceMist }): [string, bigint] => [objectId, balanceMist]),
    ];
    for (const [objectId, balanceMist] of written)
      this.coins.set(objectId, { version: lamportVersion, balanceMist, previousTransaction: digest });
    this.executed.set(digest, {
      digest,
      success: true,
      error: null,
      epoch: this.epoch,
      gasUsed: GAS_USED,
      gasObjectId,
      lamportVersion,
      dependencies: [],
      eventsDigest: null,
      changedObjects: written.map(([objectId]) => ({
        objectId,
        objectType: null,
        operation: "none",
        input: null,
        output: { ...refOf(objectId, lamportVersion), owner: { kind: "address", address: this.#owner } },
      })),
      events: [],
      balanceChanges: [],
      checkpoint: 1n,
      timestampMs: 0,
    });
    return true;
  }
}

/** A digest that differs with id and version, as the chain's do. */
function refOf(objectId: string, version: bigint): ObjectRef {
  const digest = toBase58(blake2b(new TextEncoder().encode(`${objectId} ${version}`), { dkLen: 32 }));
  return { objectId, version, digest };
}
