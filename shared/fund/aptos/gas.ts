// Aptos only (chargeOf): the charge is also checked against the budget, because the sender may sign twice.

import type { AptosExecution } from "../../chain/aptos/node.ts";

/**
 * What the chain took from the payer, octas: gas used × price less the storage refund; negative where the transaction
 * has freed more than it cost.
 *
 * @param gasBudgetAtoms `max_gas_amount × gas_unit_price` of what was signed.
 * @returns null where these cannot be the fees of what was signed: the chain charges no more gas than that.
 */
export function chargeOf(
  { maxGasUnits, gasUnitPriceOctas, gasUsedUnits, storageRefundOctas }: AptosExecution,
  { gasBudgetAtoms }: { readonly gasBudgetAtoms: bigint },
): bigint | null {
  if (maxGasUnits * gasUnitPriceOctas !== gasBudgetAtoms || gasUsedUnits > maxGasUnits) return null;
  return gasUsedUnits * gasUnitPriceOctas - storageRefundOctas;
}
