/** The end of the year 9999, because the years of ISO 8601 have four digits. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1;
/** Far more than any chain's height. `varints.ts` writes such numbers and their differences exactly. */
const MAX_CHECKPOINT = 2 ** 50;
/** The chain numbers commands with 16 bits. */
const MAX_COMMAND = 0xffff;

function wholeUpTo(value: number | null, max: number): number | null {
  return value !== null && Number.isInteger(value) && value >= 0 && value <= max ? value : null;
}

/** Returns a chain's time, in Unix milliseconds. Null if it has no form in ISO 8601. */
export function boundedTimeMs(value: number | null): number | null {
  return wholeUpTo(value, MAX_TIME_MS);
}

/** Returns a checkpoint as a number. Null if it is absurd. */
export function boundedCheckpoint(value: bigint | number | null): number | null {
  return wholeUpTo(value === null ? null : Number(value), MAX_CHECKPOINT);
}

/** Returns the index of a command. Null if no transaction has so many. */
export function boundedCommand(value: number | null): number | null {
  return wholeUpTo(value, MAX_COMMAND);
}

/** Returns the number of a row of this fund. Null if the value cannot be one. */
export function boundedEntry(value: number | null): number | null {
  return wholeUpTo(value, Number.MAX_SAFE_INTEGER);
}
