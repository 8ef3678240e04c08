import type { Sql } from "../sql.ts";
import type { ChainState, Checkpoint, EpochInfo } from "./chain-state.ts";
import { withClock } from "./clock-object.ts";
import { storeAsOf } from "./history.ts";
import type { CommittedTransaction, Ledger } from "./ledger.ts";
import type { ObjectStore } from "./store.ts";

/** What a node shows at a moment: the chain up to its latest checkpoint. */
export interface ChainView {
  readonly checkpoint: Checkpoint;
  readonly epoch: EpochInfo;
  readonly store: ObjectStore;
  findTransaction(digest: string): CommittedTransaction | undefined;
  /** Those of complete checkpoints, in their order: enough for tests, not for load. */
  transactions(): readonly CommittedTransaction[];
}

/** The chain as a node shows it that is this far behind; nothing younger than the lag is in it. */
export function viewChain(
  sql: Sql,
  { store, state, ledger }: { store: ObjectStore; state: ChainState; ledger: Ledger },
  lagMs: number,
): ChainView {
  if (lagMs === 0) {
    const checkpoint = state.currentCheckpoint();
    const transactions = () =>
      ledger.all().filter(({ executed }) => (executed.checkpoint ?? 0n) < checkpoint.sequenceNumber);
    return { checkpoint, epoch: state.epoch(), store, findTransaction: ledger.find, transactions };
  }
  const checkpoint = state.checkpointBefore(lagMs);
  return {
    checkpoint,
    epoch: state.epochAtCheckpoint(checkpoint.sequenceNumber),
    store: withClock(storeAsOf(sql, store, checkpoint.sequenceNumber), () => checkpoint),
    transactions: () => ledger.all().filter(({ executed }) => (executed.checkpoint ?? 0n) <= checkpoint.sequenceNumber),
    findTransaction(digest) {
      const found = ledger.find(digest);
      const committedIn = found?.executed.checkpoint ?? 0n;
      return committedIn <= checkpoint.sequenceNumber ? found : undefined;
    },
  };
}
