import { describe, expect, test } from "vitest";
import { policy } from "../../functions/policy.ts";
import { chainOf } from "../../shared/networks.ts";
import { gasBudgetCeiling, judge, lowestGasBudgetCap, lowestUserCap } from "../../shared/policy/evaluate.ts";
import type { PolicyRequest, TransactionRequest } from "../../shared/policy/request.ts";
import { NO_CAP, type Rule } from "../../shared/policy/rule.ts";
import {
  allowMoveCalls,
  allowPlainTransfers,
  allowScripts,
  allowWallets,
  denySenders,
  maxGasBudget,
  perUserCap,
} from "../../shared/policy/rules.ts";
import { call, PACKAGE, request, SENDER } from "./requests.ts";

const SUI_FRAMEWORK = `0x${"2".padStart(64, "0")}`;

type Asked = Partial<TransactionRequest> & { readonly budget?: bigint; readonly targets?: readonly string[] };

function asked({ budget, targets, ...change }: Asked = {}): TransactionRequest {
  const calls = targets?.map((target) => call(target));
  const network = change.network ?? "SUI_TESTNET";
  return request({
    chain: chainOf(network),
    ...(calls !== undefined && { commands: calls }),
    ...(budget !== undefined && { gas: { budgetAtoms: budget, payer: "fund" } }),
    ...change,
  });
}

/** The name of the rule that refuses it; null where it is allowed. */
function refusedBy(rules: readonly Rule[], change: Asked = {}): string | null {
  const verdict = judge(rules, asked(change));
  return verdict.allowed ? null : verdict.rule;
}

describe("judge", () => {
  const allow: Rule = { name: "allow", mayAllow: null, judge: () => ({ verdict: "allow" }) };
  const pass: Rule = { name: "pass", mayAllow: null, judge: () => ({ verdict: "pass" }) };
  const refuse: Rule = { name: "refuse", mayAllow: null, judge: () => ({ verdict: "refuse", why: "because" }) };

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
      expect(judge(rules, asked())).toEqual({ allowed: false, rule: "refuse", why: "because" });
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
    ])
      expect(refusedBy(rules(target)), target).toBe("default");
  });

  test("does not take a module for another whose name it begins", () => {
    expect(refusedBy(rules(`${PACKAGE}::game::*`), { targets: [`${PACKAGE}::game_admin::drain`] })).toBe("default");
  });

  test("takes short, long and upper-case package ids for one", () => {
    const targets = [`${SUI_FRAMEWORK}::coin::zero`];
    for (const target of ["0x2::coin::zero", "0x02::coin::*", `${SUI_FRAMEWORK}::*`])
      expect(refusedBy(rules(target), { targets }), target).toBe(null);
    expect(refusedBy(rules(`${PACKAGE.toUpperCase().replace("0X", "0x")}::game::play`))).toBe(null);
  });

  test("wants every call of a transaction listed, and at least one", () => {
    const listed = rules(`${PACKAGE}::game::play`);
    const both = [`${PACKAGE}::game::play`, `${PACKAGE}::shop::buy`];
    expect(refusedBy(listed, { targets: both })).toBe("default");
    expect(refusedBy(rules(...both), { targets: both })).toBe(null);
    expect(refusedBy(listed, { targets: [] })).toBe("default");
  });

  test("is of its networks only, and never for code that is published beside the calls", () => {
    const listed = rules(`${PACKAGE}::*`);
    expect(refusedBy(listed, { network: "SUI_MAINNET" })).toBe("default");
    expect(refusedBy(listed, { commands: [call(`${PACKAGE}::game::play`), { kind: "publish" }] })).toBe("default");
  });
});

test("allowPlainTransfers allows what makes no Move call and publishes nothing, on its networks", () => {
  const rules = [allowPlainTransfers(["SUI_TESTNET"])];
  expect(refusedBy(rules, { targets: [] })).toBe(null);
  expect(refusedBy(rules)).toBe("default");
  expect(refusedBy(rules, { targets: [], network: "SUI_DEVNET" })).toBe("default");
  expect(refusedBy(rules, { commands: [{ kind: "publish" }] })).toBe("default");
});

