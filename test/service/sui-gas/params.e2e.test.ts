import { toBase64 } from "@mysten/sui/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUDGET, expectNothingHeld, fundWithKey, newUser, refused } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const sender = newUser().toSuiAddress();

let fund: Awaited<ReturnType<typeof fundWithKey>>;
let mint: string;
beforeAll(async () => {
  fund = await fundWithKey();
  mint = toBase64(await mintKind());
});
afterAll(() => expectNothingHeld(fund));

function badParams(details: RegExp) {
  return {
    code: -32602,
    message: "Invalid params",
    data: { reason: "bad_params", details: expect.stringMatching(details) },
  };
}

const names = ["transactionBytes", "sender", "gasBudget", "gasPrice"] as const;

test.each([
  ["transactionBytes", "missing", null, /is required$/],
  ["transactionBytes", "not base64", "!!!!", /base64/],
  ["transactionBytes", "base64 without padding", "AAE", /base64/],
  ["transactionBytes", "empty", "", /base64/],
  ["transactionBytes", "a number", 7, /base64/],
  ["transactionBytes", "too long", "A".repeat(174_768), /at most 131072 bytes/],
  ["sender", "missing", null, /is required$/],
  ["sender", "without 0x", "29df", /must be a Sui address/],
  ["sender", "too long", `0x${"0".repeat(65)}`, /must be a Sui address/],
  ["sender", "an object", {}, /must be a Sui address/],
  ["gasBudget", "negative", "-1", /must be a u64/],
  ["gasBudget", "a fraction", 1.5, /send a decimal string/],
  ["gasBudget", "beyond 2^53 as a number", 2 ** 53, /send a decimal string/],
  ["gasBudget", "beyond u64", "18446744073709551616", /u64/],
  ["gasBudget", "with a leading zero", "05000000", /decimal string/],
  ["gasBudget", "hexadecimal", "0x10", /decimal string/],
  ["gasBudget", "a boolean", true, /must be a u64/],
  ["gasPrice", "negative", -1, /decimal string/],
  ["gasPrice", "text", "fast", /must be a u64/],
] as const)("%s is refused by name where it is %s", async (name, _what, value, details) => {
  const good: readonly unknown[] = [mint, sender, BUDGET, "1000"];
  const params = good.with(names.indexOf(name), value);
  for (const method of ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"])
    expect(await refused(fund.key, method, params)).toEqual(badParams(new RegExp(`^${name}: .*${details.source}`)));
});

const DIGEST = "1".repeat(32);

test.each([
  ["gas_sponsorTransactionBlock", ["AAAA", sender, BUDGET, "1000", 1], /takes at most 4 parameters/],
  ["gas_getSponsoredTransactionBlockStatus", [], /^transactionDigest: is required/],
  ["gas_getSponsoredTransactionBlockStatus", ["0OIl"], /^transactionDigest: must be the base58/],
  ["gas_getSponsoredTransactionBlockStatus", [DIGEST.slice(1)], /^transactionDigest: must be the base58/],
  ["gas_executeTransactionBlock", [null, "AAAA"], /^txDigest: is required/],
  ["gas_executeTransactionBlock", [DIGEST], /^senderSignature: is required/],
  ["gas_executeTransactionBlock", [DIGEST, "***"], /^senderSignature: must be base64/],
  ["gas_executeTransactionBlock", [DIGEST, "AAAA", "WaitForever"], /^requestType: must be WaitForEffectsCert or/],
  ["gas_getFund", ["extra"], /takes no parameters/],
])("%s names what is wrong with %j", async (method, params, details) => {
  expect(await refused(fund.key, method, params)).toEqual(badParams(details));
});
