export type Consensus = ReturnType<typeof createConsensus>;

/**
 * Where admitted transactions wait for their turn. Usually there is no wait; while it is held they queue up, each
 * admitted against the same state, and on release they are executed in the order in which they came.
 */
export function createConsensus() {
  let queue: (() => void)[] | undefined;

  return {
    isHeld: () => queue !== undefined,

    /** How many transactions are waiting. */
    waiting: () => queue?.length ?? 0,

    hold(): void {
      queue ??= [];
    },

    release(): void {
      const waiting = queue ?? [];
      queue = undefined;
      for (const proceed of waiting) proceed();
    },

    /** Resolves when it is the caller's turn. */
    turn(): Promise<void> {
      return new Promise((proceed) => {
        if (queue === undefined) proceed();
        else queue.push(proceed);
      });
    },
  };
}
