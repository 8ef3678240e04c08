import { describe, expect, test } from "vitest";
import { policy as shipped } from "../../functions/policy.ts";
import { inspectKind } from "../../shared/chain/sui/kind.ts";
import { networks } from "../../shared/networks.ts";
import { compilePolicy } from "../../shared/policy/compile-fund-policy.ts";
import { judge } from "../../shared/policy/evaluate.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { isSameList, keyMoveTargets, NO_CALLS } from "../../shared/policy/key-policy.ts";
import { policyPatchSchema } from "../../shared/policy/policy-schema.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import {
  allowMoveCalls,
  allowPlainTransfers,
  allowScripts,
  allowWallets,
  denySenders,
} from "../../shared/policy/rules.ts";
import { commandsOf, kindOf, PACKAGE, request, SENDER } from "./requests.ts";

const PLAY = `${PACKAGE}::game::play`;
const DEMO = "0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*";
const onTestnet = (rules: readonly Rule[]) => keyMoveTargets(rules, "SUI_TESTNET");

describe("the access key of the workflows", () => {
  test("allows, for the policy as shipped, the demo on development chains and nothing elsewhere", () => {
    for (const network of networks)
      expect(keyMoveTargets(shipped, network), network).toEqual(network.endsWith("LOCALNET") ? [DEMO] : [NO_CALLS]);
  });

  test("allows the calls of every rule on its network, once each, whatever their types", () => {
    const rules = [
      allowMoveCalls(["SUI_TESTNET", "SUI_MAINNET"], [PLAY, `${PACKAGE}::shop::buy<0x2::sui::SUI>`]),
      allowMoveCalls(["SUI_TESTNET"], [PLAY, "0x2::coin::zero"]),
      allowMoveCalls(["SUI_MAINNET"], [`${PACKAGE}::admin::*`]),
      allowWallets(),
      denySenders([SENDER]),
    ];
    const zero = `0x${"2".padStart(64, "0")}::coin::zero`;
    expect(onTestnet(rules)).toEqual([zero, PLAY, `${PACKAGE}::shop::buy`]);
  });

  test("allows what a rule of the app's own says that it may allow, and nothing for one that says so", () => {
    const judgeIt = () => ({ verdict: "allow" }) as const;
    const silent: Rule = { name: "mine", mayAllow: null, judge: judgeIt };
    expect(onTestnet([silent])).toEqual([NO_CALLS]);
    const named: Rule = { ...silent, mayAllow: { networks: ["SUI_TESTNET"], targets: ["0x2::coin::zero"] } };
    expect(onTestnet([named])).toEqual([`0x${"2".padStart(64, "0")}::coin::zero`]);
  });

  test("allows any call where a rule allows what no list of calls can name", () => {
    const calls = allowMoveCalls(["SUI_TESTNET", "APTOS_TESTNET"], [PLAY]);
    expect(onTestnet([calls, allowPlainTransfers(["SUI_TESTNET"])])).toBeNull();
    expect(onTestnet([calls, allowPlainTransfers(["SUI_MAINNET"])])).toEqual([PLAY]);
    const scripts = allowScripts(["APTOS_TESTNET"], [`0x${"0".repeat(64)}`]);
    expect(keyMoveTargets([calls, scripts], "APTOS_TESTNET")).toBeNull();
  });

  test("is a list that a key takes, and what a key without calls has sponsored is nothing", () => {
    for (const allow of [onTestnet([]), onTestnet([allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::a_$1::*`])])])
      expect(policyPatchSchema.parse({ moveTargets: { allow } })).toEqual({ moveTargets: { allow } });
    const none = compilePolicy({ ...defaultKeyPolicy("sui"), moveTargets: { allow: [NO_CALLS], deny: null } }, "sui");
    for (const moveTargets of [[], [PLAY], [`0x${"2".padStart(64, "0")}::coin::zero`]])
      expect(
        none.evaluateTerms({ moveTargets, publishesCode: false, sender: SENDER, gasBudgetAtoms: null }),
      ).not.toBeNull();
  });

  test("allows what the rule allows around a call: the coins, options and vectors of an SDK", async () => {
    const kind = await kindOf((tx) => {
      const coin = tx.coin({ balance: 5n, type: `${PACKAGE}::gold::GOLD` });
      const option = tx.object.option({ type: `${PACKAGE}::game::Item`, value: null });
      const list = tx.makeMoveVec({ type: "u64", elements: [tx.pure.u64(1)] });
      const paid = tx.moveCall({ target: PLAY, arguments: [coin, option, list] });
      tx.moveCall({
        target: "0x2::transfer::public_transfer",
        typeArguments: [`${PACKAGE}::game::Item`],
        arguments: [paid, tx.pure.address(SENDER)],
      });
    });
    const rules = [allowMoveCalls(["SUI_TESTNET"], [PLAY])];
    const commands = commandsOf(kind);
    if (commands === null) throw new Error("no kind");
    expect(judge(rules, request({ commands }))).toEqual({ allowed: true });
    const inspected = inspectKind(kind);
    if (!inspected.ok) throw new Error("no kind");
    const { moveTargets, publishesCode } = inspected.value;
    expect(moveTargets.length, "several calls beside the app's own").toBeGreaterThan(2);
    const asked = { moveTargets, publishesCode, sender: SENDER, gasBudgetAtoms: null };
    const withList = (allow: readonly string[] | null) =>
      compilePolicy({ ...defaultKeyPolicy("sui"), moveTargets: { allow, deny: null } }, "sui").evaluateTerms(asked);
    expect(withList(onTestnet(rules))).toBeNull();
    expect(withList([`${PACKAGE}::other::*`])).toMatchObject({ rule: "moveTargets" });
  });
});

test("two lists are the same in whatever order, and an empty one is none", () => {
  expect(isSameList(["a", "b"], ["b", "a", "a"])).toBe(true);
  expect(isSameList([], null)).toBe(true);
  expect(isSameList(["a"], null)).toBe(false);
  expect(isSameList(["a"], ["a", "b"])).toBe(false);
});
