/** Healthy endpoints lag by seconds, because an epoch's first checkpoint takes a moment. */
const MAX_LAG_MS = 60_000;

/** Returns true if an endpoint's newest state is so old that an endpoint with newer state is believed instead. */
export function lags(timestampMs: number, nowMs: number): boolean {
  return timestampMs < nowMs - MAX_LAG_MS;
}
