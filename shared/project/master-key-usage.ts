import type { VersionedSecrets } from "../config/secrets.ts";

/** How many sealed things there are under one master key version. */
export interface MasterKeyUsage {
  /** 0: of a time before this was written down. */
  readonly masterKeyVersion: number;
  readonly objects: number;
  /** Of these, how many the re-seal job has tried in vain. */
  readonly failing: number;
}

export interface MasterKeyProgress {
  readonly current: number;
  /** Sealed things that still need an older version. At 0, the older versions can go. */
  readonly remaining: number;
  /** Of these, how many could not be re-sealed when they were last tried. */
  readonly failing: number;
  /** Sealed things that need a newer version than any that is configured: they do not open until it is back. */
  readonly unopenable: number;
}

/** @param uses of all projects, in any order, versions repeated. */
export function masterKeyProgress(uses: readonly MasterKeyUsage[], { current }: VersionedSecrets): MasterKeyProgress {
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

/** How long to leave something alone that could not be re-sealed so many times in a row. */
export function resealRetryMs(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), LONGEST_RETRY_MS);
}
