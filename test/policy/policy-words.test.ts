import { describe, expect, test } from "vitest";
import type { Chain } from "../../shared/networks.ts";
import { NO_LIMITS } from "../../shared/policy/fund-policy-defaults.ts";
import { type PolicyView, policyViewSchema, showPolicy } from "../../shared/policy/policy-schema.ts";
import { POLICY_WORDS, policyInWords } from "../../shared/policy/policy-words.ts";

const OPEN = showPolicy(NO_LIMITS);
const SENDER = `0x${"ab".repeat(32)}`;
const ALL_SET: PolicyView = {
  moveTargets: { allow: [`0x${"1".repeat(64)}::game::*`], deny: [`0x${"2".repeat(64)}::game::cheat`] },
  senders: { allow: [SENDER], deny: null },
  orderless: false,
  maxGasBudget: "11000000",
  maxStorageCost: "12000000",
  maxInFlightCount: 13,
  maxInFlightAmount: "14000000",
  maxSpendPerDay: "15000000",
  maxSpendPerSenderPerDay: "16000000",
  maxAbandonCostPerDay: "17000000",
};

const fields = Object.keys(policyViewSchema.shape) as (keyof PolicyView)[];
const owners = (["sui", "aptos"] as const).flatMap((chain: Chain) =>
  (["fund", "key"] as const).map((kind) => ({ chain, kind })),
);

test("every rule of the schema has words", () => {
  expect(Object.keys(POLICY_WORDS).toSorted()).toEqual(fields.toSorted());
});

describe.each(owners)("the policy of a $kind on $chain", (owner) => {
  test("each rule is whole sentences, set or open", () => {
    for (const policy of [OPEN, ALL_SET])
      for (const { field, sentence, risk } of policyInWords(policy, owner)) {
        expect(sentence, field).toMatch(/^[A-Z].*\.$/);
        if (risk !== null) expect(risk, field).toMatch(/^[A-Z].*\.$/);
      }
  });

  test("a rule that is set has other words than an open one, and no risk", () => {
    const open = new Map(policyInWords(OPEN, owner).map((rule) => [rule.field, rule]));
    for (const rule of policyInWords(ALL_SET, owner)) {
      expect(rule).toMatchObject({ isOpen: false, risk: null });
      expect(open.get(rule.field)).toMatchObject({ isOpen: true });
      expect(rule.sentence).not.toBe(open.get(rule.field)?.sentence);
    }
  });
});

test("a limit is an amount of the chain's coin", () => {
  const sentences = (chain: Chain) =>
    policyInWords(ALL_SET, { chain, kind: "key" })
      .map(({ sentence }) => sentence)
      .join("\n");
  expect(sentences("sui")).toContain("At most 0.015 SUI a day");
  expect(sentences("aptos")).toContain("At most 0.15 APT a day");
});

test("the risk of a key's open gas budget names the fund's policy, which may limit it", () => {
  const risks = (["key", "fund"] as const).map((kind) => POLICY_WORDS.maxGasBudget(OPEN, { kind, chain: "sui" }).risk);
  expect(risks.map((risk) => /unless the fund's policy limits it/.test(risk ?? ""))).toEqual([true, false]);
});

test("a list names its entries, and a denied entry is named beside the allowed ones", () => {
  const [targets] = policyInWords(ALL_SET, { chain: "sui", kind: "fund" });
  expect(targets?.sentence).toBe(
    `Pays only for calls of 0x${"1".repeat(64)}::game::*. Never pays for calls of 0x${"2".repeat(64)}::game::cheat.`,
  );
});

test("an empty list restricts nothing", () => {
  const policy = { ...OPEN, moveTargets: { allow: [], deny: [] } };
  expect(policyInWords(policy, { chain: "sui", kind: "fund" })[0]).toMatchObject({ isOpen: true });
});

test("a limit of zero sponsorships says that nothing is sponsored", () => {
  const rule = policyInWords({ ...OPEN, maxInFlightCount: 0 }, { chain: "sui", kind: "key" }).find(
    ({ field }) => field === "maxInFlightCount",
  );
  expect(rule).toMatchObject({ isOpen: false, sentence: "No sponsorship may be open: nothing is sponsored." });
});
