import {
  AccountAddress,
  EntryFunction,
  MultiSig,
  MultiSigTransactionPayload,
  type RawTransaction,
  TransactionExecutableEntryFunction,
  TransactionExtraConfigV1,
  TransactionInnerPayloadV1,
  type TransactionPayload,
  TransactionPayloadMultiSig,
} from "@aptos-labs/ts-sdk";
import { beforeAll, describe, expect, test } from "vitest";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import {
  aptosGas,
  authenticatorOf,
  entryFunction,
  expectReconciled,
  hexOf,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
  refusalOf,
  sponsorshipsOf,
  type Terms,
} from "../../support/aptos.ts";
import { clearUpstreamCalls, upstreamCalls } from "../../support/chain-control.ts";
import { figuresOf, patchFund, patchKey, revoke } from "../../support/operator.ts";

const increment = entryFunction(`${APTOS_DEMO_MODULE}::increment`, []);
const user = newAccount();
const sender = user.accountAddress.toString();
const other = newAccount().accountAddress.toString();

let fund: ProjectFund;
let key: string;
let keyId: string;
beforeAll(async () => {
  fund = await newAptosFund();
  ({ key, keyId } = await newAptosKey(fund, { rights: ["gas"] }));
});

const ASKED = 20;

function increments(): EntryFunction {
  return EntryFunction.build(`${APTOS_DEMO_MODULE.split("::")[0] ?? ""}::demo`, "increment", [], []);
}

/** With a nonce instead of a sequence number (AIP-123). */
function orderless(): TransactionPayload {
  const executable = new TransactionExecutableEntryFunction(increments());
  return new TransactionInnerPayloadV1(executable, new TransactionExtraConfigV1(undefined, 7n));
}

/** Both methods must refuse, and leave the fund as it was. */
async function expectRefused(raw: RawTransaction, reason: string, secondary: readonly string[] = []): Promise<void> {
  const before = await figuresOf(fund.fundId);
  const rows = await sponsorshipsOf(fund.fundId);
  const handedOut = await aptosGas(key, "gas_sponsorTransaction", [hexOf(raw), secondary]);
  expect(refusalOf(handedOut)).toMatchObject({ reason });
  if (secondary.length === 0) {
    const params = [hexOf(raw), authenticatorOf(user, raw)];
    expect(refusalOf(await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params))).toMatchObject({ reason });
  }
  expect(await figuresOf(fund.fundId)).toEqual(before);
  expect(await sponsorshipsOf(fund.fundId)).toEqual(rows);
}

