/** The interval of scans while the fund is in use. */
export const SHORTEST_SCAN_MS = 15_000;
/** An idle fund finds a deposit within this time. It calls its nodes fewer than a thousand times a day. */
export const LONGEST_SCAN_MS = 300_000;
/**
 * The next scan is due after a quarter of the time since the last demand. It reaches the longest interval in 20 min.
 */
const SHARE = 4;

/**
 * Computes the time until the next look for deposits, ms.
 *
 * @param sinceDemandMs the time since a call last used or viewed the fund. Infinite if no call is known.
 */
export function scanIntervalMs(sinceDemandMs: number): number {
  return Math.floor(Math.min(Math.max(sinceDemandMs / SHARE, SHORTEST_SCAN_MS), LONGEST_SCAN_MS));
}
