import { toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { admin, advance, gas, gasResult } from "../../harness/harness.ts";
import { clearFaults, LOOK_UP, nextEpoch, orderFault, upstreamCalls } from "../../support/chain-control.ts";
import {
  BUDGET,
  BUDGET_MIST,
  COIN_MIST,
  chainNowMs,
  fundWithKey,
  gasPayment,
  getFund,
  netMist,
  newUser,
  type Prepared,
  prepare,
  refusalOf,
  refused,
  type Sponsored,
  signatureOf,
  sponsor,
  sponsorshipRows,
  status,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { executedSchema } from "./responses.ts";

const STATUS_METHOD = "gas_getSponsoredTransactionBlockStatus";
const PREPARE_METHOD = "gas_prepareTransactionBlock";
const EXECUTE_METHOD = "gas_executeTransactionBlock";
const TEN_MINUTES_MS = 600_000;
const HOUR_MS = 3_600_000;
/** More than a fund waits between two looks at a quarantined coin. */
const NEXT_CHECK_MS = 310_000;
/** Far more than a restart takes, with a transaction after it. */
const RESTART_TAKES_MS = 60_000;
const STANDING = "LedgerService/GetServiceInfo";
const OBSERVE = "LedgerService/BatchGetObjects";
/** Far more than the fund needs between reading the coin and writing what it concludes. */
const CHECK_TAKES_MS = 500;

afterEach(clearFaults);

/** The one coin that pays. */
function coinOf(sponsored: { readonly txBytes: string }) {
  const [coin, ...others] = gasPayment(sponsored.txBytes);
  if (coin === undefined || others.length > 0) throw new Error("not exactly one gas coin");
  return coin;
}

describe("a prepared sponsorship after ten minutes", () => {
  const user = newUser();
  const sender = user.toSuiAddress();
  let fund: Awaited<ReturnType<typeof fundWithKey>>;
  let prepared: Prepared;
  beforeAll(async () => {
    fund = await fundWithKey();
    const beforeMs = await chainNowMs();
    prepared = await prepare(fund.key, await mintKind(), sender, BUDGET);
    const madeAtMs = prepared.expireAtTime * 1_000 - TEN_MINUTES_MS;
    // Whole seconds, rounded down.
    expect(madeAtMs).toBeGreaterThan(beforeMs - 1_000);
    expect(madeAtMs).toBeLessThanOrEqual(await chainNowMs());
    await advance(TEN_MINUTES_MS + 1_000);
  });

  test("can no longer be executed, and withholds nothing any more", async () => {
    expect(await refused(fund.key, EXECUTE_METHOD, [prepared.txDigest, await signatureOf(user, prepared)])).toEqual({
      code: -32602,
      message: "Invalid params",
      data: { reason: "sponsorship_expired", details: expect.stringContaining("ask for a new one") },
    });
    expect(await status(fund.key, prepared.txDigest)).toBe("INVALID");
    expect(await getFund(fund.key)).toMatchObject({ balance: COIN_MIST, inFlight: 0n });
  });

  test("has its coin lent again at the same version, and the same request can be made again", async () => {
    const again = await prepare(fund.key, await mintKind(), sender, BUDGET);
    expect(coinOf(again)).toEqual(coinOf(prepared));
    expect(again.txDigest).toBe(prepared.txDigest);
    expect(again.expireAtTime).toBeGreaterThanOrEqual(prepared.expireAtTime + TEN_MINUTES_MS / 1_000);
    const params = [again.txDigest, await signatureOf(user, again)];
    const { effects } = await gasResult(fund.key, EXECUTE_METHOD, params, executedSchema);
    expect(effects.status).toEqual({ status: "success" });
    expect(await status(fund.key, again.txDigest)).toBe("COMPLETE");
    expect((await getFund(fund.key)).balance).toBe(COIN_MIST - netMist(effects.gasUsed));
  });
});

describe("a signed sponsorship after an hour", () => {
  const user = newUser();
  const sender = user.toSuiAddress();
  type Lent = Awaited<ReturnType<typeof fundWithKey>> & { readonly sponsored: Sponsored };
  let justInTime: Lent;
  let late: Lent;
  let unread: Lent;
  let abandoned: Lent;

  /** The fund has no other coin, so nothing could pay for a recycling. */
  async function lend(): Promise<Lent> {
    const fund = await fundWithKey();
    return { ...fund, sponsored: await sponsor(fund.key, await mintKind(), sender, BUDGET) };
  }

  beforeAll(async () => {
    [justInTime, late, unread, abandoned] = await Promise.all([lend(), lend(), lend(), lend()]);
    const firstExpiryMs = justInTime.sponsored.expireAtTime * 1_000;
    await advance(firstExpiryMs - (await chainNowMs()) - RESTART_TAKES_MS);
    await submitSponsored(user, justInTime.sponsored);
    expect(await chainNowMs()).toBeLessThan(firstExpiryMs);
    await advance(RESTART_TAKES_MS + 4_000);
  });

  test("is COMPLETE where it was executed just before, although nobody asked until now", async () => {
    expect(await status(justInTime.key, justInTime.sponsored.txDigest)).toBe("COMPLETE");
    expect((await getFund(justInTime.key)).inFlight).toBe(0n);
  });

  test("cannot be told while the node cannot be read: -32016, not INVALID", async () => {
    const refusal = async () => refusalOf(await gas(unread.key, STATUS_METHOD, [unread.sponsored.txDigest]));
    const unavailable = (details: string) => ({
      code: -32016,
      message: "Temporarily unavailable",
      data: { reason: "node_unavailable", details: expect.stringContaining(details) },
    });
    await orderFault(LOOK_UP, "unavailable", 1_000);
    expect(await refusal()).toEqual(unavailable("the node could not look up the digest: repeat the call"));
    await orderFault(STANDING, "unavailable", 1_000);
    expect(await refusal()).toEqual(unavailable("no Sui node answered"));
    await clearFaults();
    expect(await status(unread.key, unread.sponsored.txDigest)).toBe("INVALID");
  });

  test("is INVALID, and COMPLETE for ever once the user executes it late", async () => {
    const { key, sponsored } = late;
    expect(await status(key, sponsored.txDigest)).toBe("INVALID");
    expect(await getFund(key)).toMatchObject({ balance: COIN_MIST, inFlight: BUDGET_MIST });
    const signature = await signatureOf(user, sponsored);
    expect((await refused(key, EXECUTE_METHOD, [sponsored.txDigest, signature])).data.reason).toBe(
      "sponsorship_expired",
    );

    const executed = await submitSponsored(user, sponsored);
    expect(executed.status.success).toBe(true);
    for (let call = 0; call < 3; call++) expect(await status(key, sponsored.txDigest)).toBe("COMPLETE");
    const balance = COIN_MIST - netMist(executed.effects.gasUsed);
    expect(await getFund(key)).toMatchObject({ balance, inFlight: 0n });
    const repeated = await gasResult(key, EXECUTE_METHOD, [sponsored.txDigest, signature], executedSchema);
    expect(repeated.digest).toBe(sponsored.txDigest);

    // The chain shows a higher version of the coin: at that one it is lent again, and pays.
    const next = await sponsor(key, await mintKind(), sender, BUDGET);
    expect(coinOf(next).objectId).toBe(coinOf(sponsored).objectId);
    expect(BigInt(coinOf(next).version)).toBeGreaterThan(BigInt(coinOf(sponsored).version));
    expect((await submitSponsored(user, next)).status.success).toBe(true);
  });

  test("does not lend its coin again at the version that its signature may still spend, until its last epoch is over", async () => {
    const { fundId, key, sponsored } = abandoned;
    const quarantined = coinOf(sponsored);
    expect(await status(key, sponsored.txDigest)).toBe("INVALID");
    const row = async () => (await sponsorshipRows(fundId)).find(({ digest }) => digest === sponsored.txDigest);
    expect(await row()).toMatchObject({ state: "expired" });

    const kind = await mintKind();
    // A restart, a listing and the time of any sponsorship do not free it. Calls wait in vain.
    await advance(HOUR_MS + NEXT_CHECK_MS);
    const calls = Array.from({ length: 16 }, () =>
      refused(key, PREPARE_METHOD, [toBase64(kind), newUser().toSuiAddress(), BUDGET]),
    );
    for (let refresh = 0; refresh < 4; refresh++) await admin("POST", `/funds/${fundId}/refresh`);
    for (const { data } of await Promise.all(calls)) expect(data.reason).toBe("no_gas_object");

    // The last epoch in which the signature can execute is not over when it begins.
    await nextEpoch();
    await advance(NEXT_CHECK_MS);
    await vi.waitUntil(async () => ((await upstreamCalls())[OBSERVE] ?? 0) > 0, { timeout: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, CHECK_TAKES_MS));
    expect(await row()).toMatchObject({ state: "expired" });
    expect((await getFund(key)).inFlight).toBeGreaterThanOrEqual(BUDGET_MIST);

    await nextEpoch();
    await advance(NEXT_CHECK_MS);
    await vi.waitUntil(async () => (await getFund(key)).inFlight === 0n, { timeout: 60_000, interval: 100 });
    expect(await row()).toMatchObject({ state: "dead" });
    await expect(submitSponsored(user, sponsored)).rejects.toThrow(/expired/i);
    expect(await status(key, sponsored.txDigest)).toBe("INVALID");
    expect(coinOf(await sponsor(key, kind, newUser().toSuiAddress(), BUDGET))).toEqual(quarantined);
  });
});
