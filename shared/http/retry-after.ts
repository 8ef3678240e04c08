const MS_PER_SECOND = 1_000;
/** RFC 9110, 10.2.3: whole seconds, or a date, which begins with the name of a day. */
const SECONDS = /^[0-9]{1,9}$/;
const DATE = /^[A-Z][a-z]{2,8},? /;

/** Returns the wait of a `Retry-After` in milliseconds. 0 if its date has passed. Null if it cannot be read. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (SECONDS.test(text)) return Number(text) * MS_PER_SECOND;
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Returns `Retry-After` in whole seconds, never too early. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.ceil(retryAfterMs / MS_PER_SECOND));
}

/** Returns the header `Retry-After`; none if the time to wait is unknown. */
export function retryAfterHeader(retryAfterMs: number | undefined): Readonly<Record<string, string>> {
  return retryAfterMs === undefined ? {} : { "retry-after": retryAfterSeconds(retryAfterMs) };
}
