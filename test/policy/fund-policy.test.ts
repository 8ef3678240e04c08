import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../../shared/policy/compile-fund-policy.ts";
import type { FundPolicy, PolicyUsage, SponsorshipRequest } from "../../shared/policy/fund-policy.ts";
import { defaultFundPolicy, defaultKeyPolicy, NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";

const PACKAGE = `0x${"ab".repeat(32)}`;
const OTHER = `0x${"cd".repeat(32)}`;
const SENDER = `0x${"5".repeat(64)}`;
const PLAY = `${PACKAGE}::game::play`;

const plain: SponsorshipRequest = {
  moveTargets: [PLAY],
  publishesCode: false,
  sender: SENDER,
  gasBudgetAtoms: 1_000n,
  feeAtoms: 10n,
  storageCostAtoms: 100n,
};
const unused: PolicyUsage = {
  inFlightCount: 0,
  inFlightAtoms: 0n,
  spentTodayAtoms: 0n,
  sender: { spentAtoms: 0n, stopped: false },
  abandonCostTodayAtoms: 0n,
};

/** The rule that refuses it; null where none does. */
function refusedBy(
  policy: Partial<FundPolicy>,
  request: Partial<SponsorshipRequest> = {},
  usage: Partial<PolicyUsage> = {},
): string | null {
  const compiled = compilePolicy({ ...NO_LIMITS, ...policy }, "sui");
  return compiled.evaluateSponsorship({ ...plain, ...request }, { ...unused, ...usage })?.rule ?? null;
}

const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const tiny = fc.constantFrom("a", "b", "ab");
const call = fc.tuple(fc.constantFrom(PACKAGE, OTHER), tiny, tiny).map((parts) => parts.join("::"));
const entry = fc
  .tuple(fc.constantFrom(PACKAGE, OTHER), fc.constantFrom("*", "a::*", "b::*", "ab::*"))
  .map((parts) => parts.join("::"));
const calls = fc.array(call, { maxLength: 4 });
const entries = fc.option(fc.array(fc.oneof(call, entry), { maxLength: 4 }));
const address = fc.constantFrom(SENDER, PACKAGE, OTHER);
const addresses = fc.option(fc.array(address, { maxLength: 3 }));
/** Some in reach of one request, some of all that a key has taken, some of neither. */
const limit = fc.option(fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.bigInt({ min: 0n, max: 200n }), amount));
const small = fc.bigInt({ min: 0n, max: 50n });
const policies: fc.Arbitrary<FundPolicy> = fc.record({
  moveTargets: fc.record({ allow: entries, deny: entries }),
  senders: fc.record({ allow: addresses, deny: addresses }),
  orderless: fc.boolean(),
  maxGasBudgetAtoms: limit,
  maxStorageCostAtoms: limit,
  maxInFlightCount: fc.option(fc.nat(9)),
  maxInFlightAmountAtoms: limit,
  maxSpendPerDayAtoms: limit,
  maxSpendPerSenderPerDayAtoms: limit,
  maxAbandonCostPerDayAtoms: limit,
});
const requests: fc.Arbitrary<SponsorshipRequest> = fc.record({
  moveTargets: calls,
  publishesCode: fc.boolean(),
  sender: address,
  gasBudgetAtoms: small,
  feeAtoms: small,
  storageCostAtoms: fc.option(small),
});
const usages: fc.Arbitrary<PolicyUsage> = fc.record({
  inFlightCount: fc.nat(5),
  inFlightAtoms: small,
  spentTodayAtoms: small,
  sender: fc.record({ spentAtoms: small, stopped: fc.boolean() }),
  abandonCostTodayAtoms: small,
});

/** Part by part, where the policy compares texts. */
function names(listed: string, target: string): boolean {
  const parts = target.split("::");
  return listed.split("::").every((part, index) => part === "*" || part === parts[index]);
}

