// Sui only: on Aptos the sequence numbers of the account name its forgotten transactions.

import type { SuiExecution } from "../../chain/sui/execution.ts";
import type { ForgottenTransaction } from "../views.ts";
import { netGasMist } from "./gas.ts";

/** SUI, with the package in any length. */
const SUI = /^0x0*2::sui::SUI$/;

/**
 * Reads what a transaction of the fund itself has paid out, beside gas.
 *
 * @param execution with its balance changes.
 * @param address the fund's address.
 */
export function forgottenOf(
  { digest, gasUsed, balanceChanges }: Pick<SuiExecution, "digest" | "gasUsed" | "balanceChanges">,
  address: string,
): ForgottenTransaction {
  const changes = balanceChanges.filter(({ coinType }) => SUI.test(coinType));
  const sumMist = changes.reduce((sum, change) => sum + (change.address === address ? change.amount : 0n), 0n);
  const paidMist = -sumMist - netGasMist(gasUsed);
  const receivers = changes.filter((change) => change.address !== address && change.amount > 0n);
  return { digest, amountAtoms: paidMist > 0n ? paidMist : 0n, to: receivers[0]?.address ?? null };
}
