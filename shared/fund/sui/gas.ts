// Sui only (netGasMist, automaticBudgetMist): effects show three amounts, and the fund sets a missing budget.

import type { GasUsed } from "../../chain/sui/execution.ts";

/** The safety margin of the SDK and the CLI, in gas units (`GAS_SAFE_OVERHEAD`). */
const SAFE_OVERHEAD_UNITS = 1_000n;
const MARGIN_PERCENT = 5n;
/** A larger margin, because shared objects can change between the dry run and the execution. */
const SHARED_OBJECT_MARGIN_PERCENT = 25n;

/** Returns the gas charged to the payer, in MIST. Negative if the rebate of deleted objects exceeds the cost. */
export function netGasMist(gasUsed: GasUsed): bigint {
  return gasUsed.computationCostMist + gasUsed.storageCostMist - gasUsed.storageRebateMist;
}

/**
 * Computes the budget, in MIST, for a transaction whose caller gave none. It is the SDK's formula over a dry run
 * (`@mysten/sui`, `computeGasBudget`) with a margin on top.
 */
export function automaticBudgetMist(gasUsed: GasUsed, gasPriceMist: bigint, usesSharedObjects: boolean): bigint {
  const overhead = SAFE_OVERHEAD_UNITS * gasPriceMist;
  const computation = gasUsed.computationCostMist + overhead;
  const net = netGasMist(gasUsed) + overhead;
  const needed = net > computation ? net : computation;
  const margin = usesSharedObjects ? SHARED_OBJECT_MARGIN_PERCENT : MARGIN_PERCENT;
  return (needed * (100n + margin) + 99n) / 100n;
}
