import { sha3_256 } from "@noble/hashes/sha3.js";
import { describe, expect, test } from "vitest";
import { toHex } from "../../shared/bytes.ts";
import { commandOf } from "../../shared/chain/aptos/commands.ts";
import { decodeRawTransaction } from "../../shared/chain/aptos/raw-transaction.ts";
import { aptosTransactionRequest } from "../../shared/policy/aptos-transaction.ts";
import { judge } from "../../shared/policy/evaluate.ts";
import type { Rule } from "../../shared/policy/rule.ts";
import { allowMoveCalls, allowScripts } from "../../shared/policy/rules.ts";
import { join, payloads, transaction } from "../chain/aptos/by-hand.ts";
import { USER } from "./requests.ts";

/** Of `payloads`: the bytecode of each script, and the call of each entry function. */
const CODE_HASH = `0x${toHex(sha3_256(Uint8Array.of(0xa1, 0x1c)))}`;
const CALLED = "0x1::coin::transfer";
const TYPES = "<0x1::coin::Coin<u8, vector<u8>>>";

function payloadOf(name: string) {
  const decoded = decodeRawTransaction(join(transaction(payloads[name] ?? [])));
  if (!decoded.ok) throw new Error(`${name}: ${decoded.error.details}`);
  return decoded.value;
}

function verdictOn(rule: Rule, name: string): string {
  const terms = { network: "APTOS_TESTNET", user: USER, action: "sign", payer: "sender" } as const;
  const verdict = judge([rule], aptosTransactionRequest(payloadOf(name), terms));
  return verdict.allowed ? "allowed" : verdict.why;
}

const names = Object.keys(payloads);
const isCall = (name: string) => !name.includes("multisig") && !name.includes("script");

describe("of an Aptos transaction", () => {
  test.each(names)("a listed call is allowed, and no script and no multisig account's: %s", (name) => {
    const verdict = verdictOn(allowMoveCalls(["APTOS_TESTNET"], [CALLED]), name);
    expect(verdict).toMatch(isCall(name) ? /^allowed$/ : /runs the script|acts for the multisig account/);
  });

  test.each(names)("a script is allowed by its hash alone: %s", (name) => {
    const isPlainScript = name === "script" || name === "versioned script";
    expect(verdictOn(allowScripts(["APTOS_TESTNET"], [CODE_HASH]), name) === "allowed").toBe(isPlainScript);
    expect(verdictOn(allowScripts(["APTOS_TESTNET"], [`0x${"00".repeat(32)}`]), name)).toMatch(/no script/);
  });

  test("a call is allowed by its types, where the list names them", () => {
    const types = (listed: string) => verdictOn(allowMoveCalls(["APTOS_TESTNET"], [listed]), "entry function");
    expect(types(`${CALLED}${TYPES}`)).toBe("allowed");
    expect(types(`${CALLED}<u8>`)).toMatch(/calls 0x0+1::coin::transfer, which is not listed/);
  });

  test("a call of another function is not", () => {
    expect(verdictOn(allowMoveCalls(["APTOS_TESTNET"], ["0x1::coin::burn"]), "entry function")).toMatch(/not listed/);
  });

  test("its one command is what the chain runs", () => {
    expect(commandOf(payloadOf("multisig, stored").payload)).toMatchObject({ kind: "multisig", runs: null });
    expect(commandOf(payloadOf("multisig, script").payload)).toMatchObject({
      runs: { kind: "script", codeHash: CODE_HASH },
    });
    expect(commandOf(payloadOf("orderless").payload)).toMatchObject({
      kind: "call",
      typeArguments: [expect.stringMatching(/^0x0+1::coin::Coin<u8, vector<u8>>$/)],
      arguments: [{ kind: "pure" }, { kind: "pure" }],
    });
  });
});
