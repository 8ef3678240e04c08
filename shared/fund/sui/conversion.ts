// Sui only: money in an address balance or in coins pays for nothing in the other mode.

import type { Conversions, SuiFundStore } from "./store.ts";

/** The record of a fund without failed conversions. */
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

/** Failed conversions in a row before their cause is reported. */
export const FAILED_BEFORE_TOLD = 3;
/** A node may give another reason each time. It must not cause that many events. */
const TOLD_AT_MOST_EVERY_MS = 3_600_000;
/** The longest cause that is kept. A cause may be a node's own words. */
const MAX_CAUSE_CHARACTERS = 500;

/**
 * Records a failed conversion. From the third failure in a row on, reports its cause. Each cause is reported once, and
 * at most one an hour.
 *
 * @param unconvertedMist the amount that waits to be converted.
 * @returns the cause if it was reported now. Null if it was not.
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
  // Holds too if the clock was ahead at the last report.
  return toldAtMs === null || Math.abs(nowMs - toldAtMs) >= TOLD_AT_MOST_EVERY_MS;
}

/** Records an executed conversion, which ends a row of failures. */
export function conversionSucceeded(store: SuiFundStore): void {
  const { failures, toldAtMs } = store.conversions();
  if (failures > 0) store.putConversions({ ...NO_CONVERSIONS, toldAtMs });
}
