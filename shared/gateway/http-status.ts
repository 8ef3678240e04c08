/**
 * What an upstream's status says of the endpoint instead of the request: redirects, which nobody follows; what is about
 * our own access to it or what we owe for it, and would read as if the caller's key were bad; too much load; and its own
 * failures.
 */
const OF_THE_ENDPOINT = new Set([401, 402, 403, 407, 408, 429]);

export function isEndpointFailure(status: number): boolean {
  return (status >= 300 && status < 400) || status >= 500 || OF_THE_ENDPOINT.has(status);
}

/** Statuses with which what stands before a node turns a request away without handing it on. */
const TURNED_AWAY = new Set([401, 402, 403, 407, 429]);

export function isRejectedUnprocessed(status: number): boolean {
  return TURNED_AWAY.has(status);
}
