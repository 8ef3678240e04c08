import type { Deps } from "../../bindings/deps.ts";
import type { AdmitAndCall } from "../../bindings/fund-calls.ts";
import type { Outcome, Refusal } from "../../errors.ts";
import type { Page } from "../../paging.ts";
import type { AptosInitializationInput } from "../aptos/engine/initialize.ts";
import type { AptosScreenInput } from "../aptos/engine/reserve.ts";
import type { EngineLoader } from "../engine-loader.ts";
import type { ExecuteInput } from "../sui/engine/execution.ts";
import type { SponsorInput } from "../sui/engine/sponsor-input.ts";
import { askedExecution, askedInitialization, askedOnAptos, askedSponsoring, askedUnadmitted } from "./asked-call.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { RefusedCall } from "./refused-call.ts";
import type { RefusalCount, RefusalCountQuery, RefusalQuery } from "./sqlite-refused-calls.ts";
import type { FundStory, StoryQuery } from "./story.ts";
import { tellStory } from "./tell.ts";

/** Keeps the refusals of a fund's gas calls. Each method returns the outcome that it receives. */
export class FundRefusals {
  readonly #engine: EngineLoader;
  readonly #log: RefusalLog;

  constructor(sql: SqlStorage, { clock, log }: Pick<Deps, "clock" | "log">, engine: EngineLoader) {
    this.#engine = engine;
    this.#log = new RefusalLog(sql, {
      nowMs: () => clock.nowMs(),
      commit: (transition) => engine.load()?.core.commitIfTaken(transition),
      logFailure: (error) => log("fund.refusals_failed", { error: String(error) }),
    });
  }

  sponsoring<T>(method: string, input: SponsorInput, outcome: Outcome<T>): Outcome<T> {
    return this.#log.note(outcome, (reason) => askedSponsoring(method, input, reason));
  }

  execution<T>(input: ExecuteInput, outcome: Outcome<T>): Outcome<T> {
    const rowOf = () => this.#engine.requireSui().core.store.sponsorship(input.digest);
    return this.#log.note(outcome, () => askedExecution(input, rowOf()));
  }

  onAptos<T>(method: string, input: AptosScreenInput, outcome: Outcome<T>): Outcome<T> {
    return this.#log.note(outcome, (reason) => askedOnAptos(method, input, reason));
  }

  initialization<T>(input: AptosInitializationInput, outcome: Outcome<T>): Outcome<T> {
    return this.#log.note(outcome, () => askedInitialization(input));
  }

  /** Keeps the refusal of a call that was not admitted. */
  unadmitted({ call, keyId, requestId }: AdmitAndCall, refusal: Refusal): void {
    this.#log.refused(() => askedUnadmitted(call, { keyId, ...(requestId !== undefined && { requestId }) }), refusal);
  }

  /** Lists refused calls. Null if the fund was never created. */
  list(query: RefusalQuery): Page<RefusedCall> | null {
    return this.#engine.load() === null ? null : this.#log.list(query);
  }

  /** Collects everything that the fund knows about a question. Null if the fund was never created. */
  async tell(query: StoryQuery): Promise<FundStory | null> {
    const engine = this.#engine.load();
    return engine && tellStory(engine, this.#log, query);
  }

  /** Lists counters. Null if the fund was never created. */
  counts(query: RefusalCountQuery): Page<RefusalCount> | null {
    return this.#engine.load() === null ? null : this.#log.counts(query);
  }
}
