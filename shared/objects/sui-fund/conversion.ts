import { MAX_U64 } from "../../amounts.ts";
import { unconvertedMist } from "../../fund/available.ts";
import type { UnconvertedView } from "../../fund/views.ts";
import type { SuiFundCore } from "./core.ts";

/** Less than this in the form that does not pay is not worth a transaction. */
export const CONVERT_FROM_MIST = 20_000_000n;
/** Conversions that failed one after the other, until that is worth a word. */
const FAILED_BEFORE_LOG = 3;
/** Coins that wait are counted no further. */
const COUNT_COINS_LIMIT = 1_000;

/**
 * What becomes of a fund's conversions into the form that pays. Whoever is not told why a fund that has money pays for
 * nothing would look for it in vain. Lives in memory: the next try tells the same again.
 *
 * Only the other way, from coins into the address balance, has a second form (`sendsWhatIsSplit`). A coin out of the
 * address balance needs no gas coin, so no rule on gas coins can refuse it.
 */
export class Conversion {
  readonly #core: SuiFundCore;
  #sendsWhatIsSplit = false;
  #failures = 0;
  /** Why the last one failed; null: it did not. */
  #cause: string | null = null;
  #toldCause: string | null = null;

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /** Whether the chain refuses to send the gas coin itself (InvalidGasCoinUsage), as protocols before `send_funds` did. */
  get sendsWhatIsSplit(): boolean {
    return this.#sendsWhatIsSplit;
  }

  /** @param sweeps it sent the gas coin itself: the next one sends what is split off it. */
  failed(sweeps: boolean, cause: string): void {
    if (sweeps && !this.#sendsWhatIsSplit) {
      this.#sendsWhatIsSplit = true;
      return;
    }
    this.#failures += 1;
    this.#cause = cause;
    if (this.#failures < FAILED_BEFORE_LOG || this.#toldCause === cause) return;
    this.#toldCause = cause;
    const amountMist = unconvertedMist(this.#core.store, this.#core.mode).toString();
    const { fundId } = this.#core.record;
    this.#core.deps.log("fund.conversion_refused", { fund: fundId, tries: this.#failures, amountMist, cause });
  }

  succeeded(): void {
    this.#failures = 0;
    this.#cause = null;
    this.#toldCause = null;
  }

  /** What waits to be converted, and why; null: nothing does. */
  view(): UnconvertedView | null {
    const { store, mode } = this.#core;
    const amountMist = unconvertedMist(store, mode);
    if (amountMist === 0n) return null;
    const coins = mode === "coin" ? 0 : store.countFree(0n, MAX_U64, COUNT_COINS_LIMIT);
    const tooLittle = `less than ${CONVERT_FROM_MIST} MIST is not worth a transaction`;
    const waits = this.#cause ?? "it is converted within a minute";
    return { amountAtoms: amountMist, coins, cause: amountMist < CONVERT_FROM_MIST ? tooLittle : waits };
  }
}
