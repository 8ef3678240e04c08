/* Sui only: An Aptos fund holds its money in one form. */

import { MAX_U64 } from "../../../amounts.ts";
import { unconvertedMist } from "../../ledger/available.ts";
import type { UnconvertedView } from "../../views.ts";
import { conversionFailed } from "../conversion.ts";
import type { SuiFundCore } from "./chain.ts";

/** An amount below this in the form that does not pay is not worth a transaction. */
export const CONVERT_FROM_MIST = 20_000_000n;
/** Waiting coins are counted up to this. */
const COUNT_COINS_LIMIT = 1_000;

/**
 * Tracks the outcome of a fund's conversions into the form that pays. Its report shows an operator why a fund with
 * money pays for nothing.
 *
 * Conversions from coins into the address balance have a second form (`sendsWhatIsSplit`). Conversions into a coin need
 * no gas coin, so no rule on gas coins can refuse them.
 */
export class Conversion {
  readonly #core: SuiFundCore;
  /** Lives in memory. Each instance learns it by one dry run, because a chain may change its rules. */
  #sendsWhatIsSplit = false;

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /**
   * True if the chain refuses to send the gas coin itself (InvalidGasCoinUsage), as protocols before `send_funds` did.
   */
  get sendsWhatIsSplit(): boolean {
    return this.#sendsWhatIsSplit;
  }

  /**
   * Records a failed conversion, and logs its cause when it is reported.
   *
   * @param paysToAddressBalance it sent the gas coin itself. The next one then sends an amount that is split off it.
   */
  failed(paysToAddressBalance: boolean, reason: string): void {
    if (paysToAddressBalance && !this.#sendsWhatIsSplit) {
      this.#sendsWhatIsSplit = true;
      return;
    }
    const core = this.#core;
    const { store, mode, record, deps } = core;
    const amountMist = unconvertedMist(store, mode);
    const cause = core.commit(() => conversionFailed(store, reason, amountMist, core.nowMs()));
    if (cause !== null)
      deps.log("fund.conversion_refused", { fund: record.fundId, amountMist: amountMist.toString(), cause });
  }

  /** Shows the amount that waits to be converted, and why it waits. Null if nothing waits. */
  view(): UnconvertedView | null {
    const { store, mode } = this.#core;
    const amountMist = unconvertedMist(store, mode);
    if (amountMist === 0n) return null;
    const coins = mode === "coin" ? 0 : store.countFree(0n, MAX_U64, COUNT_COINS_LIMIT);
    const waiting = { amountAtoms: amountMist, coins };
    if (amountMist < CONVERT_FROM_MIST)
      return {
        ...waiting,
        cause: `less than ${CONVERT_FROM_MIST} MIST is not worth a transaction`,
        failingSinceMs: null,
      };
    const { cause, failingSinceMs } = store.conversions();
    return { ...waiting, cause: cause ?? "it is converted within a minute", failingSinceMs };
  }
}
