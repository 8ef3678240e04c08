/** An endpoint that just failed is asked last for this long: several times as long as one that hangs is waited for. */
const FAILED_FOR_MS = 60_000;
/** An endpoint is asked again for its chain after this long: what a name points at may change. */
const VERIFIED_FOR_MS = 60_000;

/**
 * What is known of endpoints, in the memory of one isolate. Losing it costs an attempt or a question more, never a wrong
 * answer. Urls are those of the configuration, so there are few.
 */
export interface EndpointHealth {
  /** The same endpoints, in their order, but those that just failed last. */
  ordered(network: string, urls: readonly string[]): readonly string[];
  noteFailed(network: string, url: string): void;
  /** That the endpoint is a node of this network. */
  noteVerified(network: string, url: string): void;
  isVerified(network: string, url: string): boolean;
}

export function createEndpointHealth(nowMs: () => number): EndpointHealth {
  const failedAtMs = new Map<string, number>();
  const verifiedAtMs = new Map<string, number>();
  const within = (times: Map<string, number>, key: string, forMs: number) => {
    const atMs = times.get(key);
    return atMs !== undefined && nowMs() - atMs < forMs;
  };
  const keyOf = (network: string, url: string) => `${network} ${url}`;
  return {
    ordered: (network, urls) => {
      const failed = new Set(urls.filter((url) => within(failedAtMs, keyOf(network, url), FAILED_FOR_MS)));
      return [...urls.filter((url) => !failed.has(url)), ...failed];
    },
    noteFailed: (network, url) => {
      failedAtMs.set(keyOf(network, url), nowMs());
      verifiedAtMs.delete(keyOf(network, url));
    },
    noteVerified: (network, url) => {
      verifiedAtMs.set(keyOf(network, url), nowMs());
      failedAtMs.delete(keyOf(network, url));
    },
    isVerified: (network, url) => within(verifiedAtMs, keyOf(network, url), VERIFIED_FOR_MS),
  };
}
