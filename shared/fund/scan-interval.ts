export const SHORTEST_SCAN_MS = 15_000;
/** An idle fund finds a deposit within this time, and asks its nodes less than a thousand times a day. */
export const LONGEST_SCAN_MS = 300_000;
/** What share of the time since the last demand passes until the next scan: the longest interval is reached in 20 min. */
const SHARE = 4;

/**
 * Decides how long a fund waits before it looks for deposits again.
 *
 * @param sinceDemandMs since anybody last used the fund or looked at it; infinite: nobody has, as far as is known.
 */
export function scanIntervalMs(sinceDemandMs: number): number {
  return Math.floor(Math.min(Math.max(sinceDemandMs / SHARE, SHORTEST_SCAN_MS), LONGEST_SCAN_MS));
}
