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
}

/** The chain as a node shows it that is this far behind; nothing younger than the lag is in it. */
export function viewChain(
  sql: Sql,
  { store, state, ledger }: { store: ObjectStore; state: ChainState; ledger: Ledger },
  lagMs: number,
): ChainView {
  if (lagMs === 0) {
    return { checkpoint: state.currentCheckpoint(), epoch: state.epoch(), store, findTransaction: ledger.find };
  }
  const checkpoint = state.checkpointBefore(lagMs);
  return {
    checkpoint,
    epoch: state.epochAtCheckpoint(checkpoint.sequenceNumber),
    store: withClock(storeAsOf(sql, store, checkpoint.sequenceNumber), () => checkpoint),
    findTransaction(digest) {
      const found = ledger.find(digest);
      const committedIn = found?.executed.checkpoint ?? 0n;
      return committedIn <= checkpoint.sequenceNumber ? found : undefined;
    },
  };
}