describe("a fund never pays for", () => {
  const cases: readonly (readonly [string, string, Terms])[] = [
    ["what has expired", "expired", { expiresInSeconds: -1n }],
    ["what expires more than an hour ahead", "expiration_too_far", { expiresInSeconds: 3_700n }],
    ["another chain's transactions", "wrong_chain_id", { chainId: 2 }],
    ["a price below the chain's minimum", "gas_price_out_of_range", { gasPriceOctas: 99n }],
    ["a price far above the estimate", "gas_price_out_of_range", { gasPriceOctas: 501n }],
    ["less gas than any transaction takes", "gas_budget_out_of_range", { maxGasUnits: 1n }],
    ["more gas than the chain allows", "gas_budget_out_of_range", { maxGasUnits: 20_000_001n }],
    ["a first transaction that cannot make its account", "gas_budget_out_of_range", { maxGasUnits: 5_209n }],
    ["more than its limit", "policy_refused", { maxGasUnits: 2_000_001n }],
    ["a later transaction of an account that does not exist", "account_not_found", { sequenceNumber: 1n }],
    ["a sequence number beyond all", "unsupported_transaction", { sequenceNumber: 2n ** 64n - 1n }],
  ];
  test.each(cases)("%s", async (_, reason, terms) => {
    await expectRefused(await rawTransaction(sender, increment, terms), reason);
  });

  test("orderless transactions", async () => {
    for (const sequenceNumber of [0n, 2n ** 64n - 1n])
      await expectRefused(await rawTransaction(sender, orderless(), { sequenceNumber }), "unsupported_transaction");
  });

  test("transactions of on-chain multisig accounts", async () => {
    const payload = new TransactionPayloadMultiSig(
      new MultiSig(AccountAddress.from(other), new MultiSigTransactionPayload(increments())),
    );
    await expectRefused(await rawTransaction(sender, payload), "unsupported_transaction");
  });

  test("itself, as sender or as another signer, and nobody twice", async () => {
    await expectRefused(await rawTransaction(fund.depositAddress, increment), "sender_is_fund");
    const raw = await rawTransaction(sender, increment);
    await expectRefused(raw, "sender_is_fund", [fund.depositAddress]);
    await expectRefused(raw, "duplicate_signer", [sender]);
    await expectRefused(raw, "duplicate_signer", [other, other]);
  });

  test("bytes that are not exactly one transaction", async () => {
    const hex = hexOf(await rawTransaction(sender, increment));
    for (const [bytes, reason] of [
      [`${hex}00`, "non_canonical_bytes"],
      [hex.slice(0, -2), "unsupported_transaction"],
      [[], "bad_params"],
      ["0xzz", "bad_params"],
      [[256], "bad_params"],
    ] as const)
      expect(refusalOf(await aptosGas(key, "gas_sponsorTransaction", [bytes])).reason).toBe(reason);
  });

  test("what its policy or the key's does not allow, and nothing while it is paused", async () => {
    const raw = await rawTransaction(sender, increment);
    await patchFund(fund.fundId, { policy: { moveTargets: { deny: [`${APTOS_DEMO_MODULE}::*`] } } });
    await expectRefused(raw, "policy_refused");
    await patchFund(fund.fundId, { policy: { moveTargets: null } });
    await patchKey(keyId, { policy: { senders: { allow: [other] } } });
    await expectRefused(raw, "policy_refused");
    await patchKey(keyId, { policy: { senders: null } });
    await patchFund(fund.fundId, { paused: true });
    await expectRefused(raw, "fund_paused");
    await patchFund(fund.fundId, { paused: false });
  });

  test("more than it has", async () => {
    await patchFund(fund.fundId, { policy: { maxGasBudget: null } });
    const budget = 11n * OCTAS_PER_APT;
    await expectRefused(await rawTransaction(sender, increment, { maxGasUnits: budget / 100n }), "balance_too_low");
    await patchFund(fund.fundId, { policy: { maxGasBudget: "200000000" } });
  });
});

test("what can be refused by the transaction alone costs no call to the node once the fund knows its chain", async () => {
  await expectRefused(await rawTransaction(sender, orderless()), "unsupported_transaction");
  const raw = await rawTransaction(sender, orderless());
  await clearUpstreamCalls();
  const ask = () => aptosGas(key, "gas_sponsorTransaction", [hexOf(raw)]);
  for (const answer of await Promise.all(Array.from({ length: ASKED }, ask)))
    expect(refusalOf(answer).reason).toBe("unsupported_transaction");
  // What funds ask by themselves meanwhile is less than one call for each.
  const ofAccounts = Object.entries(await upstreamCalls()).filter(([method]) => method.includes("/accounts"));
  for (const [method, count] of ofAccounts) expect(count, method).toBeLessThan(ASKED);
});

test("after all of that the fund still pays, and its books are the chain's", async () => {
  const fresh = newAccount();
  const raw = await rawTransaction(fresh.accountAddress.toString(), increment);
  const params = [hexOf(raw), authenticatorOf(fresh, raw)];
  expect((await aptosGas(key, "gas_sponsorAndSubmitSignedTransaction", params)).body).toHaveProperty("result");
  await expect.poll(async () => (await figuresOf(fund.fundId)).inFlight, { timeout: 60_000 }).toBe(0n);
  await expectReconciled(fund);
});

test("a revoked key's signatures that are out stay good until they expire, and it gets no more", async () => {
  const own = await newAptosFund();
  const { key: ownKey, keyId: ownId } = await newAptosKey(own, { rights: ["gas"] });
  const raw = await rawTransaction(newAccount().accountAddress.toString(), increment);
  expect((await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(raw)])).body).toHaveProperty("result");
  expect(await revoke("keys", ownId)).toEqual({ revoked: 0, tooLate: 0, irrevocable: 1, pending: 0 });
  expect(refusalOf(await aptosGas(ownKey, "gas_sponsorTransaction", [hexOf(raw)]))).toMatchObject({
    reason: "bad_key",
  });
});
