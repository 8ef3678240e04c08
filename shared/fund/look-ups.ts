/** Between one look-up of a live digest and the next: 2, 5, 15, 60 and 300 s after its signature, then every 5 min. */
const GAPS_MS = [2_000, 3_000, 10_000, 45_000, 240_000] as const;
const LATER_GAP_MS = 300_000;
/** An endpoint's newest checkpoint is a moment old, so only a look-up a little after the expiry can prove it. */
const EXPIRY_SLACK_MS = 2_000;
/** The endpoint lags more than that. */
const OVERDUE_GAP_MS = 15_000;

/** The next time at which to ask the chain for a digest that `lookUps` answers have not shown. */
export function nextLookUpAtMs(lookUps: number, expiresAtMs: number, nowMs: number): number {
  const scheduledMs = nowMs + (GAPS_MS[lookUps] ?? LATER_GAP_MS);
  const expiryMs = expiresAtMs + EXPIRY_SLACK_MS;
  return Math.min(scheduledMs, nowMs < expiryMs ? expiryMs : nowMs + OVERDUE_GAP_MS);
}