describe("the lists", () => {
  test("what deny names is refused, whatever allow says and whatever else the transaction does", () => {
    fc.assert(
      fc.property(policies, requests, usages, fc.nat(), (policy, request, usage, at) => {
        const { moveTargets, sender } = request;
        const someCall = moveTargets[at % (moveTargets.length || 1)];
        const noSender = { ...policy, senders: { ...policy.senders, deny: [OTHER, sender] } };
        expect(compilePolicy(noSender, "sui").evaluateSponsorship(request, usage)).not.toBe(null);
        if (someCall === undefined) return;
        const noCall = { ...policy, moveTargets: { allow: [someCall], deny: [someCall] } };
        expect(compilePolicy(noCall, "sui").evaluateTerms(request)).toMatchObject({ rule: "moveTargets" });
      }),
    );
  });

  test("an allow list wants at least one call, every call on it, and no code published beside them", () => {
    fc.assert(
      fc.property(entries, entries, requests, (allow, deny, request) => {
        const { moveTargets, publishesCode } = request;
        const denied = moveTargets.some((target) => deny?.some((listed) => names(listed, target)));
        const allowed = moveTargets.every((target) => allow?.some((listed) => names(listed, target)));
        const restricts = allow !== null && allow.length > 0;
        const passes = !denied && (!restricts || (allowed && moveTargets.length > 0 && !publishesCode));
        expect(refusedBy({ moveTargets: { allow, deny } }, request)).toBe(passes ? null : "moveTargets");
      }),
    );
  });

  test("what an SDK puts around a listed call on Sui needs no entry, is not enough by itself, and can be denied", () => {
    const zero = `0x${"2".padStart(64, "0")}::coin::zero`;
    const allowing = (deny: string[] | null = null) => ({ moveTargets: { allow: [PLAY], deny } });
    expect(refusedBy(allowing(), { moveTargets: [zero, PLAY, zero] })).toBe(null);
    expect(refusedBy(allowing(), { moveTargets: [zero] })).toBe("moveTargets");
    expect(refusedBy(allowing([zero]), { moveTargets: [zero, PLAY] })).toBe("moveTargets");
    expect(refusedBy(allowing(), { moveTargets: [zero, PLAY, `${OTHER}::coin::zero`] })).toBe("moveTargets");
    expect(refusedBy(allowing(), { moveTargets: [zero, PLAY], publishesCode: true })).toBe("moveTargets");
    const onAptos = compilePolicy({ ...NO_LIMITS, ...allowing() }, "aptos");
    expect(onAptos.evaluateTerms({ ...plain, moveTargets: [zero, PLAY] })).toMatchObject({ rule: "moveTargets" });
  });

  test("an empty allow list restricts nothing", () => {
    const none = { allow: [], deny: [] };
    expect(refusedBy({ moveTargets: none, senders: none }, { moveTargets: [], publishesCode: true })).toBe(null);
    expect(refusedBy({ moveTargets: none, senders: none })).toBe(null);
  });

  test("a module is not another whose name it begins, nor a function", () => {
    const allowing = (listed: string) => ({ moveTargets: { allow: [listed], deny: null } });
    for (const target of [`${PACKAGE}::game_admin::play`, `${PACKAGE}::gam::play`, `${OTHER}::game::play`])
      expect(refusedBy(allowing(`${PACKAGE}::game::*`), { moveTargets: [target] }), target).toBe("moveTargets");
    for (const target of [`${PACKAGE}::game::player`, `${PACKAGE}::game::pla`, `${PACKAGE}::play::game`])
      expect(refusedBy(allowing(PLAY), { moveTargets: [target] }), target).toBe("moveTargets");
  });

  test("senders: only those on allow, if there is one, and none on deny", () => {
    const by = (allow: string[] | null, deny: string[] | null) => refusedBy({ senders: { allow, deny } });
    expect(by([SENDER], null)).toBe(null);
    expect(by([OTHER], null)).toBe("senders");
    expect(by(null, [OTHER])).toBe(null);
    expect(by(null, [SENDER])).toBe("senders");
    expect(by([SENDER], [SENDER])).toBe("senders");
  });

  test("a refused call is named by its place, not by a text that the caller made up", () => {
    const policy = { ...NO_LIMITS, moveTargets: { allow: [`${PACKAGE}::*`], deny: null } };
    const refusal = compilePolicy(policy, "sui").evaluateTerms({ ...plain, moveTargets: [PLAY, `${OTHER}::made::up`] });
    expect(refusal?.details).toMatch("Move call 1");
    expect(refusal?.details).not.toMatch("made");
  });
});

