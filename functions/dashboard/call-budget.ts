/** The free plan allows 50 subrequests a request. A few are left for the session, the nodes and the tokens. */
const MOST_CALLS = 40;

/** Counts the calls of objects that one page makes. The page omits what exceeds the budget, and states that. */
export class CallBudget {
  #left = MOST_CALLS;

  get left(): number {
    return this.#left;
  }

  /** Returns the first things whose calls fit, and counts these calls. */
  take<T>(things: readonly T[], callsOfEach: number): readonly T[] {
    const fits = things.slice(0, Math.floor(this.#left / callsOfEach));
    this.#left -= fits.length * callsOfEach;
    return fits;
  }

  /** Takes back calls that were counted, and not made. */
  giveBack(calls: number): void {
    this.#left += calls;
  }
}
