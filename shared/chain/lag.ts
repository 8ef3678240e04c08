/** Healthy endpoints are behind by seconds; an epoch's first checkpoint takes a moment. */
const MAX_LAG_MS = 60_000;

/** Whether what an endpoint shows last is so old that one which shows more is to be believed in its place. */
export function lags(timestampMs: number, nowMs: number): boolean {
  return timestampMs < nowMs - MAX_LAG_MS;
}
