/* Aptos only (Evidence): a sequence number proves a death; on Sui the version of a coin does. */

import type { AptosSequenceReading } from "../../../chain/aptos/node.ts";
import type { BalanceReading, SequenceEvidence } from "../adopt.ts";
import type { AptosFundStore } from "../store.ts";
import { givenUpAt } from "../used-sequences.ts";

/**
 * Keeps the endpoints' evidence about the sequence numbers of open rows, each from one reply. Also keeps the balance
 * reading that waits for the rest of the evidence. The storage holds evidence that needs time to prove something
 * (`used-sequences.ts`). The rest lives in memory, and is read again after a restart.
 */
export class Evidence {
  readonly #store: AptosFundStore;
  readonly #unusedAt = new Map<string, AptosSequenceReading>();
  #waiting: BalanceReading | null = null;

  constructor(store: AptosFundStore) {
    this.#store = store;
  }

  /** Records one reply's evidence about a row that is still open after it. Null if the row is closed. */
  note(reference: string, seen: AptosSequenceReading | null): void {
    if (seen === null) {
      this.#unusedAt.delete(reference);
      return;
    }
    const before = this.#unusedAt.get(reference);
    if (seen.value.kind === "unused" && seen.version > (before?.version ?? -1n)) this.#unusedAt.set(reference, seen);
  }

  /** Forgets rows that are no longer open. */
  keep(open: readonly string[]): void {
    const isOpen = new Set(open);
    for (const reference of this.#unusedAt.keys()) if (!isOpen.has(reference)) this.#unusedAt.delete(reference);
  }

  /** Returns the present evidence, with the rows that are given up. */
  known(): SequenceEvidence {
    return { unusedAt: this.#unusedAt, usedAt: givenUpAt(this.#store) };
  }

  /**
   * Returns the waiting reading. Returns the new one if no reading waits, or if the waiting one is hopeless. A reading
   * is hopeless if a later version may have used one of its open rows. No endpoint shows that version.
   */
  waitingOr(reading: BalanceReading): BalanceReading {
    const waiting = this.#waiting;
    if (waiting === null) return reading;
    const used = this.#store.usedSequences();
    const isHopeless = waiting.open.some(
      (reference) => (used.get(reference)?.version ?? -1n) > waiting.balance.version,
    );
    return isHopeless ? reading : waiting;
  }

  /** Keeps a reading until its evidence is complete. Null drops the kept one. */
  wait(reading: BalanceReading | null): void {
    this.#waiting = reading;
  }
}
