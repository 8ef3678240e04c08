import { describe, expect, test } from "vitest";
import { policy } from "../../functions/policy.ts";
import {
  allowMoveCalls,
  allowPlainTransfers,
  denySenders,
  judge,
  lowestGasBudgetCap,
  lowestUserCap,
  maxGasBudget,
  NO_CAP,
  perUserCap,
  type Rule,
  type SponsoredTransaction,
} from "../../shared/policy/rules.ts";

const PACKAGE = `0x${"ab".repeat(32)}`;
const SUI_FRAMEWORK = `0x${"2".padStart(64, "0")}`;
const SENDER = `0x${"5".repeat(64)}`;

function transaction(change: Partial<SponsoredTransaction> = {}): SponsoredTransaction {
  return {
    network: "SUI_TESTNET",
    user: "user-1",
    sender: SENDER,
    moveTargets: [`${PACKAGE}::game::play`],
    bringsCode: false,
    gasBudgetAtoms: null,
    ...change,
  };
}

/** The name of the rule that refuses it; null where it is allowed. */
function refusedBy(rules: readonly Rule[], change: Partial<SponsoredTransaction> = {}): string | null {
  const verdict = judge(rules, transaction(change));
  return verdict.allowed ? null : verdict.rule;
}

describe("judge", () => {
  const allow: Rule = { name: "allow", judge: () => ({ verdict: "allow" }) };
  const pass: Rule = { name: "pass", judge: () => ({ verdict: "pass" }) };
  const refuse: Rule = { name: "refuse", judge: () => ({ verdict: "refuse", why: "because" }) };

  test("refuses what no rule allows, an empty policy everything", () => {
    expect(refusedBy([])).toBe("default");
    expect(refusedBy([pass, pass])).toBe("default");
    expect(refusedBy([pass, allow, pass])).toBe(null);
  });

  test("lets a refusal win over every permission, whatever their order, and says whose and why", () => {
    for (const rules of [
      [allow, refuse, allow],
      [refuse, allow],
      [allow, allow, refuse],
    ])
      expect(judge(rules, transaction())).toEqual({ allowed: false, rule: "refuse", why: "because" });
  });
});

describe("allowMoveCalls", () => {
  const rules = (...targets: string[]) => [allowMoveCalls(["SUI_TESTNET"], targets)];

  test("allows a function, a module or a package that is listed, and nothing else of it", () => {
    for (const target of [`${PACKAGE}::game::play`, `${PACKAGE}::game::*`, `${PACKAGE}::*`])
      expect(refusedBy(rules(target)), target).toBe(null);
    for (const target of [
      `${PACKAGE}::game::pla`,
      `${PACKAGE}::game::player`,
      `${PACKAGE}::gam::*`,
      `${PACKAGE}::games::*`,
      `0x${"ac".repeat(32)}::*`,
      PACKAGE,
    ])
      expect(refusedBy(rules(target)), target).toBe("default");
  });

  test("does not take a module for another whose name it begins", () => {
    expect(refusedBy(rules(`${PACKAGE}::game::*`), { moveTargets: [`${PACKAGE}::game_admin::drain`] })).toBe("default");
  });

  test("takes short, long, upper-case and unprefixed package ids for one", () => {
    const moveTargets = [`${SUI_FRAMEWORK}::coin::zero`];
    for (const target of ["0x2::coin::zero", "0x02::coin::*", `${SUI_FRAMEWORK}::*`, "2::coin::zero"])
      expect(refusedBy(rules(target), { moveTargets }), target).toBe(null);
    expect(refusedBy(rules(`${PACKAGE.toUpperCase().replace("0X", "0x")}::game::play`))).toBe(null);
  });

  test("wants every call of a transaction listed, and at least one", () => {
    const listed = rules(`${PACKAGE}::game::play`);
    const both = [`${PACKAGE}::game::play`, `${PACKAGE}::shop::buy`];
    expect(refusedBy(listed, { moveTargets: both })).toBe("default");
    expect(refusedBy(rules(...both), { moveTargets: both })).toBe(null);
    expect(refusedBy(listed, { moveTargets: [] })).toBe("default");
  });

  test("is of its networks only, and never for code that is published beside the calls", () => {
    const listed = rules(`${PACKAGE}::*`);
    expect(refusedBy(listed, { network: "SUI_MAINNET" })).toBe("default");
    expect(refusedBy(listed, { bringsCode: true })).toBe("default");
  });
});

