import type { FundEngine } from "./engine.ts";
import type { FundRecord } from "./record.ts";

/** A low balance has recovered at this share of its threshold. The margin keeps the state from flapping. */
const RECOVERED_PERCENT = 110n;

/**
 * Judges the available balance by the fund's threshold.
 *
 * @returns true if the fund is low now. A fund without a threshold never is.
 */
function isLow(
  { lowBalanceAtoms, low: wasLow }: Pick<FundRecord, "lowBalanceAtoms" | "low">,
  availableAtoms: bigint,
): boolean {
  if (lowBalanceAtoms === null) return false;
  return wasLow ? availableAtoms * 100n < lowBalanceAtoms * RECOVERED_PERCENT : availableAtoms < lowBalanceAtoms;
}

/**
 * Raises and logs `fund.low_balance` or `fund.balance_recovered` when the available balance has crossed its threshold.
 */
export function reportLowBalance(engine: FundEngine): void {
  const { core } = engine;
  const { lowBalanceAtoms, low: wasLow, fundId } = core.record;
  const availableAtoms = engine.availableAtoms();
  const low = isLow(core.record, availableAtoms);
  if (low === wasLow) return;
  const type = low ? "fund.low_balance" : "fund.balance_recovered";
  core.commit(() => {
    core.changeRecord({ low });
    core.store.raise({ type, availableAtoms, lowBalanceAtoms });
  });
  core.deps.log(type, { fund: fundId, availableAtoms: availableAtoms.toString() });
}
