import { abortedAfter, ABORTED as STOPPED } from "./errors.ts";
import { type FlowLocks, unlessAborted } from "./ports.ts";
import type { FlowResult, FlowState, OnState } from "./states.ts";

/** Concurrent calls for one attempt share one run. So a double click is one transaction. */

interface Running<Executed> {
  readonly listeners: Set<OnState<Executed>>;
  readonly controller: AbortController;
  last: FlowState<Executed> | null;
  callers: number;
  readonly end: Promise<FlowResult<Executed>>;
}

/** The failure of a caller who leaves while another caller's run continues. */
const ABORTED = abortedAfter(true);

/** One caller of a run. */
export interface Caller<Executed> {
  readonly signal?: AbortSignal | undefined;
  readonly onState?: OnState<Executed> | undefined;
}

/** Runs an attempt. It reports each state, and stops when the signal aborts. */
export type Work<Executed> = (signal: AbortSignal, onState: OnState<Executed>) => Promise<FlowResult<Executed>>;

/** Makes a function that starts a run, or joins the run of the same attempt. */
export function joinedRuns<Executed>(locks: FlowLocks | null) {
  const runs = new Map<string, Running<Executed>>();
  return async (
    id: string,
    work: Work<Executed>,
    { signal, onState }: Caller<Executed>,
  ): Promise<FlowResult<Executed>> => {
    // A run whose last caller has left ends soon. It belongs to no caller any more.
    while (runs.get(id)?.controller.signal.aborted) await runs.get(id)?.end;
    const running = runs.get(id) ?? start(id, work);
    running.callers += 1;
    const listener: OnState<Executed> = (state) => {
      try {
        onState?.(state);
      } catch (error) {
        // A fault of the app's listener must not end the run.
        report(error);
      }
    };
    if (running.last !== null) listener(running.last);
    running.listeners.add(listener);
    const result = await unlessAborted(signal, running.end, () => {
      running.callers -= 1;
      // The run continues for the others. The last caller to leave ends it, and gets its end.
      if (running.callers === 0) running.controller.abort();
      return running.callers === 0 ? running.end : ABORTED;
    });
    running.listeners.delete(listener);
    listener(lastState(result));
    return result;
  };

  function start(id: string, work: Work<Executed>): Running<Executed> {
    const controller = new AbortController();
    const listeners = new Set<OnState<Executed>>();
    const onState: OnState<Executed> = (state) => {
      running.last = state;
      for (const listener of listeners) listener(state);
    };
    const end = alone(id, controller.signal, () => work(controller.signal, onState)).finally(() => runs.delete(id));
    const running: Running<Executed> = { listeners, controller, last: null, callers: 0, end };
    runs.set(id, running);
    return running;
  }

  /** Keeps other tabs waiting. A page that may not use locks continues without them. */
  async function alone(id: string, signal: AbortSignal, work: () => Promise<FlowResult<Executed>>) {
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      return work();
    };
    try {
      await null;
      return locks === null ? await begin() : await locks.request(`gasworks.flows.${id}`, { signal }, begin);
    } catch (error) {
      if (hasBegun) throw error;
      return signal.aborted ? STOPPED : work();
    }
  }
}

/** Reports an error as an uncaught one, if that does not end the runtime. */
function report(error: unknown): void {
  const { reportError } = globalThis as { readonly reportError?: (error: unknown) => void };
  reportError?.(error);
}

function lastState<Executed>(result: FlowResult<Executed>): FlowState<Executed> {
  if (result.ok) return { step: "done", result: result.value };
  return { step: result.error.mayHaveExecuted ? "unknown" : "refused", error: result.error };
}
