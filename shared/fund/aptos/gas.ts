// Aptos only (chargeOf): the charge is also checked against the budget, because the sender may sign twice.

import type { AptosExecution } from "../../chain/aptos/node.ts";

/**
 * Computes the amount that the chain took from the payer, octas: gas used × price less the storage refund. Negative if
 * the transaction has freed more than it cost.
 *
 * @param gasBudgetAtoms `max_gas_amount × gas_unit_price` of the signed transaction.
 * @returns null if the fees cannot belong to the signed transaction: the chain charges no more gas than its maximum.
 */
export function chargeOf(
  { maxGasUnits, gasUnitPriceOctas, gasUsedUnits, storageRefundOctas }: AptosExecution,
  { gasBudgetAtoms }: { readonly gasBudgetAtoms: bigint },
): bigint | null {
  if (maxGasUnits * gasUnitPriceOctas !== gasBudgetAtoms || gasUsedUnits > maxGasUnits) return null;
  return gasUsedUnits * gasUnitPriceOctas - storageRefundOctas;
}
