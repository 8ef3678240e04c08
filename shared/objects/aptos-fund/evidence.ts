import type { AptosExecutedAt } from "../../chain/aptos/node.ts";
import type { BalanceReading, SequenceEvidence } from "../../fund/aptos-own-transactions.ts";

/** So long a transaction that must be there is looked for: an endpoint may lag behind another one, or be restarted. */
const GIVEN_UP_AFTER_MS = 600_000;

interface Used {
  readonly version: bigint;
  readonly sinceMs: number;
}

/**
 * What endpoints have shown of open rows' sequence numbers, each by one reply, and the balance that waits for the rest
 * of it. Lives in memory only: after a restart all of it is asked for again.
 */
export class Evidence {
  readonly #unusedAt = new Map<string, bigint>();
  readonly #used = new Map<string, Used>();
  #waiting: BalanceReading | null = null;

  /** What one reply has shown of a row that is still open after that; null: the row is closed. */
  note(reference: string, seen: AptosExecutedAt | null, nowMs: number): void {
    if (seen === null) {
      this.#unusedAt.delete(reference);
      this.#used.delete(reference);
      return;
    }
    const { version } = seen.ledger;
    if (seen.kind === "unused" && version > (this.#unusedAt.get(reference) ?? -1n))
      this.#unusedAt.set(reference, version);
    // What is shown and is not what the fund has signed is as good as not shown.
    if (seen.kind !== "unused" && !this.#used.has(reference)) this.#used.set(reference, { version, sinceMs: nowMs });
  }

  /** Forgets what is not open any more. */
  keep(open: readonly string[]): void {
    const isOpen = new Set(open);
    for (const known of [this.#unusedAt, this.#used])
      for (const reference of known.keys()) if (!isOpen.has(reference)) known.delete(reference);
  }

  of(nowMs: number): SequenceEvidence {
    const givenUp = [...this.#used].filter(([, { sinceMs }]) => nowMs - sinceMs >= GIVEN_UP_AFTER_MS);
    return {
      unusedAt: this.#unusedAt,
      usedAt: new Map(givenUp.map(([reference, { version }]) => [reference, version])),
    };
  }

  /**
   * The reading that waits, or this one: also where it waits for what it can never know, because a row that nobody shows
   * was used some time up to a later version.
   */
  waitingOr(reading: BalanceReading): BalanceReading {
    const waiting = this.#waiting;
    if (waiting === null) return reading;
    const isHopeless = waiting.open.some((reference) => (this.#used.get(reference)?.version ?? -1n) > waiting.version);
    return isHopeless ? reading : waiting;
  }

  wait(reading: BalanceReading | null): void {
    this.#waiting = reading;
  }
}
