import { Deadline } from "../deadline.ts";
import { done, type Outcome } from "../errors.ts";
import type { FundCore } from "./core.ts";

/** The least time between two looks for deposits, over all callers. */
const INTERVAL_MS = 1_000;

/** A source of deposits that the fund can search. */
export interface DepositSource {
  look(address: string): Promise<Outcome<unknown>>;
  /** Returns the sum of all deposits that any look of this instance has found, atoms. */
  foundAtoms(): bigint;
}

interface Terms {
  /** Limits the caller's wait. If absent, the limit is the time of one call from now on. */
  readonly deadline?: Deadline;
  /** Converts found deposits into the form that pays. */
  readonly convert?: (() => Promise<unknown>) | undefined;
}

/** Looks for deposits before a caller is refused for a low balance. One look serves all callers that wait for it. */
export class Shortage {
  readonly #core: FundCore;
  readonly #deposits: DepositSource;
  #looking: Promise<Outcome<unknown>> | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(core: FundCore, deposits: DepositSource) {
    this.#core = core;
    this.#deposits = deposits;
  }

  /** Tries once. If the balance was too low and any look has found a deposit since, tries again. */
  async retry<T>(
    attempt: () => Promise<Outcome<T>>,
    { deadline = new Deadline(), convert }: Terms = {},
  ): Promise<Outcome<T>> {
    const foundBefore = this.#deposits.foundAtoms();
    const isNothingNew = () => this.#deposits.foundAtoms() === foundBefore;
    const tried = await attempt();
    const { address } = this.#core;
    if (tried.ok || tried.error.reason !== "balance_too_low" || address === null) return tried;
    if (isNothingNew()) await deadline.within(deadline.asking(() => this.#look(address)));
    if (isNothingNew()) return tried;
    if (convert !== undefined) await deadline.within(deadline.asking(convert).then(done));
    return attempt();
  }

  async #look(address: string): Promise<Outcome<unknown>> {
    const sinceMs = Math.abs(this.#core.nowMs() - this.#lookedAtMs);
    if (this.#looking === null && sinceMs < INTERVAL_MS) return done(null);
    this.#looking ??= this.#deposits
      .look(address)
      .catch((error: unknown) => {
        this.#core.deps.log("fund.shortage_failed", { fund: this.#core.record.fundId, error: String(error) });
        return done(null);
      })
      .finally(() => {
        this.#looking = null;
        this.#lookedAtMs = this.#core.nowMs();
      });
    return this.#looking;
  }
}
