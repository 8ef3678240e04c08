/** When a live digest is looked up after its creation; afterwards every five minutes, and once at its expiry. */
const FIRST_LOOK_UPS_MS = [2_000, 5_000, 15_000, 60_000, 300_000] as const;
const LATER_LOOK_UPS_MS = 300_000;

/** The next time at which to ask the chain for a digest that `lookUps` answers have not shown. */
export function nextLookUpAtMs(createdAtMs: number, lookUps: number, expiresAtMs: number, nowMs: number): number {
  const after = FIRST_LOOK_UPS_MS[lookUps];
  const scheduledMs = after === undefined ? nowMs + LATER_LOOK_UPS_MS : Math.max(createdAtMs + after, nowMs);
  return nowMs < expiresAtMs ? Math.min(scheduledMs, expiresAtMs) : scheduledMs;
}
