import type { Result } from "../../result.ts";
import type { Attempt, AttemptStore } from "./attempts.ts";
import { parse, type Reply } from "./calls.ts";
import { endsAttempt, type FlowError, failed, messageOf } from "./errors.ts";
import { KEPT_MS, MAX_RESULT_CHARACTERS } from "./limits.ts";
import type { Request } from "./plan.ts";
import type { Ports } from "./ports.ts";
import type { FlowState, FlowStep } from "./states.ts";

/** The surroundings of a run. */
export interface RunContext<Executed> {
  readonly ports: Pick<Ports, "nowMs" | "newKey">;
  readonly store: AttemptStore;
  readonly signal: AbortSignal;
  /** Returns true if an ended attempt was still open at the time of the call: its result is this call's own. */
  readonly isOwn: (ended: Attempt) => boolean;
  readonly onState: (state: FlowState<Executed>) => void;
}

/** One attempt in the storage, and the states that the user sees. */
export class OpenAttempt<Executed> {
  readonly #request: Request<Executed>;
  readonly #context: RunContext<Executed>;
  #isDurable = true;

  constructor(request: Request<Executed>, context: RunContext<Executed>) {
    this.#request = request;
    this.#context = context;
  }

  /** Returns the kept attempt if it is open, or its end if that is this call's own. */
  find(): { readonly open: Attempt | null; readonly end: Result<Executed, FlowError> | null } {
    const { store, ports, isOwn } = this.#context;
    const known = store.get(this.#request.id);
    if (known === null) return { open: null, end: null };
    const isOld = ports.nowMs() - known.atMs >= KEPT_MS;
    if (known.result !== undefined) {
      const value =
        (this.#request.isNamed && !isOld) || isOwn(known) ? this.#request.readExecuted(parse(known.result)) : null;
      return { open: null, end: value === null ? null : { ok: true, value } };
    }
    if (!isOld) return { open: known, end: null };
    // The service has forgotten the key. A repeat could execute a second time.
    if (known.isLost === true) store.remove(this.#request.id);
    return { open: null, end: known.isLost === true ? FORGOTTEN : null };
  }

  /** Builds the request. */
  async build(): Promise<Result<string, FlowError>> {
    this.at("building");
    try {
      return { ok: true, value: await this.#request.build() };
    } catch (error) {
      return failed("not_buildable", messageOf(error));
    }
  }

  begin(asked: string): Attempt {
    const { ports, store } = this.#context;
    store.sweep(this.#request.id, ports.nowMs());
    return this.put({ key: ports.newKey(), asked, atMs: ports.nowMs() });
  }

  put(attempt: Attempt): Attempt {
    this.#isDurable = this.#context.store.put(this.#request.id, attempt);
    return attempt;
  }

  /** Drops the attempt if nobody has signed it. Another tab, or an earlier call, may have. */
  drop(): void {
    const { store } = this.#context;
    if (store.get(this.#request.id)?.signature === undefined) store.remove(this.#request.id);
  }

  /** Returns true if another tab has signed the same attempt. */
  isSigned({ key }: Attempt): boolean {
    const kept = this.#context.store.get(this.#request.id);
    return kept?.key === key && kept.signature !== undefined;
  }

  at(step: FlowStep): void {
    this.#context.onState({ step, isDurable: this.#isDurable });
  }

  /**
   * Ends the attempt if the reply is about its end, and leaves it open otherwise.
   *
   * @param wasLost an earlier call may have executed it.
   */
  settle(attempt: Attempt, reply: Reply<Executed>, wasLost: boolean) {
    const { store, ports } = this.#context;
    if (reply.ok) {
      this.put({ key: attempt.key, asked: "", atMs: ports.nowMs(), result: this.#kept(reply.value) });
      return reply;
    }
    const { error } = reply;
    const isLost = wasLost || error.mayHaveExecuted;
    const isEnd = endsAttempt(error, isLost);
    // Only the service says that it has not executed what the user has signed and the client has sent.
    const mayHaveExecuted = attempt.signature !== undefined || (isLost && !isEnd);
    if (isEnd) store.remove(this.#request.id);
    else this.put({ ...attempt, isLost: mayHaveExecuted });
    return { ok: false, error: { ...error, mayHaveExecuted } } as const;
  }

  #kept(result: Executed): string {
    const whole = JSON.stringify(result);
    return whole.length <= MAX_RESULT_CHARACTERS ? whole : JSON.stringify(this.#request.shorten(result));
  }
}

const FORGOTTEN = failed("outcome_unknown", "no outcome in a day", {
  mayHaveExecuted: true,
  action: { kind: "contact" },
});
