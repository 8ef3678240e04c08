import type { SuiLedgerState } from "./seen.ts";

/**
 * The time for which a height counts as recent. It takes a part of the two seconds that the look-up after an expiry
 * leaves to the chain.
 */
const RECENT_MS = 500;

/**
 * Keeps the heights that endpoints have named within one run of look-ups. Any height that was named before a question
 * bounds its answer from below. So a run of many questions need not have each of them preceded by a call of its own.
 */
export class RecentHeights {
  readonly #states = new Map<string, { readonly state: SuiLedgerState; readonly atMs: number }>();

  /** Returns the height that an endpoint has named lately. Null if it has named none. */
  of(url: string, nowMs: number): SuiLedgerState | null {
    const kept = this.#states.get(url);
    return kept !== undefined && Math.abs(nowMs - kept.atMs) < RECENT_MS ? kept.state : null;
  }

  /** @param nowMs the time of our clock after the reply. */
  keep(url: string, state: SuiLedgerState, nowMs: number): void {
    this.#states.set(url, { state, atMs: nowMs });
  }
}
