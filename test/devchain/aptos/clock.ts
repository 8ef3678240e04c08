/** Modelled: a live network makes several blocks a second. */
const BLOCK_INTERVAL_MS = 100;
/** Modelled; an epoch of mainnet lasts as long. */
const EPOCH_BLOCKS = (2 * 60 * 60 * 1_000) / BLOCK_INTERVAL_MS;

/** The ledger at the end of a block, which is what a node shows at a moment. */
export interface LedgerView {
  readonly height: number;
  /** Of the last transaction in that block. */
  readonly version: number;
  readonly timestampUs: bigint;
  readonly epoch: number;
}

export interface BlockClock {
  /** The last block that is complete. */
  currentHeight(): number;
  /** The last block that was complete so long ago. */
  heightBefore(ageMs: number): number;
  /** When a block is complete, which is its timestamp. */
  timeMs(height: number): number;
}

/**
 * Blocks come by the clock, with transactions in them or not. `lowest` is a height that was reached already: neither
 * height nor time ever goes back, and where this machine's clock is behind them they go on from where they were.
 */
export function createBlockClock(genesisMs: number, nowMs: () => number, lowest: number): BlockClock {
  const timeMs = (height: number) => genesisMs + height * BLOCK_INTERVAL_MS;
  const heightAt = (ms: number) => Math.max(0, Math.floor((ms - genesisMs) / BLOCK_INTERVAL_MS));
  const aheadMs = Math.max(0, timeMs(lowest) - nowMs());
  let reached = lowest;

  function currentHeight(): number {
    reached = Math.max(reached, heightAt(nowMs() + aheadMs));
    return reached;
  }

  return {
    currentHeight,
    heightBefore: (ageMs) => Math.min(currentHeight(), heightAt(nowMs() + aheadMs - ageMs)),
    timeMs,
  };
}

export function epochOf(height: number): number {
  return 1 + Math.floor(height / EPOCH_BLOCKS);
}
