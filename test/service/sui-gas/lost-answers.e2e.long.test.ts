import { Transaction } from "@mysten/sui/transactions";
import { afterEach, expect, test } from "vitest";
import { admin, advance, gasResult, giveSui, newFund, sui, untilAllIsShown } from "../../harness/harness.ts";
import { clearFaults, EXECUTE, LOOK_UP, orderFault, orderLag, upstreamCalls } from "../../support/chain-control.ts";
import { expectReconciled, figuresOf, ledgerOf, suiOf, withdrawn } from "../../support/operator.ts";
import {
  BUDGET,
  BUDGET_MIST,
  chainNowMs,
  fundWithKey,
  getFund,
  newUser,
  ownedObjects,
  prepare,
  refused,
  send,
  signatureOf,
  sponsor,
  status,
} from "../../support/sui-gas.ts";
import { mintKind, transferKind } from "../../support/sui-transactions.ts";
import { executedSchema } from "./responses.ts";

const EXECUTE_METHOD = "gas_executeTransactionBlock";

/** More than a fund waits before it sends a transaction of its own again. */
const RESENT_AFTER_MS = 6_000;
const SOON_MS = 60_000;
const LAG_MS = 60_000;
/** More than a restart and an execution take on a busy machine, and less than the lag. */
const EXECUTES_BEFORE_MS = 30_000;

afterEach(clearFaults);
afterEach(() => orderLag(null));

async function badgesOf(owner: string): Promise<number> {
  return (await ownedObjects(owner)).length;
}

test("an execution whose answer is lost is found by its digest: one transaction on chain, and its result", async () => {
  const fund = await fundWithKey();
  const user = newUser();
  const prepared = await prepare(fund.key, await mintKind(), user.toSuiAddress(), BUDGET);
  const params = [prepared.txDigest, await signatureOf(user, prepared)];
  await orderFault(EXECUTE, "drop_after_commit", 1_000);
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
  await orderFault(EXECUTE, "unavailable_before_commit", 1_000);
  expect(await refused(fund.key, EXECUTE_METHOD, params)).toEqual({
    code: -32017,
    message: "Outcome unknown",
    data: { reason: "outcome_unknown", details: expect.stringContaining("look up the digest"), digest: params[0] },
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
  await orderFault(LOOK_UP, "unavailable", 1_000);
  const before = (await upstreamCalls())[LOOK_UP] ?? 0;
  expect(await status(fund.key, signed.txDigest)).toBe("IN_FLIGHT");
  expect(await status(fund.key, prepared.txDigest)).toBe("IN_FLIGHT");
  expect((await upstreamCalls())[LOOK_UP]).toBeGreaterThan(before);
});

test("a withdrawal whose answer the node drops after the commit is paid once, and found by repeating it", async () => {
  const fund = await fundWithKey();
  const to = newUser().toSuiAddress();
  const payout = { to, amountMist: 1_000_000n };
  await orderFault(EXECUTE, "drop_after_commit", 1_000);
  const dropped = await withdrawn(fund.fundId, payout, "dropped");
  expect(dropped.state).toBe("pending");
  expect(await withdrawn(fund.fundId, payout, "dropped")).toEqual(dropped);
  expect(await suiOf(to)).toBe(payout.amountMist);

  await clearFaults();
  expect(await withdrawn(fund.fundId, payout, "dropped")).toEqual({ ...dropped, state: "complete" });
  expect(await suiOf(to)).toBe(payout.amountMist);
  await expectReconciled(fund);
});

test("a split whose answer the node drops after the commit is made once: the same bytes again settle it", async () => {
  const fund = await newFund([]);
  await orderFault(EXECUTE, "drop_after_commit", 1_000);
  await giveSui(fund.depositAddress, 5_000_000_000n);
  await admin("POST", `/funds/${fund.fundId}/refresh`);
  const coinsOnChain = async () => (await sui.listCoins({ owner: fund.depositAddress })).objects.length;
  await untilAllIsShown();
  const split = await coinsOnChain();
  expect(split).toBeGreaterThan(1);
  const splits = async () => (await ledgerOf(fund.fundId)).filter(({ kind }) => kind === "split").length;
  expect(await splits()).toBe(0);

  // Faults end with a restart.
  await advance(RESENT_AFTER_MS);
  await expect.poll(splits, { timeout: SOON_MS }).toBeGreaterThan(0);
  await expectReconciled(fund);
});

test("an endpoint whose index lags never makes a status wrong, before the expiry or after it", async () => {
  const fund = await fundWithKey(2);
  const user = newUser();
  const kind = await mintKind();
  const [early, late] = [
    await sponsor(fund.key, kind, user.toSuiAddress(), BUDGET),
    await sponsor(fund.key, kind, user.toSuiAddress(), BUDGET),
  ];
  await orderLag(LAG_MS);
  await send(early.txBytes, [await signatureOf(user, early), early.signature]);
  expect(await status(fund.key, early.txDigest)).toBe("IN_FLIGHT");
  expect((await figuresOf(fund.fundId)).inFlight).toBe(2n * BUDGET_MIST);
  await orderLag(0);
  expect(await status(fund.key, early.txDigest)).toBe("COMPLETE");

  await advance(late.expireAtTime * 1_000 - (await chainNowMs()) - EXECUTES_BEFORE_MS);
  const atMostMs = late.expireAtTime * 1_000 - (await chainNowMs());
  const endsAtMs = performance.now() + atMostMs;
  // Before the execution: the fund's own alarm must not see it either.
  await orderLag(LAG_MS);
  await send(late.txBytes, [await signatureOf(user, late), late.signature]);
  expect(performance.now()).toBeLessThan(endsAtMs);
  // A chain that nobody asks for ten seconds ends, and forgets its lag.
  for (; performance.now() < endsAtMs + 500; await new Promise((resolve) => setTimeout(resolve, 500)))
    await upstreamCalls();
  // It shows neither the execution nor that the hour is over, so it cannot tell that there was none.
  expect(await refused(fund.key, "gas_getSponsoredTransactionBlockStatus", [late.txDigest])).toMatchObject({
    code: -32016,
    data: { reason: "node_unavailable" },
  });
  await orderLag(0);
  expect(await status(fund.key, late.txDigest)).toBe("COMPLETE");
});