describe("each limit holds to the MIST", () => {
  interface Case {
    readonly policy: Partial<FundPolicy>;
    readonly request?: Partial<SponsorshipRequest>;
    readonly usage?: Partial<PolicyUsage>;
  }
  const LENT_MIST = plain.gasBudgetAtoms + plain.feeAtoms;
  /** A limit, and figures that come to `over` more than it lets through. */
  const cases: Readonly<Record<string, (max: bigint, over: bigint) => Case>> = {
    maxGasBudget: (max, over) => ({ policy: { maxGasBudgetAtoms: max }, request: { gasBudgetAtoms: max + over } }),
    maxStorageCost: (max, over) => ({
      policy: { maxStorageCostAtoms: max },
      request: { storageCostAtoms: max + over },
    }),
    maxInFlightCount: (max, over) => ({
      policy: { maxInFlightCount: Number(max % 1_000n) + 1 },
      usage: { inFlightCount: Number((max % 1_000n) + over) },
    }),
    maxInFlightAmount: (max, over) => ({
      policy: { maxInFlightAmountAtoms: max + LENT_MIST },
      usage: { inFlightAtoms: max + over },
    }),
    maxSpendPerDay: (max, over) => ({
      policy: { maxSpendPerDayAtoms: max + LENT_MIST },
      usage: { spentTodayAtoms: max + over },
    }),
    maxSpendPerSenderPerDay: (max, over) => ({
      policy: { maxSpendPerSenderPerDayAtoms: max + LENT_MIST },
      usage: { sender: { spentAtoms: max + over, stopped: false } },
    }),
    maxAbandonCostPerDay: (max, over) => ({
      policy: { maxAbandonCostPerDayAtoms: max + 1n },
      usage: { abandonCostTodayAtoms: max + over },
    }),
  };

  test.each(Object.entries(cases))("%s lets through what comes to it, and refuses one more", (rule, figures) => {
    fc.assert(
      fc.property(amount, (max) => {
        const refusals = [0n, 1n].map((over) => {
          const { policy, request, usage } = figures(max, over);
          return refusedBy(policy, request, usage);
        });
        expect(refusals).toEqual([null, rule]);
      }),
    );
  });

  test("the fee counts in every total, and not as gas", () => {
    const lent = { gasBudgetAtoms: 1_000n, feeAtoms: 10n };
    for (const field of ["maxInFlightAmountAtoms", "maxSpendPerDayAtoms", "maxSpendPerSenderPerDayAtoms"] as const) {
      expect(refusedBy({ [field]: 1_010n }, lent), field).toBe(null);
      expect(refusedBy({ [field]: 1_009n }, lent), field).toBe(field.slice(0, -"Atoms".length));
    }
    expect(refusedBy({ maxGasBudgetAtoms: 1_000n }, lent)).toBe(null);
  });

  test("abandoned sponsorships end the day when their cost reaches the cap, and a cap of 0 lends nothing", () => {
    expect(refusedBy({ maxAbandonCostPerDayAtoms: 5n }, {}, { abandonCostTodayAtoms: 4n })).toBe(null);
    expect(refusedBy({ maxAbandonCostPerDayAtoms: 5n }, {}, { abandonCostTodayAtoms: 5n })).toBe(
      "maxAbandonCostPerDay",
    );
    expect(refusedBy({ maxAbandonCostPerDayAtoms: 0n })).toBe("maxAbandonCostPerDay");
    expect(refusedBy({ maxInFlightCount: 0 })).toBe("maxInFlightCount");
  });

  test("without a dry run the storage cost may be the whole budget", () => {
    const request = { storageCostAtoms: null, gasBudgetAtoms: 500n };
    expect(refusedBy({ maxStorageCostAtoms: 500n }, request)).toBe(null);
    expect(refusedBy({ maxStorageCostAtoms: 499n }, request)).toBe("maxStorageCost");
    expect(refusedBy({ maxStorageCostAtoms: 499n }, { ...request, storageCostAtoms: 499n })).toBe(null);
  });
});

