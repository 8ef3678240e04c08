// Sui only: money in an address balance or in coins pays for nothing in the other mode.

import type { Conversions, SuiFundStore } from "./store.ts";

export const NO_CONVERSIONS: Conversions = {
  failures: 0,
  failingSinceMs: null,
  cause: null,
  toldCause: null,
  toldAtMs: null,
};

/** Part of version 5 of a Sui fund's storage. */
export const CONVERSIONS_MIGRATION = `
  CREATE TABLE conversions (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    failures INTEGER NOT NULL,
    failing_since_ms INTEGER,
    cause TEXT,
    told_cause TEXT,
    told_at_ms INTEGER
  ) STRICT;
`;

/** Conversions that failed one after the other, until that is worth a word. */
export const FAILED_BEFORE_TOLD = 3;
/** A node may give another reason each time, and must not make that many events. */
const TOLD_AT_MOST_EVERY_MS = 3_600_000;
/** Of a cause, which may be a node's own words. */
const MAX_CAUSE_CHARACTERS = 500;

/**
 * Notes that a conversion failed. From the third one in a row on, its cause is told: each cause once, and at most one an
 * hour.
 *
 * @param unconvertedMist what waits to be converted.
 * @returns the cause as it was told; null: it was not.
 */
export function conversionFailed(
  store: SuiFundStore,
  reason: string,
  unconvertedMist: bigint,
  nowMs: number,
): string | null {
  const before = store.conversions();
  const cause = reason.slice(0, MAX_CAUSE_CHARACTERS);
  const failures = Math.min(before.failures + 1, FAILED_BEFORE_TOLD);
  const failing = { ...before, failures, failingSinceMs: before.failingSinceMs ?? nowMs, cause };
  const isTold = failures === FAILED_BEFORE_TOLD && cause !== before.toldCause && mayTell(before, nowMs);
  store.putConversions(isTold ? { ...failing, toldCause: cause, toldAtMs: nowMs } : failing);
  if (!isTold) return null;
  store.raise({ type: "fund.conversion_refused", unconvertedAtoms: unconvertedMist, cause });
  return cause;
}

function mayTell({ toldAtMs }: Conversions, nowMs: number): boolean {
  // Also where the clock was ahead when it was told.
  return toldAtMs === null || Math.abs(nowMs - toldAtMs) >= TOLD_AT_MOST_EVERY_MS;
}

/** Notes that a conversion was executed. */
export function conversionSucceeded(store: SuiFundStore): void {
  const { failures, toldAtMs } = store.conversions();
  if (failures > 0) store.putConversions({ ...NO_CONVERSIONS, toldAtMs });
}
