/** What a fund remembers of its chain across restarts. */
export interface LastSeenChain {
  readonly chainIdentifier: string;
  readonly epoch: bigint;
  /** When that epoch was first seen, by our clock. */
  readonly seenAtMs: number;
}
