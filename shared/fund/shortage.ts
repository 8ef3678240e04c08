import { Deadline } from "../deadline.ts";
import { done, type Outcome } from "../errors.ts";
import type { FundCore } from "./core.ts";

/** A shortage looks for deposits at most so often, whoever asks. */
const INTERVAL_MS = 1_000;

/** Where a fund finds what others have paid in. */
export interface DepositSource {
  look(address: string): Promise<Outcome<unknown>>;
  /** All that this instance has found so far, whoever looked. */
  foundAtoms(): bigint;
}

interface Terms {
  /** How long the caller waits; absent: as long as one call has from now on. */
  readonly deadline?: Deadline;
  /** Makes of what was found what pays. */
  readonly convert?: (() => Promise<unknown>) | undefined;
}

/** Looks for deposits before somebody is told that the fund has too little: once for all who ask meanwhile. */
export class Shortage {
  readonly #core: FundCore;
  readonly #deposits: DepositSource;
  #looking: Promise<Outcome<unknown>> | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(core: FundCore, deposits: DepositSource) {
    this.#core = core;
    this.#deposits = deposits;
  }

  /** Tries, and once more where the fund has too little and a deposit has been found since, by whomever. */
  async retry<T>(
    attempt: () => Promise<Outcome<T>>,
    { deadline = new Deadline(), convert }: Terms = {},
  ): Promise<Outcome<T>> {
    const foundBefore = this.#deposits.foundAtoms();
    const isNothingNew = () => this.#deposits.foundAtoms() === foundBefore;
    const tried = await attempt();
    const { address } = this.#core;
    if (tried.ok || tried.error.reason !== "balance_too_low" || address === null) return tried;
    if (isNothingNew()) await deadline.within(this.#look(address));
    if (isNothingNew()) return tried;
    if (convert !== undefined) await deadline.within(convert().then(done));
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
