/** The facts of its chain that a fund keeps across restarts. */
export interface LastSeenChain {
  readonly chainIdentifier: string;
  readonly epoch: bigint;
  /** The time when that epoch was first seen, by our clock. */
  readonly seenAtMs: number;
}
