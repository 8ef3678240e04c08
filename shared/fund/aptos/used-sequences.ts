// Aptos only: a used sequence number ends a sponsorship, although perhaps no node shows the transaction that used it.

import type { AptosSequenceReading } from "../../chain/aptos/node.ts";
import type { AptosFundStore } from "./store.ts";

/** The time for which a missing transaction is looked for. An endpoint may lag behind another one, or be restarted. */
const GIVEN_UP_AFTER_MS = 600_000;
/** An endpoint may not show a younger transaction yet. Clocks differ by less. */
export const YOUNG_MS = 300_000;

/**
 * Records a reply's evidence about an open row's sequence number. One reply may lie, and a row that is given up no
 * longer withholds money. So a second reply must confirm the first. It must be ten minutes later, by its own ledger and
 * by our clock, and past the row's expiration. From then on the transaction cannot be executed any more, even if a
 * reply lied. If several endpoints are configured, two must agree.
 *
 * @param expiresAtMs the expiration of the row, by the chain's time.
 */
export function recordUsedSequence(
  store: AptosFundStore,
  reference: string,
  seen: AptosSequenceReading,
  expiresAtMs: number,
  nowMs: number,
): void {
  const first = store.usedSequence(reference);
  const { value: use, version, timestampMs: timeMs } = seen;
  if (use.kind === "unused") {
    // Sequence numbers never decrease. One of the two replies is wrong, and nothing shows which.
    if (first !== null && version >= first.version) store.putUsedSequence(reference, null);
    return;
  }
  const support = use.kind === "used" ? use.support : "agreed";
  if (support === "disputed") {
    store.putUsedSequence(reference, null);
    return;
  }
  if (first === null) {
    store.putUsedSequence(reference, { version, timeMs, sinceMs: nowMs, isSaidAgain: false });
    return;
  }
  // A clock that was ahead must not keep the row open.
  const sinceMs = Math.min(first.sinceMs, nowMs);
  const isLater = version > first.version && timeMs >= first.timeMs + GIVEN_UP_AFTER_MS && timeMs >= expiresAtMs;
  const isSaidAgain = first.isSaidAgain || (support === "agreed" && isLater && nowMs >= sinceMs + GIVEN_UP_AFTER_MS);
  if (sinceMs !== first.sinceMs || isSaidAgain !== first.isSaidAgain)
    store.putUsedSequence(reference, { ...first, sinceMs, isSaidAgain });
}

/** Returns the version at which each given-up row was used, by reference. */
export function givenUpAt(store: AptosFundStore): ReadonlyMap<string, bigint> {
  const givenUp = [...store.usedSequences()].filter(([, { isSaidAgain }]) => isSaidAgain);
  return new Map(givenUp.map(([reference, { version }]) => [reference, version]));
}

/**
 * Lists the rows that no block includes after a time, and whose numbers a reply has shown as used. If such a row was
 * executed, every balance from that time on includes its cost. The list may have ended rows.
 *
 * @param atMs the chain's time.
 */
export function usedUpBy(store: AptosFundStore, atMs: number): readonly string[] {
  return [...store.usedSequences().keys()].filter((reference) => {
    const row = store.sponsorship(reference) ?? store.treasuryTransaction(reference);
    return row !== null && row.expiresAtMs + YOUNG_MS <= atMs;
  });
}
