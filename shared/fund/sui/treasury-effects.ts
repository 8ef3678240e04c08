// Sui only: the effects of a transaction on Sui name the coins that it changed.

import type { CoinVersion } from "../../chain/sui/coins.ts";
import type { ChangedObject } from "../../chain/sui/execution.ts";
import { createdObjectId } from "../../chain/sui/transaction.ts";
import type { FundCoin, PartyCoin, SuiFundStore, SuiTreasuryTransaction } from "./store.ts";

/** Checks whether the effects show every party coin as deleted. */
export function areGone(coins: readonly PartyCoin[], changed: readonly ChangedObject[]): boolean {
  const gone = new Set(changed.flatMap(({ objectId, operation }) => (operation === "deleted" ? [objectId] : [])));
  return coins.every(({ objectId }) => gone.has(objectId));
}

/**
 * Computes the id of the n-th coin that a treasury transaction creates: the n-th id derived from the digest. If the
 * address balance pays, the chain makes a gas coin for it, which takes the first id (sui-adapter, `context.rs`).
 */
export function createdId({ digest, gasObjectId }: SuiTreasuryTransaction, index: number): string {
  return createdObjectId(digest, BigInt(index) + (gasObjectId === null ? 1n : 0n));
}

/** Lists the created coins. Null if the effects do not show each of them as the fund's. */
export function createdCoins(
  transaction: SuiTreasuryTransaction,
  changed: readonly ChangedObject[],
  address: string,
): readonly CoinVersion[] | null {
  const created: CoinVersion[] = [];
  for (const [index, balanceMist] of transaction.createdMist.entries()) {
    const id = createdId(transaction, index);
    const output = changed.find(({ objectId }) => objectId === id)?.output;
    if (output == null || output.owner?.kind !== "address" || output.owner.address !== address) return null;
    created.push({ objectId: id, version: output.version, digest: output.digest, balanceMist });
  }
  return created;
}

/** Lists the bumped coins at the versions in the effects. Null if the effects leave one of them at its old version. */
export function bumpedInputs(
  store: SuiFundStore,
  { bumpedCoins }: SuiTreasuryTransaction,
  changed: readonly ChangedObject[],
): readonly FundCoin[] | null {
  const outputs = new Map(changed.map(({ objectId, output }) => [objectId, output]));
  const bumped: FundCoin[] = [];
  for (const { objectId, version } of bumpedCoins) {
    const output = outputs.get(objectId);
    const coin = store.coin(objectId);
    if (output == null || coin === null || coin.version !== version || output.version <= version) return null;
    bumped.push({ ...coin, version: output.version, digest: output.digest });
  }
  return bumped;
}
