/* Aptos only (Evidence): a sequence number proves a death; on Sui the version of a coin does. */

import type { AptosSequenceReading } from "../../../chain/aptos/node.ts";
import type { BalanceReading, SequenceEvidence } from "../adopt.ts";
import type { AptosFundStore } from "../store.ts";
import { givenUpAt } from "../used-sequences.ts";

/**
 * What endpoints have shown of open rows' sequence numbers, each by one reply, and the balance that waits for the rest
 * of it. What proves something over time is in the storage (`used-sequences.ts`). The rest lives in memory only: after a
 * restart it is asked for again.
 */
export class Evidence {
  readonly #store: AptosFundStore;
  readonly #unusedAt = new Map<string, bigint>();
  #waiting: BalanceReading | null = null;

  constructor(store: AptosFundStore) {
    this.#store = store;
  }

  /** What one reply has shown of a row that is still open after that; null: the row is closed. */
  note(reference: string, seen: AptosSequenceReading | null): void {
    if (seen === null) {
      this.#unusedAt.delete(reference);
      return;
    }
    const { version } = seen.ledger;
    if (seen.kind === "unused" && version > (this.#unusedAt.get(reference) ?? -1n))
      this.#unusedAt.set(reference, version);
  }

  /** Forgets what is not open any more. */
  keep(open: readonly string[]): void {
    const isOpen = new Set(open);
    for (const reference of this.#unusedAt.keys()) if (!isOpen.has(reference)) this.#unusedAt.delete(reference);
  }

  known(): SequenceEvidence {
    return { unusedAt: this.#unusedAt, usedAt: givenUpAt(this.#store) };
  }

  /**
   * The reading that waits, or this one: also where it waits for what it can never know, because a row that nobody shows
   * was used some time up to a later version.
   */
  waitingOr(reading: BalanceReading): BalanceReading {
    const waiting = this.#waiting;
    if (waiting === null) return reading;
    const used = this.#store.usedSequences();
    const isHopeless = waiting.open.some((reference) => (used.get(reference)?.version ?? -1n) > waiting.version);
    return isHopeless ? reading : waiting;
  }

  wait(reading: BalanceReading | null): void {
    this.#waiting = reading;
  }
}
