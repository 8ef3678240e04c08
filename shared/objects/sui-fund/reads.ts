import { NODE_BATCH_LIMIT, type ObservedCoin } from "../../chain/sui/node.ts";
import type { DeathEvidence } from "../../fund/coins.ts";
import { batchesOf } from "../../paging.ts";
import type { SuiFundCore } from "./core.ts";

/** Any number of coins as the chain shows them now; null where no node answered. */
async function observeAll(
  core: SuiFundCore,
  objectIds: readonly string[],
): Promise<readonly (ObservedCoin | null)[] | null> {
  const observed: (ObservedCoin | null)[] = [];
  for (const batch of batchesOf(objectIds, NODE_BATCH_LIMIT)) {
    const coins = await core.node.observeCoins(batch);
    if (!coins.ok) return null;
    observed.push(...coins.value);
  }
  return observed;
}

/**
 * What a look-up that misses a digest will be weighed against: coins and epoch, both read before it.
 *
 * @returns null where no node answered.
 */
export async function evidenceBefore(
  core: SuiFundCore,
  objectIds: readonly string[],
): Promise<Omit<DeathEvidence, "checkpointTimeMs"> | null> {
  const facts = await core.factsForSigning();
  const coins = await observeAll(core, objectIds);
  if (!facts.ok || coins === null) return null;
  const { epoch, epochStartMs } = facts.value;
  return { coins, epoch, epochStartMs };
}
