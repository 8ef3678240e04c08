import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { beforeEach, describe, expect, test } from "vitest";
import { WHOLE_FUND } from "../../../../shared/fund/ledger/books.ts";
import { defaultKeyPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import { DEMO_PACKAGE } from "../../../devchain/demo.ts";
import { coinsOf, expectExactBooks, ledgerOf, onDisk, sponsorshipOf } from "../../../support/fund-books.ts";
import { callsOf, DRY_RUN, fundsOnChain, give, orderFault, resolvedKind, sendAs } from "../../../support/sui-chain.ts";
import {
  BUDGET_MIST,
  crash,
  execute,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundOfCoins,
  newFundWith,
  prepare,
  refusalOf,
  sponsor,
  stateOf,
  stub,
  submitAsUser,
  type TestFund,
  user,
  useStoppedClock,
} from "../../../support/sui-fund.ts";

const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
const SUI_MIST = 1_000_000_000n;

useStoppedClock();

beforeEach(async () => {
  await give(user.toSuiAddress(), SUI_MIST);
  await sendAs(user, (transaction) => {
    const coin = transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::mint_coin`,
      arguments: [transaction.pure.u64(SUI_MIST)],
    });
    transaction.moveCall({
      target: "0x2::coin::send_funds",
      typeArguments: [DEMO],
      arguments: [coin, transaction.pure.address(user.toSuiAddress())],
    });
  });
});

/** A transfer of the coin that the chain lists. */
function transfer(amount: bigint, to: string): Promise<Uint8Array> {
  return resolvedKind(user.toSuiAddress(), (transaction) => {
    transaction.moveCall({
      target: "0x2::balance::send_funds",
      typeArguments: [DEMO],
      arguments: [transaction.balance({ balance: amount, type: DEMO }), transaction.pure.address(to)],
    });
  });
}

const gasOf = ({ txBytes }: { readonly txBytes: Uint8Array }) => bcs.TransactionData.parse(txBytes).V1.gasData;

/** How the fund's list shows it. */
async function payerOf(fund: TestFund, digest: string) {
  const page = await stub(fund).sponsorships({ limit: 100, cursor: null });
  return page?.items.find((item) => item.digest === digest)?.gasPaidBy;
}

describe("a transfer that the network executes without gas", () => {
  test("holds no coin and costs nothing, with a budget and without, signed by the user first or last", async () => {
    const fund = await newFundOfCoins(2);
    const to = new Ed25519Keypair().toSuiAddress();
    const { balanceAtoms } = (await stub(fund).view()) ?? {};
    const kindBytes = await transfer(20_000n, to);
    const handedOut = await sponsor(fund, "", { kindBytes });
    const prepared = await prepare(fund, "", { kindBytes, gasBudgetMist: null });
    for (const { payment, price, budget, owner } of [gasOf(handedOut), gasOf(prepared)])
      expect({ payment, price, budget, owner }).toEqual({ payment: [], price: "0", budget: "0", owner: fund.address });
    expect((await coinsOf(fund)).map(({ state }) => state)).toEqual(["free", "free"]);
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });

    expect(await submitAsUser(handedOut)).toBe("executed");
    expect(await execute(fund, prepared)).toMatchObject({ ok: true, value: { execution: { success: true } } });
    expect(await stub(fund).status(handedOut.digest)).toEqual({ ok: true, value: "COMPLETE" });
    expect(await fundsOnChain(to, DEMO)).toBe(40_000n);
    expect(await sponsorshipOf(fund, handedOut)).toMatchObject({ state: "complete", chargedAtoms: 0n });
    expect([await payerOf(fund, handedOut.digest), await payerOf(fund, prepared.digest)]).toEqual([
      "network",
      "network",
    ]);
    const booked = (await ledgerOf(fund)).filter(({ reference }) => reference === handedOut.digest);
    expect(booked).toMatchObject([
      { kind: "reserve", inFlightAtoms: 0n },
      { kind: "charge", balanceAtoms: 0n, inFlightAtoms: 0n },
    ]);
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms, inFlightAtoms: 0n });
    await expectExactBooks(fund);
  });

  test("is sponsored by a fund that has no money, also from its address balance", async () => {
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    for (const fund of [await newFund(), await newFundWith({ mode: "address_balance" })]) {
      expect(await refusalOf(fund, "", { kindBytes })).toBeNull();
      expect(await refusalOf(fund, "mint")).toBe("balance_too_low");
    }
  });

  test("is judged by the policies all the same, and the fee of the operator is withheld", async () => {
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    const fund = await newFundWith({ sponsorshipFeeAtoms: 7n }, SUI_MIST);
    const prepared = await prepare(fund, "", { kindBytes });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 7n });
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n, accruedFeesAtoms: 7n });
    await stub(fund).update({ policy: { senders: { allow: [fund.address] } } });
    expect(await refusalOf(fund, "", { kindBytes })).toBe("policy_refused");
    await expectExactBooks(fund);
  });

  test("that is never submitted ends with its last epoch, and holds nothing meanwhile", async () => {
    const fund = await newFundOfCoins(2);
    const abandoned = await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    await liveFor(fund, HOUR_MS + MINUTE_MS);
    expect(await stateOf(fund, abandoned.digest)).toBe("expired");
    expect(await refusalOf(fund, "mint")).toBeNull();
    expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: BUDGET_MIST });
  });

  test("fills no more than half of a key's limit, so that paid ones have the rest", async () => {
    const fund = await newFundOfCoins(3);
    const keyPolicy = { ...defaultKeyPolicy("sui"), maxInFlightCount: 4 };
    const kindBytes = await transfer(20_000n, new Ed25519Keypair().toSuiAddress());
    const payers: unknown[] = [];
    for (let call = 0; call < 4; call += 1) {
      const { digest } = await sponsor(fund, `call ${call}`, { kindBytes, keyPolicy });
      payers.push(await payerOf(fund, digest));
    }
    expect(payers).toEqual(["network", "network", "fund", "fund"]);
  });

  test("never makes the pool of coins larger, however many there are", async () => {
    const fund = await newFundWith({}, 20n * SUI_MIST);
    await liveFor(fund, 2 * MINUTE_MS);
    await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    const before = (await coinsOf(fund)).length;
    // The count of 400 such rows, without the minute that it takes to make them.
    await onDisk(fund, (store) =>
      store.transact(() => store.putUsage(WHOLE_FUND, { ...store.usage(WHOLE_FUND), inFlightCount: 400 })),
    );
    await crash();
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await onDisk(fund, (store) => store.usage(WHOLE_FUND).inFlightCount)).toBe(400);
    expect(await coinsOf(fund)).toHaveLength(before);
  });

  test("never keeps a withdrawal waiting, because it gives no coin back", async () => {
    const fund = await newFund(SUI_MIST);
    await sponsor(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    const idempotency = { scope: "operator withdraw all", fingerprint: "the same" };
    const { balanceAtoms: amountAtoms = 0n } = (await stub(fund).view()) ?? {};
    const to = new Ed25519Keypair().toSuiAddress();
    expect(await stub(fund).withdraw({ to, amountAtoms, from: "available", idempotency })).toMatchObject({
      error: { reason: "balance_too_low", details: expect.stringContaining("comes out of the same coins") },
    });
  });

  test("takes any signature to the node, since nothing is at stake", async () => {
    const fund = await newFundOfCoins(2);
    const prepared = await prepare(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    const { signature: senderSignature } = await new Ed25519Keypair().signTransaction(prepared.txBytes);
    expect(await execute(fund, prepared, { senderSignature })).toMatchObject({ error: { reason: "node_refused" } });
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    await expectExactBooks(fund);
  });
});

describe("the fund pays for a transfer", () => {
  test("that the network refuses without gas, such as one of too little", async () => {
    const fund = await newFundOfCoins(2);
    const prepared = await prepare(fund, "", { kindBytes: await transfer(9_999n, user.toSuiAddress()) });
    expect(gasOf(prepared).payment).toHaveLength(1);
    expect(await execute(fund, prepared)).toMatchObject({ ok: true });
    expect(await payerOf(fund, prepared.digest)).toBe("fund");
    await expectExactBooks(fund);
  });

  test("of which the node says nothing", async () => {
    const fund = await newFundOfCoins(2);
    await orderFault(DRY_RUN, "unavailable", 1_000_000);
    const prepared = await prepare(fund, "", { kindBytes: await transfer(20_000n, user.toSuiAddress()) });
    expect(gasOf(prepared).payment).toHaveLength(1);
  });

  test("whose caller names a price", async () => {
    const fund = await newFundOfCoins(2);
    const kindBytes = await transfer(20_000n, user.toSuiAddress());
    const before = await callsOf(DRY_RUN);
    const prepared = await prepare(fund, "", { kindBytes, gasPriceMist: 1_000n });
    expect(gasOf(prepared)).toMatchObject({ price: "1000" });
    expect(await callsOf(DRY_RUN), "and no node is asked").toBe(before);
  });
});
