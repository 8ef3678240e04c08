/** An endpoint that just failed comes last for this long. That is several times the wait for a hanging endpoint. */
const FAILED_FOR_MS = 60_000;
/** The time after which an endpoint is queried again for its chain, because its host name may point to another node. */
const VERIFIED_FOR_MS = 60_000;

/**
 * The known state of endpoints, in the memory of one isolate. Its loss costs one more attempt or question, never a
 * wrong answer. The URLs come from the configuration, so there are few.
 */
export interface EndpointHealth {
  /** Returns the same endpoints in their order, but moves those that just failed to the end. */
  ordered(network: string, urls: readonly string[]): readonly string[];
  noteFailed(network: string, url: string): void;
  /** Records that the endpoint is a node of this network. */
  noteVerified(network: string, url: string): void;
  isVerified(network: string, url: string): boolean;
}

/** Creates the record of one isolate's endpoints, with none known yet. */
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
