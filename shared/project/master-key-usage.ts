import type { MasterKeys } from "../crypto/master-keys.ts";

/** Counts of the sealed objects under one master key version. */
export interface MasterKeyUsage {
  /** 0 if it is unknown, because the object is older than this record. */
  readonly masterKeyVersion: number;
  readonly objects: number;
  /** The number of these objects whose re-seal has failed. */
  readonly failing: number;
}

/** The progress of a re-seal under the current master key, as counts of sealed objects. */
export interface MasterKeyProgress {
  readonly current: number;
  /** Sealed objects that still need an older version. At 0, the older versions can be deleted. */
  readonly remaining: number;
  /** The number of these that failed at their last re-seal. */
  readonly failing: number;
  /** Sealed objects under a newer version than any configured one. They do not open until it is back. */
  readonly unopenable: number;
}

/** Sums the counts. @param uses counts of all projects, in any order, with repeated versions. */
export function masterKeyProgress(
  uses: readonly MasterKeyUsage[],
  { current }: Pick<MasterKeys, "current">,
): MasterKeyProgress {
  const sum = (rows: readonly MasterKeyUsage[], pick: (use: MasterKeyUsage) => number) =>
    rows.reduce((total, use) => total + pick(use), 0);
  const older = uses.filter(({ masterKeyVersion }) => masterKeyVersion < current);
  const newer = uses.filter(({ masterKeyVersion }) => masterKeyVersion > current);
  return {
    current,
    remaining: sum(older, ({ objects }) => objects),
    failing: sum(older, ({ failing }) => failing),
    unopenable: sum(newer, ({ objects }) => objects),
  };
}

const FIRST_RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 3_600_000;

/** Returns the milliseconds until the next re-seal of an object. @param failures in a row, at least 1. */
export function resealRetryMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LONGEST_RETRY_MS);
}
