const SECOND_MS = 1_000;
/** How long after its signature a live digest is looked up; from the last of these on, every `LATER_GAP_MS`. */
const SCHEDULE_MS = [2, 5, 15, 60, 300].map((seconds) => seconds * SECOND_MS);
const LATER_GAP_MS = 300_000;
/** An endpoint's newest checkpoint is a moment old, so only a look-up a little after the expiry can prove it. */
const EXPIRY_SLACK_MS = 2_000;
/** The endpoint lags more than that. */
const OVERDUE_GAP_MS = 15_000;

/** The next time at which to ask the chain for a signed digest that it has not shown yet. */
export function nextLookUpAtMs(signedAtMs: number, expiresAtMs: number, nowMs: number): number {
  const ageMs = nowMs - signedAtMs;
  const stepMs = SCHEDULE_MS.find((offsetMs) => offsetMs > ageMs);
  const scheduledMs = stepMs === undefined ? nowMs + LATER_GAP_MS : signedAtMs + stepMs;
  const expiryMs = expiresAtMs + EXPIRY_SLACK_MS;
  return Math.min(scheduledMs, nowMs < expiryMs ? expiryMs : nowMs + OVERDUE_GAP_MS);
}
