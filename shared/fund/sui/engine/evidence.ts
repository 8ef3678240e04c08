/* Sui only (observeCoins, allHostsButOne, believedEpoch, deathEvidence): the version of a coin proves a death; on Aptos a sequence number does. */

import { withValue } from "../../../chain/seen.ts";
import type { Observed } from "../../../chain/sui/coins.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { joinSeen, type SuiSeen, upToEpoch } from "../../../chain/sui/seen.ts";
import { batchesOf } from "../../../paging.ts";
import type { InputEvidence } from "../payment.ts";
import type { SuiFundCore } from "./chain.ts";

/** Coins as the chain shows them, by their ids. Null if none was requested. */
export type ObservedCoins = InputEvidence["coins"];

/**
 * Reads any number of coins as the chain shows them now, to be weighed against a later look-up. Several replies claim
 * no more than the least of them (`joinSeen`).
 *
 * @param besides hosts to leave out. Absent for none.
 * @returns `no_answer` if no node answered, or if the replies come from two chains.
 */
export async function observeCoins(
  core: SuiFundCore,
  objectIds: readonly string[],
  besides?: readonly string[],
): Promise<ObservedCoins | "no_answer"> {
  let all: ObservedCoins = null;
  for (const batch of batchesOf(objectIds, NODE_BATCH_LIMIT)) {
    const observed = await core.node.observeCoins(batch, besides);
    if (!observed.ok) return "no_answer";
    const some = withValue(observed.value, (coins) => byId(batch, coins));
    all = all === null ? some : joinSeen(all, some, both);
    if (all === null) return "no_answer";
  }
  return all;
}

type CoinsById = ReadonlyMap<string, Observed>;

function both(one: CoinsById, other: CoinsById): CoinsById {
  return new Map([...one, ...other]);
}

function byId(objectIds: readonly string[], coins: readonly Observed[]): CoinsById {
  return new Map(objectIds.map((objectId, index) => [objectId, coins[index] ?? null]));
}

/** Lists, for each host, all other hosts. A call that leaves those out reaches that host alone. */
export function allHostsButOne({ urls }: SuiFundCore): readonly (readonly string[])[] {
  const hosts = [...new Set(urls.map((url) => new URL(url).host))];
  return hosts.map((host) => hosts.filter((other) => other !== host));
}

/** Returns the epoch that the fund believes has begun. Call it before the first reading of evidence. */
export function believedEpoch({ record }: SuiFundCore): bigint {
  return record.seen?.epoch ?? 0n;
}

/**
 * Combines the miss of a look-up with coins that were read before it.
 *
 * @param believed the result of `believedEpoch` before both. An endpoint may have claimed a later epoch before that epoch
 * began, so a later belief confirms nothing.
 */
export function deathEvidence(believed: bigint, coins: ObservedCoins, miss: SuiSeen<null>): InputEvidence {
  return { coins: coins === null ? null : upToEpoch(coins, believed), miss: upToEpoch(miss, believed) };
}
