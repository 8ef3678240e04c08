import { describe, expect, test } from "vitest";
import { type DailyCap, NO_CAP } from "../../shared/policy/rule.ts";
import {
  type Attempt,
  begin,
  brokenCap,
  endCall,
  minus,
  NO_USAGE,
  type PinnedTransaction,
  pin,
} from "../../shared/workflow/user/attempt.ts";

function transaction(id: string, gasBudgetAtoms = 10n): PinnedTransaction {
  return { id, content: `content of ${id}`, capUsage: { chain: "sui", gasBudgetAtoms } };
}

const NO_OTHERS = {
  origin: "made",
  usage: NO_USAGE,
  cap: NO_CAP,
  isOfAnotherAttempt: false,
  isCounted: false,
} as const;

function begun(known: Attempt | null, fingerprint = "asked"): Attempt {
  const result = begin(known, fingerprint);
  if (result.kind !== "begun") throw new Error(result.kind);
  return result.attempt;
}

function fixed(attempt: Attempt, offered: PinnedTransaction): Attempt {
  const result = pin(attempt, offered, NO_OTHERS);
  if (result.kind !== "pinned") throw new Error(result.kind);
  return result.attempt;
}

describe("an attempt", () => {
  test("goes on with the transaction that was fixed first, whoever offers another", () => {
    const first = fixed(begun(null), transaction("one"));
    const second = begun(first);
    expect(second.transaction).toEqual(transaction("one"));
    const result = pin(second, transaction("two"), NO_OTHERS);
    expect(result).toEqual({ kind: "pinned", attempt: second, usage: NO_USAGE });
  });

  test("has a transaction of its own, unless its caller brought the bytes", () => {
    const others = { ...NO_OTHERS, isOfAnotherAttempt: true, isCounted: true };
    expect(pin(begun(null), transaction("one"), others)).toEqual({ kind: "taken" });
    expect(pin(begun(null), transaction("one"), { ...others, origin: "brought" }).kind).toBe("pinned");
    const first = fixed(begun(null), transaction("one"));
    expect(pin(begun(first), transaction("one"), others).kind).toBe("pinned");
  });

  test("is one request only", () => {
    const attempt = begun(null);
    expect(begin(attempt, "something else")).toEqual({ kind: "conflict" });
    expect(begin(fixed(attempt, transaction("one")), "something else")).toEqual({ kind: "conflict" });
  });

  test("is as if it had never been once its last call has left, and none has sent anything", () => {
    const both = begun(fixed(begun(null), transaction("one")));
    const oneLeft = endCall(both, "nothing_sent");
    expect(oneLeft?.transaction).toEqual(transaction("one"));
    expect(endCall(begun(null), "nothing_sent")).toBe(null);
    expect(oneLeft && endCall(oneLeft, "nothing_sent")).toBe(null);
  });

  test("keeps its transaction for good once a call has left it open, whatever later calls say", () => {
    const open = endCall(fixed(begun(null), transaction("one")), "open");
    if (open === null) throw new Error("forgotten");
    const later = endCall(begun(open), "nothing_sent");
    expect(later).toMatchObject({ transaction: transaction("one"), mayHaveExecuted: true });
  });

  test("keeps its transaction where a call never left", () => {
    const withDead = begun(fixed(begun(null), transaction("one")));
    expect(endCall(withDead, "nothing_sent")).toMatchObject({ transaction: transaction("one"), activeCalls: 1 });
  });
});

describe("a user's cap", () => {
  const cap: DailyCap = { transactionsPerDay: 2, gasPerDayAtoms: 30n };
  const charge = (gasBudgetAtoms: bigint) => ({ chain: "sui", gasBudgetAtoms }) as const;

  test("breaks above its count and above its amount, not at them", () => {
    expect(brokenCap(charge(30n), NO_USAGE, cap)).toBe(null);
    expect(brokenCap(charge(31n), NO_USAGE, cap)).toMatch(/gas a day/);
    expect(brokenCap(charge(0n), { transactions: 1, gasAtoms: 30n }, cap)).toBe(null);
    expect(brokenCap(charge(0n), { transactions: 2, gasAtoms: 0n }, cap)).toBe("2 transactions a day");
    expect(brokenCap(charge(10n ** 18n), { transactions: 10 ** 6, gasAtoms: 0n }, NO_CAP)).toBe(null);
  });

  test("counts a transaction once, when it is fixed, and gives it back when it came to nothing", () => {
    const context = { ...NO_OTHERS, origin: "brought", cap } as const;
    const one = pin(begun(null), transaction("one"), context);
    if (one.kind !== "pinned") throw new Error(one.kind);
    expect(one.usage).toEqual({ transactions: 1, gasAtoms: 10n });
    expect(pin(one.attempt, transaction("one"), { ...context, usage: one.usage })).toMatchObject({ usage: one.usage });
    const same = pin(begun(null), transaction("one"), {
      ...context,
      usage: one.usage,
      isOfAnotherAttempt: true,
      isCounted: true,
    });
    expect(same).toMatchObject({ usage: one.usage });
    expect(minus(one.usage, charge(10n))).toEqual(NO_USAGE);
  });

  test("refuses to fix what is above it", () => {
    const usage = { transactions: 2, gasAtoms: 20n };
    expect(pin(begun(null), transaction("three"), { ...NO_OTHERS, usage, cap }).kind).toBe("over_cap");
  });
});