test("allowPlainTransfers allows what makes no Move call and publishes nothing, on its networks", () => {
  const rules = [allowPlainTransfers(["SUI_TESTNET"])];
  expect(refusedBy(rules, { moveTargets: [] })).toBe(null);
  expect(refusedBy(rules)).toBe("default");
  expect(refusedBy(rules, { moveTargets: [], network: "SUI_DEVNET" })).toBe("default");
  expect(refusedBy(rules, { moveTargets: [], bringsCode: true })).toBe("default");
});

test("maxGasBudget refuses above its bound, not at it, and has nothing to say while the budget is unknown", () => {
  const rules = [allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::*`]), maxGasBudget("sui", 100n)];
  expect(refusedBy(rules, { gasBudgetAtoms: 100n })).toBe(null);
  expect(refusedBy(rules, { gasBudgetAtoms: 101n })).toBe("maxGasBudget");
  expect(refusedBy(rules, { gasBudgetAtoms: null })).toBe(null);
  expect(refusedBy([maxGasBudget("sui", 100n)], { gasBudgetAtoms: 1n }), "it allows nothing").toBe("default");
});

test("denySenders refuses the listed senders, in short or long form", () => {
  const rules = (...senders: string[]) => [allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::*`]), denySenders(senders)];
  expect(refusedBy(rules(SENDER))).toBe("denySenders");
  expect(refusedBy(rules(SENDER.toUpperCase().replace("0X", "0x")))).toBe("denySenders");
  expect(refusedBy(rules("0x7"), { sender: `0x${"7".padStart(64, "0")}` })).toBe("denySenders");
  expect(refusedBy(rules("0x7"))).toBe(null);
});

test("rules of one chain have nothing to say of the other", () => {
  const rules = [allowMoveCalls(["APTOS_TESTNET"], [`${PACKAGE}::*`]), maxGasBudget("sui", 100n)];
  expect(refusedBy(rules, { network: "APTOS_TESTNET", gasBudgetAtoms: 101n })).toBe(null);
  expect(refusedBy(rules, { network: "SUI_TESTNET" })).toBe("default");
  expect(refusedBy(rules, { network: "APTOS_TESTNET", bringsCode: true })).toBe("default");
  expect(lowestGasBudgetCap([...rules, maxGasBudget("sui", 90n)], "sui")).toBe(90n);
  expect(lowestGasBudgetCap(rules, "aptos")).toBe(null);
});

test("caps of users add up to the lowest of each, chain by chain", () => {
  const rules = [
    perUserCap("sui", { transactionsPerDay: 5, gasPerDayAtoms: 70n }),
    perUserCap("sui", { gasPerDayAtoms: 60n, heldAtOnce: 9 }),
    perUserCap("aptos", { transactionsPerDay: 1 }),
  ];
  expect(lowestUserCap(rules, "sui")).toEqual({ transactionsPerDay: 5, gasPerDayAtoms: 60n, heldAtOnce: 9 });
  expect(lowestUserCap(rules, "aptos")).toEqual({ ...NO_CAP, transactionsPerDay: 1 });
  expect(lowestUserCap([], "sui")).toEqual(NO_CAP);
  expect(refusedBy(rules), "a cap allows nothing").toBe("default");
});

test("the policy as shipped sponsors the demo package of the local chain, and nothing anywhere else", () => {
  const demo = [`0xdec0de${"1".padStart(58, "0")}::demo::mint`];
  expect(refusedBy(policy, { network: "SUI_LOCALNET", moveTargets: demo })).toBe(null);
  for (const network of ["SUI_MAINNET", "SUI_TESTNET", "SUI_DEVNET"] as const)
    expect(refusedBy(policy, { network, moveTargets: demo }), network).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET" })).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET", moveTargets: [] })).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET", moveTargets: demo, gasBudgetAtoms: 100_000_001n })).toBe(
    "maxGasBudget",
  );
});
