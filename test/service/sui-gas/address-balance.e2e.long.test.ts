import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { refreshPast } from "../../../shared/cli/client/admin.ts";
import { expectAnswer, http } from "../../../shared/cli/client/http.ts";
import {
  advance,
  callerSecret,
  gasResult,
  giveSui,
  harness,
  newKey,
  serviceUrl,
  sui,
  untilAllIsShown,
  useFlowsKey,
} from "../../harness/harness.ts";
import { nextEpoch } from "../../support/chain-control.ts";
import { expectReconciled, figuresOf, ledgerOf, revoke, suiOf, withdraw, withdrawn } from "../../support/operator.ts";
import {
  BUDGET,
  BUDGET_MIST,
  balanceFundWithKey,
  getFund,
  netMist,
  newUser,
  ownedObjects,
  prepare,
  refused,
  signatureOf,
  sponsor,
  sponsorshipRows,
  status,
  submit,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { executedSchema } from "./responses.ts";

const SUI_MIST = 1_000_000_000n;
const HOUR_MS = 3_600_000;
/** More than a fund waits between two looks at what has expired. */
const NEXT_CHECK_MS = 310_000;
const UNKNOWN_DIGEST = "11111111111111111111111111111111";

async function coinsOf(owner: string): Promise<number> {
  await untilAllIsShown();
  return (await sui.listCoins({ owner })).objects.length;
}

/** What it says of gas, as the SDK decodes it. */
function gasOf(txBytes: string) {
  const { gasData, expiration } = Transaction.from(fromBase64(txBytes)).getData();
  const { minEpoch, maxEpoch, nonce } = z
    .object({ ValidDuring: z.object({ minEpoch: z.coerce.number(), maxEpoch: z.coerce.number(), nonce: z.number() }) })
    .parse(expiration).ValidDuring;
  return { ...gasData, minEpoch, maxEpoch, nonce };
}

test("deposits of both kinds are counted, and coins become address balance", async () => {
  const { fundId, depositAddress, key } = await balanceFundWithKey(SUI_MIST);
  expect((await getFund(key)).balance).toBe(SUI_MIST);
  // Not worth a transaction by itself.
  await giveSui(depositAddress, 10_000_000n);
  await refreshPast(harness, fundId, SUI_MIST);
  expect((await getFund(key)).balance).toBe(SUI_MIST + 10_000_000n);
  expect(await coinsOf(depositAddress)).toBe(1);

  await giveSui(depositAddress, 5n * SUI_MIST);
  await refreshPast(harness, fundId, 2n * SUI_MIST);
  // The fund may have found the deposit by itself, and be about to convert it.
  const hasConverted = async () => (await ledgerOf(fundId)).some(({ kind }) => kind === "convert");
  await expect.poll(hasConverted, { timeout: 60_000 }).toBe(true);
  expect(await coinsOf(depositAddress)).toBe(0);
  const convertedAtMist = (await ledgerOf(fundId))
    .filter(({ kind }) => kind === "convert")
    .reduce((sum, { balance }) => sum + balance, 0n);
  expect((await getFund(key)).balance).toBe(6n * SUI_MIST + 10_000_000n + convertedAtMist);
  const { bookedAddressBalance, bookedCoins } = await expectReconciled({ fundId, depositAddress });
  expect([bookedCoins, bookedAddressBalance]).toEqual([0n, (await getFund(key)).balance]);
});

test.each([
  ["with a budget", BUDGET],
  ["without a budget", undefined],
])(
  "sponsored %s: no coin is in the bytes, the stock client executes them, the fund pays to the MIST",
  async (_, gasBudget) => {
    const fund = await balanceFundWithKey(SUI_MIST);
    const user = newUser();
    const sender = user.toSuiAddress();
    const kind = await mintKind();
    const sponsored = await sponsor(fund.key, kind, sender, gasBudget);
    const bytes = fromBase64(sponsored.txBytes);
    expect(await Transaction.from(bytes).build({ onlyTransactionKind: true })).toEqual(kind);
    const { owner, payment, budget, minEpoch, maxEpoch } = gasOf(sponsored.txBytes);
    const { epoch } = (await sui.ledgerService.getEpoch({ readMask: { paths: ["epoch"] } })).response.epoch ?? {};
    expect({ owner, payment, minEpoch }).toEqual({ owner: fund.depositAddress, payment: [], minEpoch: Number(epoch) });
    expect([0, 1]).toContain(maxEpoch - minEpoch);
    const signer = await verifyTransactionSignature(bytes, sponsored.signature);
    expect(signer.toSuiAddress()).toBe(fund.depositAddress);

    expect(await status(fund.key, sponsored.txDigest)).toBe("IN_FLIGHT");
    expect(await getFund(fund.key)).toMatchObject({ balance: SUI_MIST, inFlight: BigInt(budget ?? 0) });
    const executed = await submitSponsored(user, sponsored);
    expect(executed).toMatchObject({ digest: sponsored.txDigest, status: { success: true } });
    expect(await status(fund.key, sponsored.txDigest)).toBe("COMPLETE");
    const chargedMist = netMist(executed.effects.gasUsed);
    expect(await getFund(fund.key)).toMatchObject({ balance: SUI_MIST - chargedMist, inFlight: 0n });
    expect(await sponsorshipRows(fund.fundId)).toMatchObject([{ state: "complete", charged: chargedMist.toString() }]);
    expect(await ownedObjects(fund.depositAddress)).toEqual([]);
    await expectReconciled(fund);
  },
);

test("equal requests at once are many sponsorships, as many as the balance covers, and no more", async () => {
  const affordable = 8;
  const reserveMist = 10_000_000n;
  const fund = await balanceFundWithKey(BigInt(affordable) * BUDGET_MIST + reserveMist);
  const user = newUser();
  const kind = await mintKind();
  const lend = () => sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
  const sponsorships = await Promise.all(Array.from({ length: affordable }, lend));
  expect(new Set(sponsorships.map(({ txDigest }) => txDigest)).size).toBe(affordable);
  expect(new Set(sponsorships.map(({ txBytes }) => gasOf(txBytes).nonce)).size).toBe(affordable);
  expect(
    await refused(fund.key, "gas_sponsorTransactionBlock", [toBase64(kind), user.toSuiAddress(), BUDGET]),
  ).toMatchObject({
    code: -2,
    data: { reason: "balance_too_low", details: expect.stringContaining("0 MIST available") },
  });
  for (const end of await Promise.all(sponsorships.map((sponsored) => submitSponsored(user, sponsored))))
    expect(end.status.success).toBe(true);
});

test("prepared and executed by the service: what the user alone signs does not execute, and the fund pays to the MIST", async () => {
  const fund = await balanceFundWithKey(SUI_MIST);
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  expect(gasOf(prepared.txBytes).payment).toEqual([]);
  const signature = await signatureOf(user, prepared);
  await expect(submit(prepared.txBytes, [signature])).rejects.toThrow(/signature/i);
  const params = [prepared.txDigest, signature];
  const { digest, effects } = await gasResult(fund.key, "gas_executeTransactionBlock", params, executedSchema);
  expect({ digest, status: effects.status }).toEqual({ digest: prepared.txDigest, status: { status: "success" } });
  expect(await status(fund.key, digest)).toBe("COMPLETE");
  expect(await getFund(fund.key)).toMatchObject({ balance: SUI_MIST - netMist(effects.gasUsed), inFlight: 0n });
});

test("through both workflows a user's badge is minted, and no coin is involved", async () => {
  const fund = await balanceFundWithKey(SUI_MIST);
  await useFlowsKey(fund.key);
  const user = newUser();
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${callerSecret}`,
    "x-user-id": "user-1",
    "idempotency-key": "once",
  };
  const flow = (name: string, body: object) =>
    http(`${serviceUrl}/flows/${name}`, { method: "POST", headers, body: JSON.stringify(body) });
  const asked = { transactionKind: toBase64(await mintKind()), sender: user.toSuiAddress() };
  const sponsoredSchema = z.object({ txBytes: z.base64(), txDigest: z.string() });
  const { txBytes, txDigest } = expectAnswer("sponsor", await flow("sponsor", asked), sponsoredSchema);
  expect(gasOf(txBytes).payment).toEqual([]);
  const signed = { txBytes, signature: await signatureOf(user, { txBytes }) };
  expect(await flow("execute-sponsored", signed)).toMatchObject({
    status: 200,
    body: { digest: txDigest, status: "success" },
  });
  expect(await ownedObjects(user.toSuiAddress())).toHaveLength(1);
  expect(await ownedObjects(fund.depositAddress)).toEqual([]);
});

test("a withdrawal comes out of the address balance, once, and no more of it than is available", async () => {
  const fund = await balanceFundWithKey(SUI_MIST);
  await sponsor(fund.key, await mintKind(), newUser().toSuiAddress(), BUDGET);
  const to = newUser().toSuiAddress();
  const { available, maintenanceReserve } = await figuresOf(fund.fundId);
  expect(available).toBe(SUI_MIST - BUDGET_MIST - maintenanceReserve);
  expect(await withdraw(fund.fundId, { to, amountMist: available + 1n }, "all")).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining(`at most ${available} MIST`) },
  });
  const first = await withdrawn(fund.fundId, { to, amountMist: available }, "all");
  expect(await withdrawn(fund.fundId, { to, amountMist: available }, "all")).toEqual({ ...first, state: "complete" });
  expect(await suiOf(to)).toBe(available);
  await expectReconciled(fund);
});

describe("what has been signed and abandoned", () => {
  test("cannot be taken back: a revocation counts it as irrevocable, and it executes", async () => {
    const fund = await balanceFundWithKey(SUI_MIST);
    const user = newUser();
    const kind = await mintKind();
    const lend = () => sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
    const signed = [await lend(), await lend()];
    const another = await newKey(fund);
    await prepare(fund.key, kind, user.toSuiAddress(), BUDGET);
    expect(await revoke("keys", fund.keyId)).toEqual({ revoked: 1, tooLate: 0, irrevocable: 2, pending: 0 });
    for (const sponsored of signed) {
      expect((await submitSponsored(user, sponsored)).status.success).toBe(true);
      expect(await status(another.key, sponsored.txDigest)).toBe("COMPLETE");
    }
    expect((await figuresOf(fund.fundId)).inFlight).toBe(0n);
    await expectReconciled(fund);
  });

  test("is INVALID after the hour and COMPLETE if it executes late, and is withheld until its last epoch is over", async () => {
    const fund = await balanceFundWithKey(SUI_MIST);
    const user = newUser();
    const kind = await mintKind();
    const lend = () => sponsor(fund.key, kind, user.toSuiAddress(), BUDGET);
    const [late, abandoned] = [await lend(), await lend()];
    await advance(HOUR_MS + 3_000);
    expect(await status(fund.key, late.txDigest)).toBe("INVALID");
    expect(await status(fund.key, abandoned.txDigest)).toBe("INVALID");
    expect(await status(fund.key, UNKNOWN_DIGEST)).toBe("INVALID");
    expect(await getFund(fund.key)).toMatchObject({ balance: SUI_MIST, inFlight: 2n * BUDGET_MIST });
    const executed = await submitSponsored(user, late);
    const balance = SUI_MIST - netMist(executed.effects.gasUsed);
    expect(await status(fund.key, late.txDigest)).toBe("COMPLETE");
    expect(await getFund(fund.key)).toMatchObject({ balance, inFlight: BUDGET_MIST });

    for (let epoch = gasOf(abandoned.txBytes).minEpoch; epoch <= gasOf(abandoned.txBytes).maxEpoch; epoch++)
      await nextEpoch();
    await advance(NEXT_CHECK_MS);
    await expect.poll(async () => (await figuresOf(fund.fundId)).inFlight, { timeout: 60_000 }).toBe(0n);
    await expect(submitSponsored(user, abandoned)).rejects.toThrow(/expired|epoch/i);
    expect(await status(fund.key, abandoned.txDigest)).toBe("INVALID");
    expect(await getFund(fund.key)).toMatchObject({ balance, inFlight: 0n });
    await expectReconciled(fund);
  });
});
