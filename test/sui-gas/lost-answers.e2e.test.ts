import { Transaction } from "@mysten/sui/transactions";
import { afterEach, expect, test } from "vitest";
import { gasResult, giveSui, sui } from "../local/harness.ts";
import { clearFaults, EXECUTE, LOOK_UP, orderFault, upstreamCalls } from "./chain-control.ts";
import {
  BUDGET,
  BUDGET_MIST,
  fundWithKey,
  getFund,
  newUser,
  prepare,
  refused,
  signatureOf,
  sponsor,
  status,
} from "./gas.ts";
import { executedSchema } from "./responses.ts";
import { mintKind, transferKind } from "./transactions.ts";

const EXECUTE_METHOD = "gas_executeTransactionBlock";

afterEach(clearFaults);

async function badgesOf(owner: string): Promise<number> {
  return (await sui.listOwnedObjects({ owner })).objects.length;
}

test("an execution whose answer is lost is found by its digest: one transaction on chain, and its result", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const params = [prepared.txDigest, await signatureOf(user, prepared)];
  await orderFault(EXECUTE, "drop_after_commit");
  const { digest, effects } = await gasResult(fund.key, EXECUTE_METHOD, params, executedSchema);
  expect(digest).toBe(prepared.txDigest);
  expect(effects.status).toEqual({ status: "success" });
  expect(await badgesOf(user.toSuiAddress())).toBe(1);
  expect((await getFund(fund.key)).inFlight).toBe(0n);
});

test("without any answer the outcome is unknown, with the digest to look up, and repeating the call succeeds", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const params = [prepared.txDigest, await signatureOf(user, prepared)];
  await orderFault(EXECUTE, "unavailable_before_commit");
  expect(await refused(fund.key, EXECUTE_METHOD, params)).toEqual({
    code: -32017,
    message: "Outcome unknown",
    data: { reason: "outcome_unknown", details: expect.stringContaining("look the digest up"), digest: params[0] },
  });
  // It may have been executed for all the fund knows.
  expect((await getFund(fund.key)).inFlight).toBe(BUDGET_MIST);
  expect(await status(fund.key, prepared.txDigest)).toBe("IN_FLIGHT");

  await clearFaults();
  const { digest } = await gasResult(fund.key, EXECUTE_METHOD, params, executedSchema);
  expect(digest).toBe(prepared.txDigest);
  expect(await badgesOf(user.toSuiAddress())).toBe(1);
  expect(await status(fund.key, prepared.txDigest)).toBe("COMPLETE");
});

test("what the node refuses to execute is answered with the node's words and the digest", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const sender = user.toSuiAddress();
  const { objectId } = await giveSui(sender, 1_000_000_000n);
  const { version, digest } = (await sui.getObject({ objectId })).object;
  const coin = { objectId, version, digest };
  const recipient = newUser().toSuiAddress();
  const prepared = await prepare(fund.key, await transferKind(coin, recipient), sender, BUDGET);

  // The user spends the coin elsewhere: the version that was signed for is gone.
  const meanwhile = new Transaction();
  meanwhile.setGasPayment([coin]);
  meanwhile.transferObjects([meanwhile.splitCoins(meanwhile.gas, [1])], recipient);
  await user.signAndExecuteTransaction({ transaction: meanwhile, client: sui });

  const { code, message, data } = await refused(fund.key, EXECUTE_METHOD, [
    prepared.txDigest,
    await signatureOf(user, prepared),
  ]);
  expect({ code, message }).toEqual({ code: -32002, message: "Transaction refused by the node" });
  expect(data).toEqual({
    reason: "node_refused",
    details: expect.stringContaining(objectId),
    digest: prepared.txDigest,
    node: { status: "INVALID_ARGUMENT", text: data.details },
  });
});

test("while the node cannot be read, what has not expired is IN_FLIGHT", async () => {
  const fund = await fundWithKey(2);
  const sender = newUser().toSuiAddress();
  const signed = await sponsor(fund.key, await mintKind(), sender, BUDGET);
  const prepared = await prepare(fund.key, await mintKind(), sender, BUDGET);
  await orderFault(LOOK_UP, "unavailable");
  const before = (await upstreamCalls())[LOOK_UP] ?? 0;
  expect(await status(fund.key, signed.txDigest)).toBe("IN_FLIGHT");
  expect(await status(fund.key, prepared.txDigest)).toBe("IN_FLIGHT");
  expect((await upstreamCalls())[LOOK_UP]).toBeGreaterThan(before);
});