test("maxGasBudget refuses above its bound, not at it, and has nothing to say while the budget is unknown", () => {
  const rules = [allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::*`]), maxGasBudget("sui", 100n)];
  expect(refusedBy(rules, { budget: 100n })).toBe(null);
  expect(refusedBy(rules, { budget: 101n })).toBe("maxGasBudget");
  expect(refusedBy(rules, { gas: { budgetAtoms: null, payer: "fund" } })).toBe(null);
  expect(refusedBy([maxGasBudget("sui", 100n)], { budget: 1n }), "it allows nothing").toBe("default");
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
  expect(refusedBy(rules, { network: "APTOS_TESTNET", budget: 101n })).toBe(null);
  expect(refusedBy(rules, { network: "SUI_TESTNET" })).toBe("default");
  expect(lowestGasBudgetCap([...rules, maxGasBudget("sui", 90n)], "sui")).toBe(90n);
  expect(lowestGasBudgetCap(rules, "aptos")).toBe(null);
});

test("caps of users add up to the lowest of each, chain by chain", () => {
  const rules = [
    perUserCap("sui", { transactionsPerDay: 5, gasPerDayAtoms: 70n }),
    perUserCap("sui", { gasPerDayAtoms: 60n, heldAtOnce: 9 }),
    perUserCap("aptos", { transactionsPerDay: 1 }),
  ];
  expect(lowestUserCap(rules, "sui")).toEqual({
    transactionsPerDay: 5,
    gasPerDayAtoms: 60n,
    heldAtOnce: 9,
    heldGasAtoms: null,
  });
  const ceilings = [maxGasBudget("sui", 10n), perUserCap("sui", { heldGasAtoms: 9n }), maxGasBudget("aptos", 8n)];
  expect(gasBudgetCeiling(ceilings, "sui")).toEqual({ maxAtoms: 9n, rule: "perUserCap" });
  expect(gasBudgetCeiling(ceilings, "aptos")).toEqual({ maxAtoms: 8n, rule: "maxGasBudget" });
  expect(gasBudgetCeiling(rules, "sui")).toBe(null);
  expect(lowestUserCap(rules, "aptos")).toEqual({ ...NO_CAP, transactionsPerDay: 1 });
  expect(lowestUserCap([], "sui")).toEqual(NO_CAP);
  expect(refusedBy(rules), "a cap allows nothing").toBe("default");
});

test("the policy as shipped sponsors the demo package of the local chain, and nothing anywhere else", () => {
  const demo = [`0xdec0de${"1".padStart(58, "0")}::demo::mint`];
  expect(refusedBy(policy, { network: "SUI_LOCALNET", targets: demo })).toBe(null);
  for (const network of ["SUI_MAINNET", "SUI_TESTNET", "SUI_DEVNET"] as const)
    expect(refusedBy(policy, { network, targets: demo }), network).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET" })).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET", targets: [] })).toBe("default");
  expect(refusedBy(policy, { network: "SUI_LOCALNET", targets: demo, budget: 100_000_001n })).toBe("maxGasBudget");
});

test("only allowWallets allows a wallet, on its networks, and it allows nothing else", () => {
  const wallet = { user: request().user, action: "create_wallet", chain: "sui", network: "SUI_TESTNET" } as const;
  const others: readonly Rule[] = [
    allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::*`]),
    allowPlainTransfers(["SUI_TESTNET"]),
    allowScripts(["APTOS_TESTNET"], [`0x${"0".repeat(64)}`]),
    maxGasBudget("sui", 1n),
    denySenders([SENDER]),
    perUserCap("sui", { transactionsPerDay: 0 }),
  ];
  const closed = { allowed: false, rule: "default", why: "no rule of the app's policy allows a wallet for this user" };
  expect(judge(others, wallet)).toEqual(closed);
  expect(judge([...others, allowWallets()], wallet)).toEqual({ allowed: true });
  const elsewhere: PolicyRequest = { ...wallet, network: "SUI_MAINNET" };
  const why = `${closed.why} (allowWallets: makes no wallets on SUI_MAINNET)`;
  expect(judge([allowWallets(["SUI_TESTNET"])], elsewhere)).toEqual({ ...closed, why });
  expect(refusedBy([allowWallets()])).toBe("default");
});
