const MS_PER_SECOND = 1_000;
/** RFC 9110, 10.2.3: whole seconds, or a date, which begins with the name of a day. */
const SECONDS = /^[0-9]{1,9}$/;
const DATE = /^[A-Z][a-z]{2,8},? /;

/** How long a `Retry-After` asks to wait, in milliseconds, 0 for a date that has passed; null where it says nothing. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (SECONDS.test(text)) return Number(text) * MS_PER_SECOND;
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
