import type { ObjectRef } from "./transaction.ts";

/** A transaction that has lost what it wanted to consume. */
export interface Lost {
  readonly ref: ObjectRef;
  /** The digest of the transaction that has it. */
  readonly winner: string;
}

interface Waiting {
  readonly digest: string;
  /** The versions of owned objects that it consumes. */
  readonly consumed: readonly ObjectRef[];
  /** Null: its turn has come. */
  readonly proceed: (lost: Lost | null) => void;
}

/** How long after the others of its commit a contested transaction is executed. Modelled. */
const ROUND_MS = 100;

export type Consensus = ReturnType<typeof createConsensus>;

/**
 * Where admitted transactions wait for their turn. Usually there is no wait; while it is held they queue up, each
 * admitted against the same state, and on release they are executed in the order in which they came.
 *
 * Of two in one commit that consume one version, the later is told at once that it has lost, and the other is executed a
 * round later (sui-core consensus_handler.rs, MystenLabs/sui#26886). Until then it has the version.
 */
export function createConsensus(pause: (ms: number) => Promise<void>) {
  let queue: Waiting[] | undefined;
  const deferred = new Map<string, string>();

  function lostOf({ digest, consumed }: Omit<Waiting, "proceed">, locks: ReadonlyMap<string, string>): Lost | null {
    for (const ref of consumed) {
      const winner = locks.get(keyOf(ref));
      if (winner !== undefined && winner !== digest) return { ref, winner };
    }
    return null;
  }

  async function executeLater(contested: readonly Waiting[]): Promise<void> {
    for (const { digest, consumed } of contested) for (const ref of consumed) deferred.set(keyOf(ref), digest);
    await pause(ROUND_MS);
    for (const { consumed, proceed } of contested) {
      for (const ref of consumed) deferred.delete(keyOf(ref));
      proceed(null);
    }
  }

  return {
    isHeld: () => queue !== undefined,

    /** How many transactions are waiting. */
    waiting: () => queue?.length ?? 0,

    hold(): void {
      queue ??= [];
    },

    release(): void {
      const commit = queue ?? [];
      queue = undefined;
      const locks = new Map(deferred);
      const verdicts = commit.map((one) => {
        const lost = lostOf(one, locks);
        if (lost === null) for (const ref of one.consumed) locks.set(keyOf(ref), one.digest);
        return { one, lost };
      });
      const contested = new Set(verdicts.flatMap(({ lost }) => lost?.winner ?? []));
      for (const { one, lost } of verdicts) if (lost !== null || !contested.has(one.digest)) one.proceed(lost);
      const winners = verdicts.filter(({ one, lost }) => lost === null && contested.has(one.digest));
      if (winners.length > 0) void executeLater(winners.map(({ one }) => one));
    },

    /** Resolves when it is the caller's turn, or when another transaction has what this one consumes. */
    turn(digest: string, consumed: readonly ObjectRef[]): Promise<Lost | null> {
      return new Promise((proceed) => {
        if (queue === undefined) proceed(lostOf({ digest, consumed }, deferred));
        else queue.push({ digest, consumed, proceed });
      });
    },
  };
}

function keyOf({ objectId, version }: ObjectRef): string {
  return `${objectId}@${version}`;
}
