import { type Outcome, refuse } from "../errors.ts";
import type { WithdrawInput } from "./engine.ts";
import { isClosed, type RecoveryRecord } from "./recovery.ts";
import { pausedRefusal } from "./refusals.ts";
import { RECOVERING } from "./views.ts";

/** The most digests that a refusal lists. The fund's view has at most 200. */
const LISTED = 5;

/**
 * Refuses a withdrawal that a restored state may have paid before. Every chain calls it before it journals a
 * withdrawal, after it has found no row of the Idempotency-Key.
 *
 * A restored backup has forgotten the keys of later withdrawals. A repeat under such a key would pay twice. So nothing
 * is paid while the state is behind the chain. After the recovery the operator confirms amount and address.
 *
 * @returns `fund_paused` while the state is behind the chain, `recovery_unconfirmed` after the recovery. Null if the
 * withdrawal may be paid.
 */
export function guardWithdrawal(
  { pausedCause, recovery }: RecoveryRecord,
  { to, amountAtoms, confirmed }: Pick<WithdrawInput, "to" | "amountAtoms" | "confirmed">,
): (Outcome<never> & { readonly ok: false }) | null {
  if (isClosed({ recovery })) return pausedRefusal(pausedCause ?? RECOVERING);
  if (recovery === null || recovery.withdrawals === "confirmed") return null;
  if (confirmed?.to === to && confirmed.amountAtoms === amountAtoms) return null;
  const { forgottenPayments, isForgottenComplete } = recovery;
  const listed = forgottenPayments.slice(0, LISTED).join(", ");
  const lookAtAddress = "look at the fund's address on the chain for a payment to this address";
  const others = isForgottenComplete === true ? "" : `. There may be others, so ${lookAtAddress}`;
  const shown =
    forgottenPayments.length === 0
      ? lookAtAddress
      : `the chain shows ${forgottenPayments.length} payments that the fund has forgotten (${listed}). Look at them first${others}`;
  return refuse(
    "recovery_unconfirmed",
    `the fund was recovered from an older state. This key may have been paid: ${shown}. If it was not paid, repeat with the same key and confirm: {to, amount}`,
    { forgottenPayments },
  );
}