test("a policy without limits refuses nothing", () => {
  fc.assert(
    fc.property(requests, usages, (request, usage) => {
      expect(compilePolicy(NO_LIMITS, "sui").evaluateSponsorship(request, usage)).toBe(null);
    }),
  );
});

test("a sponsorship is refused exactly where one of the rules alone would refuse it, and in the name of such a rule", () => {
  const seen = new Set<string | null>();
  fc.assert(
    fc.property(policies, requests, usages, (policy, request, usage) => {
      const alone = Object.entries(policy).flatMap(([field, set]) => refusedBy({ [field]: set }, request, usage) ?? []);
      const together = refusedBy(policy, request, usage);
      expect([...alone, ...(alone.length === 0 ? [null] : [])]).toContain(together);
      seen.add(together);
    }),
    { numRuns: 2_000 },
  );
  expect(seen.size, "every rule refused something, and something passed").toBe(10);
});

test("what the terms alone refuse, the whole request is refused for by the same rule; an unknown budget refuses nothing", () => {
  fc.assert(
    fc.property(policies, requests, usages, (policy, request, usage) => {
      const compiled = compilePolicy(policy, "sui");
      const early = compiled.evaluateTerms(request);
      if (early !== null) expect(compiled.evaluateSponsorship(request, usage)).toEqual(early);
      const withoutBudget = compiled.evaluateTerms({ ...request, gasBudgetAtoms: null });
      expect(withoutBudget).toEqual(early?.rule === "maxGasBudget" ? null : early);
    }),
  );
});

test("a sender who has stored more than the limit is stopped where storage is limited, and nowhere else", () => {
  const stopped = { sender: { spentAtoms: 0n, stopped: true } };
  expect(refusedBy({ maxStorageCostAtoms: 100n }, {}, stopped)).toBe("maxStorageCost");
  expect(refusedBy({ maxSpendPerSenderPerDayAtoms: 100_000n }, {}, stopped)).toBe(null);
});

test("what the sender has done is asked for only where it is limited, and then somebody must have looked it up", () => {
  const limited = { ...NO_LIMITS, maxSpendPerSenderPerDayAtoms: 5_000n };
  const stores = { ...NO_LIMITS, maxStorageCostAtoms: 5_000n };
  expect(
    [NO_LIMITS, defaultFundPolicy("sui"), defaultKeyPolicy("sui"), limited, stores].map(
      (policy) => compilePolicy(policy, "sui").needsSenderUsage,
    ),
  ).toEqual([false, false, false, true, true]);
  expect(refusedBy({}, {}, { sender: null })).toBe(null);
  expect(() => refusedBy(limited, {}, { sender: null })).toThrow("none was read");
});

test("a refusal names the limit in SUI, and nothing of what others have taken", () => {
  const policy = compilePolicy(defaultFundPolicy("sui"), "sui");
  expect(policy.evaluateTerms({ ...plain, gasBudgetAtoms: 500_000_001n })).toEqual({
    rule: "maxGasBudget",
    details: "the gas budget is above 0.5 SUI: lower it",
  });
  expect(policy.evaluateSponsorship(plain, { ...unused, spentTodayAtoms: 99_999_999_000n })).toEqual({
    rule: "maxSpendPerDay",
    details: "the spend of this UTC day would be above 100 SUI: repeat after midnight UTC",
  });
});
