import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect } from "vitest";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";
import type { Network } from "../../shared/networks.ts";
import { judge } from "../../shared/policy/evaluate.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import * as rules from "../../shared/policy/rules.ts";
import { longTest, shortCases, shortTest } from "../support/rounds.ts";
import { placeholderPolicy } from "./placeholder-policy.ts";
import { call, PACKAGE, request, STRANGER, USER } from "./requests.ts";

/** The examples in the comment of `functions/policy.ts`, and what a policy may not say. */

const { allowMoveCalls, allowPlainTransfers, allowScripts, denySenders, maxGasBudget, perUserCap } = rules;

const source = await readFile(join(root, "functions/policy.ts"), "utf8");
const shown = source.split("\n").flatMap((line) => (line.startsWith(" *     ") ? [line.slice(" *     ".length)] : []));
const isMessage = (line: string) => line.startsWith("default: ");
const examples = shown.filter((line) => !isMessage(line)).join("\n");
const filledIn = examples.replaceAll(/0x<[^>]*>/g, PACKAGE);

function rulesOf(text: string): readonly Rule[] {
  const names = Object.keys(rules);
  const made: unknown = new Function(...names, `return [${text}]`)(...Object.values(rules));
  const isRule = (value: unknown): value is Rule =>
    z.object({ name: z.string(), judge: z.function() }).safeParse(value).success;
  return z.array(z.custom<Rule>(isRule)).parse(made);
}

/** What the compiler reports of each text, in a file in the place of `functions/policy.ts`. */
function complaintsAbout(texts: readonly string[]): readonly (readonly string[])[] {
  const names = Object.keys(rules).join(", ");
  const files = new Map(
    texts.map((text, index) => [
      join(root, `functions/policy-example-${index}.ts`),
      `import type { Rule } from "../shared/policy/rule.ts";
import { ${names} } from "../shared/policy/rules.ts";
export const policy: readonly Rule[] = [
${text}
];
export const used = { ${names} };
`,
    ]),
  );
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.getSourceFile = (name, ...how) => {
    const file = files.get(name);
    return file === undefined ? getSourceFile(name, ...how) : ts.createSourceFile(name, file, how[0]);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  return [...files.keys()].map((path) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  );
}

describe("the examples in functions/policy.ts", () => {
  longTest("compile", () => {
    const [ofExamples, ofMisspelt] = complaintsAbout([
      examples,
      `allowMoveCalls(["SUI_TESNET"], ["0x2::coin::zero"]),`,
    ]);
    expect(ofExamples).toEqual([]);
    expect(ofMisspelt).toHaveLength(1);
  });

  shortTest("are rules once the app's own packages stand in them", () => {
    const made = rulesOf(filledIn);
    expect(made.length).toBeGreaterThanOrEqual(6);
    const verified = { ...USER, claims: { email_verified: true } };
    const play = request({ network: "SUI_MAINNET", user: verified });
    expect(judge(made, play)).toEqual({ allowed: true });
    expect(judge(made, { ...play, user: USER })).toMatchObject({ rule: "verifiedUsers" });
    expect(judge(made, { ...play, sender: PACKAGE })).toMatchObject({ rule: "denySenders" });
  });

  shortTest("show the error of what is refused, as the caller hears it", () => {
    const gives = { kind: "transfer", objects: [{ kind: "result", command: 0, index: null }] } as const;
    const commands = [call(`${PACKAGE}::game::play`), call(`${PACKAGE}::game::play`)];
    const verdict = judge(
      [allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::game::play`])],
      request({ commands: [...commands, { ...gives, recipient: STRANGER }] }),
    );
    if (verdict.allowed) throw new Error("allowed");
    const message = `${verdict.rule}: ${verdict.why}`;
    expect(message.replace(STRANGER, "0x…")).toBe(shown.find(isMessage));
  });
});

const PLAY = `${PACKAGE}::game::play`;
/** As a policy without types could name it. */
const unknown = (name: string) => [name as Network];

describe("a policy that cannot mean what it says is not loaded", () => {
  shortCases.each<[string, () => unknown, RegExp]>([
    ["a placeholder", () => allowMoveCalls(["SUI_TESTNET"], ["0x<your package>::game::play"]), /is a placeholder/],
    ["a placeholder of dots", () => allowMoveCalls(["SUI_TESTNET"], ["0x...::game::play"]), /is a placeholder/],
    ["a placeholder for an address", () => denySenders(["0x<an address>"]), /denySenders: .* is a placeholder/],
    ["a package alone", () => allowMoveCalls(["SUI_TESTNET"], [PACKAGE]), /must be 0x…::module::function/],
    ["a module alone", () => allowMoveCalls(["SUI_TESTNET"], [`${PACKAGE}::game`]), /must be 0x…::module::function/],
    ["no package", () => allowMoveCalls(["SUI_TESTNET"], ["game::play"]), /must be 0x…::module::function/],
    ["a package without 0x", () => allowMoveCalls(["SUI_TESTNET"], [PLAY.slice(2)]), /must be 0x…::module::function/],
    ["an address cut short", () => allowMoveCalls(["SUI_TESTNET"], ["0xdec0de::game::play"]), /cut short/],
    ["a sender cut short", () => denySenders(["0xdec0de1234"]), /cut short/],
    ["an unknown network", () => allowMoveCalls(unknown("SUI_TESNET"), [PLAY]), /"SUI_TESNET" is not a network/],
    ["no network", () => allowMoveCalls([], [PLAY]), /names no network/],
    ["no network for transfers", () => allowPlainTransfers([]), /allowPlainTransfers: names no network/],
    ["no call", () => allowMoveCalls(["SUI_TESTNET"], []), /names no Move call/],
    ["a script by no hash", () => allowScripts(["APTOS_TESTNET"], ["0xab"]), /SHA3-256/],
    ["a budget below zero", () => maxGasBudget("sui", -1n), /whole number/],
    ["half a transaction", () => perUserCap("sui", { transactionsPerDay: 0.5 }), /transactionsPerDay/],
  ])("%s", (_, load, why) => {
    expect(load).toThrow(why);
  });

  shortTest("and names the file and the line", () => {
    expect(placeholderPolicy).toThrow(
      /^policy\/placeholder-policy\.ts:5: allowMoveCalls: "0x<your package>::game::play" is a placeholder/,
    );
  });
});
