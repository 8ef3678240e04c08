/* Sui only (observeCoins, deathEvidence): the version of a coin proves a death; on Aptos a sequence number does. */

import type { Observed } from "../../../chain/sui/coins.ts";
import { NODE_BATCH_LIMIT, type Seen } from "../../../chain/sui/node.ts";
import { batchesOf } from "../../../paging.ts";
import type { InputEvidence } from "../payment.ts";
import type { SuiFundCore } from "./chain.ts";
import type { Finding } from "./look-ups.ts";

/** Coins as the chain shows them, by their ids. Null if none was requested. */
export type ObservedCoins = Seen<ReadonlyMap<string, Observed>> | null;

/**
 * Reads any number of coins as the chain shows them now, to be weighed against a later look-up. Of several replies, the
 * lowest checkpoint dates everything, and the highest bounds it.
 *
 * @returns `no_answer` if no node answered.
 */
export async function observeCoins(
  core: SuiFundCore,
  objectIds: readonly string[],
): Promise<ObservedCoins | "no_answer"> {
  let all: ObservedCoins = null;
  for (const batch of batchesOf(objectIds, NODE_BATCH_LIMIT)) {
    const observed = await core.node.observeCoins(batch);
    if (!observed.ok) return "no_answer";
    all = joined(all, observed.value, batch);
  }
  return all;
}

function joined(before: ObservedCoins, reply: Seen<readonly Observed[]>, objectIds: readonly string[]): ObservedCoins {
  const coins = objectIds.map((objectId, index) => [objectId, reply.value[index] ?? null] as const);
  if (before === null) return { ...reply, value: new Map(coins) };
  const lowest = before.checkpoint <= reply.checkpoint ? before : reply;
  const highest = before.newestCheckpoint >= reply.newestCheckpoint ? before : reply;
  const { newestCheckpoint } = highest;
  return { ...lowest, newestCheckpoint, value: new Map([...before.value, ...coins]) };
}

/**
 * Combines the miss of a look-up with coins that were read before it. An endpoint's epoch counts only up to the one
 * that the fund believes has begun.
 */
export function deathEvidence(core: SuiFundCore, coins: ObservedCoins, miss: Finding): InputEvidence {
  const believed = core.record.seen?.epoch ?? 0n;
  const within = <T>(seen: Seen<T>): Seen<T> => (seen.epoch > believed ? { ...seen, epoch: believed } : seen);
  const nothing = { ...miss, newestCheckpoint: miss.checkpoint, value: new Map<string, Observed>() };
  return { coins: within(coins ?? nothing), miss: within({ ...miss, value: null }) };
}
