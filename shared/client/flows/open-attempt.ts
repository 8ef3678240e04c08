import type { Result } from "../../result.ts";
import type { Attempt, AttemptStore } from "./attempts.ts";
import { parse, type Reply } from "./calls.ts";
import { ABORTED, endsAttempt, type FlowError, failed, messageOf, wait } from "./errors.ts";
import { KEPT_MS, MAX_RESULT_CHARACTERS, OPEN_WAIT_MS, TRY_MS } from "./limits.ts";
import type { Request } from "./plan.ts";
import { inTime, type Ports, unlessAborted } from "./ports.ts";
import type { FlowResult, FlowState, FlowStep } from "./states.ts";

/** The surroundings of a run. */
export interface RunContext<Executed> {
  readonly ports: Pick<Ports, "nowMs" | "newKey">;
  readonly store: AttemptStore;
  readonly signal: AbortSignal;
  /** The wallet's time to answer, ms. */
  readonly walletMs: number;
  /** Returns true if an ended attempt was still open at the time of the call. Its result then belongs to this call. */
  readonly isOwn: (ended: Attempt) => boolean;
  readonly onState: (state: FlowState<Executed>) => void;
}

/** One attempt in the storage, and the states that the user sees. */
export interface OpenAttempt<Executed> {
  /** The kept attempt. Null if none is kept, or if it has ended. */
  readonly open: Attempt | null;
  /** The end of the kept attempt, if it belongs to this call. */
  readonly end: FlowResult<Executed> | null;
  /** True if an earlier call has sent the open attempt. */
  readonly isRepeat: boolean;
  /** Builds the request, until the signal aborts. */
  build(): Promise<Result<string, FlowError>>;
  begin(asked: string): Attempt;
  put(attempt: Attempt): Attempt;
  /** Drops the attempt if it is not signed. Another tab, or an earlier call, may have signed it. */
  drop(): void;
  /** Returns true if another tab has signed the same attempt. */
  isSigned(attempt: Attempt): boolean;
  at(step: FlowStep): void;
  /** Refuses a transaction. If the attempt was sent, its record is damaged, and stays for a day. */
  refuse(difference: string): Result<never, FlowError>;
  /**
   * Executes the attempt. It ends with a result, or if the service refuses it for good and the chain can never execute
   * it. Otherwise it stays open.
   *
   * @param isOver returns true if the chain can never execute it any more.
   */
  execute(
    attempt: Attempt,
    call: () => Promise<Reply<Executed>>,
    isOver: () => Promise<boolean>,
  ): Promise<FlowResult<Executed>>;
}

/** Finds the attempt of an earlier call. */
export function openAttempt<Executed>(
  request: Request<Executed>,
  { store, ports, signal, isOwn, onState }: RunContext<Executed>,
): OpenAttempt<Executed> {
  const { id } = request;
  const known = store.get(id);
  const isOld = known !== null && ports.nowMs() - known.atMs >= KEPT_MS;
  const isRepeat = known?.isLost === true;
  let isDurable = true;

  function put(attempt: Attempt): Attempt {
    isDurable = store.put(id, attempt);
    return attempt;
  }

  function at(step: FlowStep): void {
    onState({ step, isDurable, isRepeat });
  }

  function drop(): void {
    if (store.get(id)?.signature === undefined) store.remove(id);
  }

  function found(): Pick<OpenAttempt<Executed>, "open" | "end"> {
    if (known?.result !== undefined) {
      const value = (request.isNamed && !isOld) || isOwn(known) ? request.readExecuted(parse(known.result)) : null;
      return { open: null, end: value && { ok: true, value: { ...value, isRepeat: true } } };
    }
    // The chain executes signed bytes once, for any number of sends at any time.
    if (!isOld || (isRepeat && known.signature !== undefined)) return { open: known, end: null };
    // The service has forgotten the key. A repeat could execute a second time.
    if (isRepeat) store.remove(id);
    return { open: null, end: isRepeat ? FORGOTTEN : null };
  }

  return {
    ...found(),
    isRepeat,
    async build() {
      at("building");
      try {
        return await unlessAborted(
          signal,
          request.build().then((value) => ({ ok: true, value }) as const),
          () => ABORTED,
        );
      } catch (error) {
        return failed("not_buildable", messageOf(error));
      }
    },
    begin(asked) {
      store.sweep(id, ports.nowMs());
      return put({ key: ports.newKey(), asked, atMs: ports.nowMs() });
    },
    put,
    drop,
    isSigned({ key }) {
      const kept = store.get(id);
      return kept?.key === key && kept.signature !== undefined;
    },
    at,
    refuse(difference) {
      if (!isRepeat) drop();
      else if (isOld) store.remove(id);
      return failed("not_what_was_asked", difference, { mayHaveExecuted: isRepeat, isOpen: isRepeat && !isOld });
    },
    async execute(attempt, call, isOver) {
      at("executing");
      // The attempt counts as lost before the call is sent, because the page may end at any time.
      put({ ...attempt, isLost: true });
      const reply = await call();
      if (reply.ok) {
        const whole = JSON.stringify(reply.value);
        const result = whole.length <= MAX_RESULT_CHARACTERS ? whole : JSON.stringify(request.shorten(reply.value));
        put({ key: attempt.key, asked: "", atMs: ports.nowMs(), result });
        return { ok: true, value: { ...reply.value, isRepeat } };
      }
      const { error } = reply;
      const isSigned = attempt.signature !== undefined;
      const isLost = isRepeat || error.mayHaveExecuted;
      const isRefused = endsAttempt(error, isLost && !(isSigned && isOld));
      const isEnd = isRefused && (await inTime(TRY_MS, signal, isOver(), () => false).catch(() => false));
      // Only the service can know that it has not executed a signed and sent transaction.
      const mayHaveExecuted = isSigned || (isLost && !isEnd);
      const isOpen = mayHaveExecuted && !isEnd;
      if (isEnd) store.remove(id);
      else put({ ...attempt, isLost: mayHaveExecuted });
      const action = isOpen && endsAttempt(error, false) ? wait(OPEN_WAIT_MS) : error.action;
      return { ok: false, error: { ...error, mayHaveExecuted, isOpen, action } };
    },
  };
}

const FORGOTTEN = failed("outcome_unknown", "no outcome in a day", {
  mayHaveExecuted: true,
  action: { kind: "contact" },
});
