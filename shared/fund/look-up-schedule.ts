const SECOND_MS = 1_000;
/** The gap between two times at which look-ups are due. One alarm then serves all rows of a second. */
export const GRID_MS = SECOND_MS;
/**
 * A live digest is looked up at these ages since its signature, rounded up to the grid. After the last age it is looked
 * up every `LATER_GAP_MS`.
 */
const SCHEDULE_MS = [2, 5, 15, 60, 300].map((seconds) => seconds * SECOND_MS);
const LATER_GAP_MS = 300_000;
/** An endpoint's newest checkpoint is a moment old. So only a look-up shortly after the expiry can prove it. */
const EXPIRY_SLACK_MS = 2_000;
/** The gap between look-ups after the expiry, when the endpoint lags by more than `EXPIRY_SLACK_MS`. */
const OVERDUE_GAP_MS = 15_000;
/**
 * The time for which look-ups of a Sui sponsorship that prove nothing continue after its last epoch. Then it is closed
 * without one.
 */
export const UNRESOLVED_AFTER_MS = 3_600_000;

/** Rounds a time up to the grid. */
export function onGridMs(atMs: number): number {
  return Math.ceil(atMs / GRID_MS) * GRID_MS;
}

/** Returns the next time to look up a signed digest that the chain has not shown yet. It lies on the grid. */
export function nextLookUpAtMs(signedAtMs: number, expiresAtMs: number, nowMs: number): number {
  const ageMs = nowMs - signedAtMs;
  const stepMs = SCHEDULE_MS.find((offsetMs) => offsetMs > ageMs);
  const scheduledMs = stepMs === undefined ? nowMs + LATER_GAP_MS : signedAtMs + stepMs;
  const expiryMs = expiresAtMs + EXPIRY_SLACK_MS;
  return onGridMs(Math.min(scheduledMs, nowMs < expiryMs ? expiryMs : nowMs + OVERDUE_GAP_MS));
}
