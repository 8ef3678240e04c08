import { describe, expect, test } from "vitest";
import {
  beginRecovery,
  behindChain,
  confirmWithdrawals,
  decodeRecovery,
  encodeRecovery,
  endRecovery,
  isRecovering,
  recoveryView,
  withForgotten,
  withLookedBack,
  withPause,
} from "../../shared/fund/recovery.ts";
import { PAUSED_BY_OPERATOR, RECOVERING, STATE_BEHIND_CHAIN } from "../../shared/fund/views.ts";

const OPEN = { pausedCause: null, recovery: null };
const PAUSED = { pausedCause: PAUSED_BY_OPERATOR, recovery: null };

describe("the pause of a fund that recovers", () => {
  test("an open fund is closed during the recovery, and open after it", () => {
    const begun = beginRecovery(OPEN, 1_000);
    expect(begun.pausedCause).toBe(RECOVERING);
    expect(endRecovery(begun.recovery).pausedCause).toBeNull();
  });

  test("a fund that the operator had paused stays paused after it", () => {
    expect(endRecovery(beginRecovery(PAUSED, 1_000).recovery).pausedCause).toBe(PAUSED_BY_OPERATOR);
  });

  test("a fund that paused itself as behind its chain keeps the operator's earlier pause for afterwards", () => {
    const behind = behindChain(PAUSED, "sequence number 7, rows explain 5", 1_000);
    expect(behind.pausedCause).toBe(STATE_BEHIND_CHAIN);
    const begun = beginRecovery(behind, 2_000);
    expect(begun.recovery).toMatchObject({ evidence: "sequence number 7, rows explain 5", startedAtMs: 2_000 });
    expect(endRecovery(begun.recovery).pausedCause).toBe(PAUSED_BY_OPERATOR);
  });

  test("no change of settings opens it early: the operator's change holds after the recovery", () => {
    for (const closed of [behindChain(PAUSED, "", 1_000), beginRecovery(PAUSED, 1_000)]) {
      const resumed = withPause(closed, null);
      expect(resumed.pausedCause).toBe(closed.pausedCause);
      expect(endRecovery(beginRecovery(resumed, 2_000).recovery).pausedCause).toBeNull();
    }
  });

  test("a repeat continues the recovery under way, and one after its end begins another", () => {
    const begun = beginRecovery(OPEN, 1_000);
    expect(beginRecovery(begun, 2_000)).toEqual(begun);
    const ended = endRecovery(begun.recovery);
    expect(isRecovering(ended)).toBe(false);
    expect(beginRecovery(ended, 3_000).recovery.startedAtMs).toBe(3_000);
  });
});

describe("payments that a state has forgotten", () => {
  const withPayments = (...digests: string[]) => {
    const { recovery } = beginRecovery(OPEN, 1_000);
    return { ...recovery, forgottenPayments: withForgotten(recovery, digests) };
  };

  test("stay listed through later steps, each once, and through another recovery", () => {
    const first = withPayments("a", "b");
    expect(withForgotten(first, [])).toEqual(["a", "b"]);
    expect(withForgotten(first, ["b", "c"])).toEqual(["a", "b", "c"]);
    expect(beginRecovery(endRecovery(first), 2_000).recovery.forgottenPayments).toEqual(["a", "b"]);
  });

  test("are listed no more in the recovery after the operator has confirmed them", () => {
    const confirmed = confirmWithdrawals(endRecovery(withPayments("a")));
    expect(beginRecovery({ pausedCause: null, recovery: confirmed }, 2_000).recovery.forgottenPayments).toEqual([]);
  });

  test("are not all known for certain after a recovery that was not confirmed, and that may lack some", () => {
    const lookedBack = (isComplete: boolean, recovery = beginRecovery(OPEN, 1_000).recovery) =>
      withLookedBack(recovery, { transactions: [], isComplete });
    expect(recoveryView(lookedBack(true)).isForgottenComplete).toBe(true);
    const next = beginRecovery(endRecovery(lookedBack(false)), 2_000).recovery;
    expect(lookedBack(true, next).isForgottenComplete).toBe(false);
    const confirmed = confirmWithdrawals(endRecovery(lookedBack(false)));
    const afterwards = beginRecovery({ pausedCause: null, recovery: confirmed }, 2_000).recovery;
    expect(lookedBack(true, afterwards).isForgottenComplete).toBe(true);
  });

  test("are not all listed if there are more than 200", () => {
    const transactions = Array.from({ length: 201 }, (_, index) => ({
      digest: `${index}`,
      amountAtoms: 1n,
      to: "0x2",
    }));
    const { recovery } = beginRecovery(OPEN, 1_000);
    expect(withLookedBack(recovery, { transactions, isComplete: true }).isForgottenComplete).toBe(false);
    const rest = transactions.slice(1);
    expect(withLookedBack(recovery, { transactions: rest, isComplete: true }).isForgottenComplete).toBe(true);
  });

  test("are at most 200, the latest ones", () => {
    const many = Array.from({ length: 300 }, (_, index) => `${index}`);
    expect(withForgotten(withPayments(...many), ["last"])).toEqual([...many.slice(-199), "last"]);
  });
});

test("a recovery reads back as it was stored, and another value is refused", () => {
  const recovery = {
    ...beginRecovery(OPEN, 1_000).recovery,
    correctionAtoms: -(2n ** 63n),
    closedUntilMs: 5,
    adoptedCheckpoint: 7n,
    lookBacks: 2,
    isForgottenComplete: false,
  };
  expect(decodeRecovery(encodeRecovery(recovery))).toEqual(recovery);
  expect(() => decodeRecovery(encodeRecovery(recovery).replace("closing", "opening"))).toThrow("step");
});

test("the operator sees a recovery's state, and never its inner step", () => {
  const { recovery } = beginRecovery(OPEN, 1_000);
  expect(recoveryView(recovery)).toMatchObject({ state: "running", withdrawals: "unconfirmed" });
  expect(recoveryView({ ...recovery, step: "waiting" }).state).toBe("waiting");
  expect(recoveryView(recovery)).not.toHaveProperty("step");
});
