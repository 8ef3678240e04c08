import { done, type Outcome, refuse } from "../errors.ts";

const EXPORT_INTERVAL_MS = 60_000;

/**
 * Whether a wallet may be exported now.
 *
 * @param nextExportAtMs as decided at its last export; null: never exported, or long ago.
 * @returns when it may be exported again after this time; `rate_limited` too soon after the last one.
 */
export function checkExportInterval(nextExportAtMs: number | null, nowMs: number): Outcome<number> {
  const retryAfterMs = (nextExportAtMs ?? 0) - nowMs;
  if (retryAfterMs > 0)
    return refuse("rate_limited", "a wallet is exported once a minute", { limit: "export", retryAfterMs });
  return done(nowMs + EXPORT_INTERVAL_MS);
}
