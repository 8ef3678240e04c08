const TIME_DIGITS = 12;
const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Makes the id of a request: a UUID of version 7 (RFC 9562), which begins with the time. So an id that a user reports
 * leads to the rows of its time, and no index has to hold it.
 */
export function newRequestId(nowMs: number): string {
  const time = Math.trunc(nowMs).toString(16).padStart(TIME_DIGITS, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** Returns the time at which an id was made. Null for an id of another form. */
export function timeOfRequestId(id: string): number | null {
  const [, high, low] = UUID_7.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
