import { toBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import type { HttpAnswer } from "../../../shared/cli/client/http.ts";
import { admin, gas, newFund, newKey } from "../../harness/harness.ts";
import { BUDGET, expectNothingHeld, fundWithKey, newUser, refusalOf } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const SPONSOR = "gas_sponsorTransactionBlock";
const params = async () => [toBase64(await mintKind()), newUser().toSuiAddress(), BUDGET];

const isRateLimited = ({ body }: HttpAnswer) => JSON.stringify(body).includes('"code":-32010');

function unauthorized(reason: string, details: RegExp) {
  const data = { reason, details: expect.stringMatching(details) };
  return { status: 401, body: { error: { code: -32001, message: "Unauthorized", data }, id: 1 } };
}

test("a key that the operator disables is refused from the next call, and serves again once it is enabled", async () => {
  const fund = await fundWithKey();
  const setStatus = async (status: string) =>
    expect((await admin("PATCH", `/keys/${fund.keyId}`, { status })).status).toBe(200);
  expect(await gas(fund.key, "gas_getFund", [])).toMatchObject({ status: 200, body: { result: {} } });
  for (let round = 0; round < 3; round++) {
    await setStatus("disabled");
    expect(await gas(fund.key, SPONSOR, await params())).toMatchObject(unauthorized("bad_key", /unknown or disabled/));
    await setStatus("active");
    await expectNothingHeld(fund);
  }
});

test("beyond its rate a key is refused with HTTP 200 and -32010, and admitted again after retryAfterMs", async () => {
  const fund = await newFund([]);
  const { key } = await newKey(fund, { limits: { qps: 1, cups: 1_000 } });
  // The bucket fills meanwhile, so that nobody can say which call is the first to be refused.
  let refusal = await gas(key, "gas_getFund", []);
  while (!isRateLimited(refusal)) refusal = await gas(key, "gas_getFund", []);
  const error = refusalOf(refusal);
  expect(error).toMatchObject({ code: -32010, message: "Too many requests", data: { reason: "rate_limited" } });
  const { retryAfterMs } = error.data;
  if (typeof retryAfterMs !== "number") throw new Error("no retryAfterMs");
  expect(retryAfterMs).toBeGreaterThan(0);
  // It is jittered, up to twice what is true.
  expect(retryAfterMs).toBeLessThanOrEqual(2_000);
  await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
  expect(await gas(key, "gas_getFund", [])).toMatchObject({ status: 200, body: { result: {} } });
});

test("a changed rate holds from the next call", async () => {
  const fund = await newFund([]);
  const { keyId, key } = await newKey(fund, { limits: { qps: 1, cups: 1_000 } });
  const burst = async (calls: number) => {
    const answers = await Promise.all(Array.from({ length: calls }, () => gas(key, "gas_getFund", [])));
    return answers.filter(isRateLimited).length;
  };
  expect(await burst(30)).toBeGreaterThan(0);
  await admin("PATCH", `/keys/${keyId}`, { limits: { qps: 10_000, cups: 1_000 } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await burst(30)).toBe(0);
});

test("a key with wallet rights only has no say over a fund", async () => {
  const fund = await newFund([]);
  const { key } = await newKey(fund, { rights: ["wallet"], fundId: null });
  for (const [method, args] of [
    [SPONSOR, await params()],
    ["gas_prepareTransactionBlock", await params()],
    ["gas_getFund", []],
    ["gas_getSponsoredTransactionBlockStatus", ["1".repeat(32)]],
    ["gas_executeTransactionBlock", ["1".repeat(32), "AAAA"]],
  ] as const)
    expect(await gas(key, method, args), method).toMatchObject(unauthorized("missing_right", /lacks the right: gas/));
});
