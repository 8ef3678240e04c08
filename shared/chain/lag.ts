/** Healthy endpoints are behind by seconds; an epoch's first checkpoint takes a moment. */
const MAX_LAG_MS = 60_000;

/** True if an endpoint's newest state is so old that an endpoint with newer state is to be believed instead. */
export function lags(timestampMs: number, nowMs: number): boolean {
  return timestampMs < nowMs - MAX_LAG_MS;
}
