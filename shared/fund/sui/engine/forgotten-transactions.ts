/* Sui only: On Aptos the sequence numbers of the account name its forgotten transactions. */

import { MAX_U64 } from "../../../amounts.ts";
import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { batchesOf } from "../../../paging.ts";
import type { ForgottenTransaction } from "../../views.ts";
import { forgottenOf } from "../forgotten.ts";
import type { SuiFundCore } from "./chain.ts";
import { observeCoins } from "./evidence.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The most coins whose last writers are read. */
const MOST_COINS = 10 * NODE_BATCH_LIMIT;
/** The most digests that are followed. A user of the fund can name many inputs. */
const MOST_FOLLOWED = 1_000;

/**
 * Finds the fund's own transactions that its state has forgotten, before a sweep gives its coins another last writer.
 * Each coin names its last writer, and each transaction those of its inputs. Only transactions that the fund has paid
 * for are followed. An address balance names no writer. Without an answer, the result is shorter.
 *
 * @param objectIds the fund's coins, as they are listed.
 */
export async function findForgotten(
  core: SuiFundCore,
  watch: SuiStateWatch,
  address: string,
  objectIds: readonly string[],
): Promise<readonly ForgottenTransaction[]> {
  const next = await lastWriters(core, objectIds);
  const followed = new Set<string>();
  const found: SuiExecution[] = [];
  while (next.size > 0 && followed.size < MOST_FOLLOWED) {
    const batch = [...next].slice(0, NODE_BATCH_LIMIT);
    for (const digest of batch) {
      next.delete(digest);
      followed.add(digest);
    }
    const own = await forgottenAmong(core, watch, address, batch);
    const looked = own.size === 0 ? null : await core.node.lookUp([...own.keys()], "full");
    for (const shown of looked?.ok ? looked.value.value : []) {
      if (shown.kind !== "executed") continue;
      const { execution } = shown;
      for (const digest of execution.dependencies) if (!followed.has(digest)) next.add(digest);
      if (own.get(execution.digest) === address) found.push(execution);
    }
  }
  return found.toSorted(oldestFirst).map((execution) => forgottenOf(execution, address));
}

/** A transaction has a higher version than those that wrote its inputs, also within one checkpoint. */
function oldestFirst(one: SuiExecution, other: SuiExecution): number {
  const [first, second] = [one.checkpoint ?? MAX_U64, other.checkpoint ?? MAX_U64];
  if (first !== second) return first < second ? -1 : 1;
  return one.lamportVersion < other.lamportVersion ? -1 : 1;
}

async function lastWriters(core: SuiFundCore, objectIds: readonly string[]): Promise<Set<string>> {
  const writers = new Set<string>();
  for (const batch of batchesOf(objectIds.slice(0, MOST_COINS), NODE_BATCH_LIMIT)) {
    const observed = await observeCoins(core, batch);
    if (observed === "no_answer") break;
    for (const coin of observed?.value.values() ?? [])
      if (coin !== null && coin !== "no_answer") writers.add(coin.previousTransaction);
  }
  return writers;
}

/** Returns the senders of those transactions that the fund has paid for, and that no row of it knows, by digest. */
async function forgottenAmong(
  { node, record }: SuiFundCore,
  watch: SuiStateWatch,
  address: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const forgotten = new Map<string, string | null>();
  const paid = await node.gasOwners(digests);
  const adopted = record.recovery?.adoptedCheckpoint ?? -1n;
  for (const [index, digest] of digests.entries()) {
    const owner = paid.ok ? (paid.value.value[index] ?? null) : null;
    if (owner === null || owner === "no_answer" || owner.address !== address) continue;
    // A recovery of before has taken it into the books.
    if (owner.checkpoint !== null && owner.checkpoint <= adopted) continue;
    if ((await watch.isKnown(digest)) === false) forgotten.set(digest, owner.sender);
  }
  return forgotten;
}
