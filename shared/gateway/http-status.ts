/**
 * Statuses about the endpoint instead of the request. Some concern our own access to the endpoint, or our payment for
 * it: the caller would read them as a bad key. The others mean too much load. Redirects, which are not followed, and
 * the endpoint's own failures count too.
 */
const OF_THE_ENDPOINT = new Set([401, 402, 403, 407, 408, 429]);

/** Returns whether a status is about the endpoint instead of the request. */
export function isEndpointFailure(status: number): boolean {
  return (status >= 300 && status < 400) || status >= 500 || OF_THE_ENDPOINT.has(status);
}

/** Statuses with which a proxy in front of a node turns a request away without passing it on. */
const TURNED_AWAY = new Set([401, 402, 403, 407, 429]);

/** Returns whether a status shows that the node did not get the request. */
export function isRejectedUnprocessed(status: number): boolean {
  return TURNED_AWAY.has(status);
}
