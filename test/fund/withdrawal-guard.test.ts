import { describe, expect, test } from "vitest";
import { beginRecovery, behindChain, confirmWithdrawals, endRecovery } from "../../shared/fund/recovery.ts";
import { PAUSED_BY_OPERATOR } from "../../shared/fund/views.ts";
import { guardWithdrawal } from "../../shared/fund/withdrawal-guard.ts";

const OPEN = { pausedCause: null, recovery: null };
const PAYMENT = { to: "0x2", amountAtoms: 5n };
const CONFIRMED = { ...PAYMENT, confirmed: PAYMENT };
const begun = beginRecovery(OPEN, 1_000);
const ended = endRecovery({ ...begun.recovery, forgottenPayments: ["0xab", "0xcd"] });

describe("a withdrawal under a key that no row knows", () => {
  test("is paid by a fund that was never recovered, also if an operator has paused it", () => {
    expect(guardWithdrawal(OPEN, PAYMENT)).toBeNull();
    expect(guardWithdrawal({ ...OPEN, pausedCause: PAUSED_BY_OPERATOR }, PAYMENT)).toBeNull();
  });

  test("is refused while the state is behind the chain and during the recovery, even if it is confirmed", () => {
    for (const record of [behindChain(OPEN, "", 1_000), begun])
      expect(guardWithdrawal(record, CONFIRMED)).toMatchObject({ error: { reason: "fund_paused" } });
  });

  test("is refused after a recovery, with the payments that were forgotten, until the operator confirms it", () => {
    const refused = guardWithdrawal(ended, PAYMENT);
    expect(refused?.error).toMatchObject({ reason: "recovery_unconfirmed" });
    expect(refused?.error.details).toContain("0xab, 0xcd");
    expect(refused?.error.data).toEqual({ forgottenPayments: ["0xab", "0xcd"] });
    expect(guardWithdrawal(ended, CONFIRMED)).toBeNull();
  });

  test("is refused with a hint at payments that the list may lack", () => {
    const detailsOf = (isForgottenComplete: boolean | null) => {
      const recovery = { ...begun.recovery, forgottenPayments: ["0xab"], isForgottenComplete };
      return guardWithdrawal(endRecovery(recovery), PAYMENT)?.error.details;
    };
    expect(detailsOf(true)).not.toContain("There may be others");
    for (const unsure of [false, null]) expect(detailsOf(unsure)).toContain("There may be others");
  });

  test("is not confirmed by another amount or another address", () => {
    for (const confirmed of [
      { to: "0x2", amountAtoms: 6n },
      { to: "0x3", amountAtoms: 5n },
    ])
      expect(guardWithdrawal(ended, { ...PAYMENT, confirmed })?.error.reason).toBe("recovery_unconfirmed");
  });

  test("is paid once the operator has confirmed all withdrawals, until the next recovery", () => {
    const recovery = confirmWithdrawals(ended);
    if (recovery === null) throw new Error("an ended recovery can be confirmed");
    const confirmed = { ...ended, recovery };
    expect(guardWithdrawal(confirmed, PAYMENT)).toBeNull();
    const again = endRecovery(beginRecovery(confirmed, 2_000).recovery);
    expect(guardWithdrawal(again, PAYMENT)?.error.reason).toBe("recovery_unconfirmed");
  });

  test("no recovery can be confirmed before its end", () => {
    for (const record of [OPEN, begun, behindChain(OPEN, "", 1_000)]) expect(confirmWithdrawals(record)).toBeNull();
  });
});
