// Aptos only: a used sequence number ends a sponsorship, although no node may show by what.

import type { AptosSequenceReading } from "../../chain/aptos/node.ts";
import type { AptosFundStore } from "./store.ts";

/** So long a transaction that must be there is looked for: an endpoint may lag behind another one, or be restarted. */
const GIVEN_UP_AFTER_MS = 600_000;

/**
 * Notes what a reply has shown of an open row's sequence number. One reply may lie, and what it makes us give up is
 * withheld no more. So it takes a second one that is ten minutes later, by its own ledger and by our clock, and that
 * knows the row as expired: from then on nobody can execute it any more, whoever has lied. If several endpoints are
 * configured, two have to say so then.
 *
 * @param expiresAtMs the row's, by the chain's time.
 */
export function recordUsedSequence(
  store: AptosFundStore,
  reference: string,
  seen: AptosSequenceReading,
  expiresAtMs: number,
  nowMs: number,
): void {
  const first = store.usedSequence(reference);
  const { version, timeMs } = seen.ledger;
  if (seen.kind === "unused") {
    // Numbers do not go back: one of the two replies is wrong, and nobody knows which.
    if (first !== null && version >= first.version) store.putUsedSequence(reference, null);
    return;
  }
  const support = seen.kind === "used" ? seen.support : "agreed";
  if (support === "disputed") {
    store.putUsedSequence(reference, null);
    return;
  }
  if (first === null) {
    store.putUsedSequence(reference, { version, timeMs, sinceMs: nowMs, isSaidAgain: false });
    return;
  }
  // A clock that was ahead must not keep it open for ever.
  const sinceMs = Math.min(first.sinceMs, nowMs);
  const isLater = version > first.version && timeMs >= first.timeMs + GIVEN_UP_AFTER_MS && timeMs >= expiresAtMs;
  const isSaidAgain = first.isSaidAgain || (support === "agreed" && isLater && nowMs >= sinceMs + GIVEN_UP_AFTER_MS);
  if (sinceMs !== first.sinceMs || isSaidAgain !== first.isSaidAgain)
    store.putUsedSequence(reference, { ...first, sinceMs, isSaidAgain });
}

/** At which version each row was used that is given up, by reference. */
export function givenUpAt(store: AptosFundStore): ReadonlyMap<string, bigint> {
  const givenUp = [...store.usedSequences()].filter(([, { isSaidAgain }]) => isSaidAgain);
  return new Map(givenUp.map(([reference, { version }]) => [reference, version]));
}
