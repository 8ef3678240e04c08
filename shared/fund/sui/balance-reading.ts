// Sui only: An Aptos balance has a version, which shows what is in it.

import type { BalanceReading, SuiFound } from "../../chain/sui/node.ts";
import type { AddressChange } from "./sqlite-store.ts";

/**
 * A node reads an address balance from its live state, without a version. These functions decide which changes a
 * reading has seen.
 */

/** Returns the sum of the changes that took money out of the address balance, MIST. */
export function spentMist(changes: readonly bigint[]): bigint {
  return changes.reduce((sum, changeMist) => sum - (changeMist < 0n ? changeMist : 0n), 0n);
}

/**
 * Checks whether a reading has seen a transaction. It certainly has if the transaction's checkpoint is older than the
 * reported one.
 */
function isSeen(found: SuiFound | undefined, { checkpoint }: BalanceReading): boolean {
  if (found?.kind !== "executed") return false;
  const { execution } = found;
  return execution.checkpoint !== null && execution.checkpoint < checkpoint;
}

/** Returns the last ledger row before the first that the reading may not have seen. Null if that is the very first. */
export function lastSeen(booked: readonly AddressChange[], reading: BalanceReading): number | null {
  const unseen = booked.findIndex((_, index) => !isSeen(reading.value.findings[index], reading));
  const seen = unseen === -1 ? booked : booked.slice(0, unseen);
  return seen.at(-1)?.sequence ?? null;
}

/**
 * Lists the changes, MIST, of the transactions that the reading may not have seen (sui-rpc-api, `get_balance.rs`).
 *
 * @param changes one for each finding.
 * @param open the digests of the last findings, in their order. Some may never execute.
 * @param closing those of `open` whose last epoch had ended before the reading. The reading has all their changes.
 */
export function unseenChanges(
  reading: BalanceReading,
  changes: readonly bigint[],
  open: readonly string[],
  closing: ReadonlySet<string>,
): readonly bigint[] {
  const { findings } = reading.value;
  return findings.flatMap((found, index) => {
    const digest = open[index - (findings.length - open.length)];
    const isCertain = digest !== undefined && (found.kind === "missing" || closing.has(digest));
    return isCertain || isSeen(found, reading) ? [] : (changes[index] ?? 0n);
  });
}
