import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createDeps, serviceMasterKeys } from "../../../../shared/bindings/deps.ts";
import { openSigner, resealKey } from "../../../../shared/crypto/signer.ts";
import { FUND_KEY_LABEL } from "../../../../shared/fund/core.ts";
import { readFundRecord, writeFundRecord } from "../../../../shared/fund/record.ts";
import { LONGEST_SCAN_MS } from "../../../../shared/fund/scan-interval.ts";
import { type Moment, onChainId, onceAt, withHeaders } from "../../../byzantine-node/altered-aptos-node.ts";
import { APT_OCTAS, draftOf, giveOctas, newUser, octasOnChain, orderLag } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosLedgerOf,
  aptosSponsor,
  aptosStatesOf,
  aptosWithdrawals,
  crashDuringAptos,
  executed,
  expectExactAptosBooks,
  expectQuiet,
  landed,
  newAptosFund,
  reasonOf,
  sponsored,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import {
  crash,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  pass,
  platformStub,
  SECOND_MS,
  stub,
  type TestFund,
} from "../../../support/sui-fund.ts";

useStoppedAptosClock();

async function depositsOf(fund: TestFund): Promise<readonly bigint[]> {
  const rows = await aptosLedgerOf(fund);
  return rows.filter(({ kind }) => kind === "deposit").map(({ balanceAtoms }) => balanceAtoms);
}

async function expectNoAdjustment(fund: TestFund): Promise<void> {
  expect((await aptosLedgerOf(fund)).filter(({ kind }) => kind === "adjustment")).toEqual([]);
}

describe("a deposit", () => {
  test("is found by the alarm, once", async () => {
    const fund = await newAptosFund(0n);
    await giveOctas(fund.address, 5n);
    await liveFor(fund, 20 * SECOND_MS);
    // The instance that starts anew knows of nobody who uses the fund, so it looks as it does while idle.
    await crash();
    await liveFor(fund, LONGEST_SCAN_MS);
    await giveOctas(fund.address, 7n);
    await liveFor(fund, LONGEST_SCAN_MS);
    expect(await depositsOf(fund)).toEqual([5n, 7n]);
    await expectQuiet(fund);
  });

  test("beside sponsorships that are committed and not yet booked is exactly its amount", async () => {
    const fund = await newAptosFund();
    const drafts = [draftOf(newUser()), draftOf(newUser()), draftOf(newUser())];
    for (const draft of drafts) await executed(fund, draft);
    for (const draft of drafts) await whenCommitted(draft);
    await giveOctas(fund.address, 1_234n);
    expect(await stub(fund).refresh()).toMatchObject({ ok: true });
    expect(await depositsOf(fund)).toEqual([APT_OCTAS, 1_234n]);
    await expectQuiet(fund);
  });

  test.each([
    ["after the balance has been read", "after"],
    ["before the balance is read", "before"],
  ] as const)("and a sponsorship that is promised and committed %s are told apart", async (_, when) => {
    const fund = await newAptosFund();
    await giveOctas(fund.address, 77n);
    const draft = draftOf(newUser());
    alsoAlter(onceAt("POST /view", { [when]: () => landed(fund, draft) }));
    await stub(fund).refresh();
    alsoAlter();
    await liveFor(fund, MINUTE_MS);
    expect(await depositsOf(fund)).toEqual([APT_OCTAS, 77n]);
    await expectNoAdjustment(fund);
    await expectQuiet(fund);
  });

  test("as large as an unbooked charge is not lost", async () => {
    const fund = await newAptosFund();
    const draft = draftOf(newUser());
    const { chargedOctas } = await landed(fund, draft);
    await giveOctas(fund.address, chargedOctas);
    await stub(fund).refresh();
    await liveFor(fund, MINUTE_MS);
    expect(await depositsOf(fund)).toEqual([APT_OCTAS, chargedOctas]);
    await expectNoAdjustment(fund);
    await expectQuiet(fund);
  });

  test("is found while a withdrawal is under way, and killed while it is booked it is booked once", async () => {
    const fund = await newAptosFund();
    const to = newUser().address;
    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    const withdrawing = stub(fund).withdraw({ to, amountAtoms: 1_000n, from: "available", idempotency });
    await giveOctas(fund.address, 9n);
    await withdrawing;
    await crashDuringAptos(() => stub(fund).refresh(), "after", "POST /view");
    await liveFor(fund, MINUTE_MS);
    expect(await depositsOf(fund)).toEqual([APT_OCTAS, 9n]);
    expect(await octasOnChain(to)).toBe(1_000n);
    await expectNoAdjustment(fund);
    await expectQuiet(fund);
  });

  test("is not taken back by an endpoint that is behind", async () => {
    const fund = await newAptosFund();
    await giveOctas(fund.address, 9n);
    await stub(fund).refresh();
    const behindMs = Date.now() - MINUTE_MS;
    await orderLag(2_000);
    alsoAlter(withHeaders((headers) => headers.set("x-aptos-ledger-timestampusec", `${behindMs}000`)));
    await stub(fund).refresh();
    await liveFor(fund, MINUTE_MS);
    await expectNoAdjustment(fund);
    await expectExactAptosBooks(fund);
  });
});

test("a reconciliation says what differs while something is open, and books it once nothing is", async () => {
  const fund = await newAptosFund();
  expect(await stub(fund).reconcile()).toEqual({
    ok: true,
    value: {
      coins: 0,
      bookedCoinsAtoms: 0n,
      coinsOnChainAtoms: 0n,
      bookedAddressBalanceAtoms: APT_OCTAS,
      addressBalanceOnChainAtoms: APT_OCTAS,
      differences: [],
      exact: true,
    },
  });
  const draft = draftOf(newUser());
  await landed(fund, draft);
  await giveOctas(fund.address, 5n);
  alsoAlter({
    method: `GET /accounts/${draft.sender.address}/transactions`,
    instead: () => new Response("no", { status: 500 }),
  });
  expect(await stub(fund).reconcile()).toMatchObject({
    value: {
      exact: false,
      bookedAddressBalanceAtoms: APT_OCTAS,
      addressBalanceOnChainAtoms: await octasOnChain(fund.address),
    },
  });
  alsoAlter();
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  expect(await depositsOf(fund)).toEqual([APT_OCTAS, 5n]);
  await expectQuiet(fund);
});

test("a balance that falls below its threshold is raised once, and so is its recovery", async () => {
  const fund = await newAptosFund(APT_OCTAS, { lowBalanceAtoms: APT_OCTAS / 2n });
  const events: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: unknown) => {
    events.push(...(/"event":"(fund\.(?:low_balance|balance_recovered))"/.exec(String(line))?.slice(1) ?? []));
  });
  const check = async () => (await stub(fund).check())?.low;
  expect(await check()).toBe(false);
  await sponsored(fund, draftOf(newUser(), { maxGasUnits: 500_000n }));
  for (let times = 0; times < 2; times++) expect(await check()).toBe(true);
  await giveOctas(fund.address, APT_OCTAS);
  await stub(fund).refresh();
  for (let times = 0; times < 2; times++) expect(await check()).toBe(false);
  expect(events).toEqual(["fund.low_balance", "fund.balance_recovered"]);
  log.mockRestore();
});

describe("where the node answers for another chain", () => {
  /** The ledger was begun anew: at a later time it has fewer versions. */
  const begunAnew = withHeaders((headers) => {
    headers.set("x-aptos-ledger-version", "1");
    headers.set("x-aptos-ledger-timestampusec", `${Date.now() + MINUTE_MS}000`);
  });

  async function expectPaused(fund: TestFund, ...moments: readonly Moment[]): Promise<void> {
    // A second look, by which the fund believes its chain.
    await liveFor(fund, 30 * SECOND_MS);
    alsoAlter(...moments);
    await sponsoredBefore(fund);
    await liveFor(fund, 2 * MINUTE_MS);
    expect(await stub(fund).view()).toMatchObject({ pausedCause: "chain_reset" });
    expect(await aptosExecute(fund, draftOf(newUser()))).toMatchObject({
      error: { reason: "fund_paused", data: { cause: "chain_reset" } },
    });
    expect(await stub(fund).reconcile()).toMatchObject({ error: { reason: "fund_paused" } });
    expect(await stub(fund).update({ paused: false }), "not while it does").toMatchObject({
      pausedCause: "chain_reset",
    });
  }

  /** What is out when the chain is replaced stays out: the other chain proves nothing about it. */
  async function sponsoredBefore(fund: TestFund): Promise<void> {
    expect((await aptosStatesOf(fund)).every((state) => state === "signed")).toBe(true);
  }

  test("a ledger begun anew pauses the fund, decides nothing, and pays no withdrawal; its own resumes it", async () => {
    const fund = await newAptosFund();
    await sponsored(fund, draftOf(newUser()));
    const to = newUser().address;
    const idempotency = { scope: "operator withdraw", fingerprint: "f" };
    const input = { to, amountAtoms: 1_000n, from: "available", idempotency } as const;
    alsoAlter({ method: "POST /transactions", instead: () => new Response("no", { status: 503 }) });
    expect(await stub(fund).withdraw(input)).toMatchObject({ value: { state: "pending" } });
    const before = await aptosLedgerOf(fund);
    await expectPaused(fund, begunAnew);
    expect(await stub(fund).withdraw(input)).toMatchObject({ value: { state: "pending" } });
    expect(await aptosStatesOf(fund)).toEqual(["signed"]);
    expect(await aptosWithdrawals(fund)).toMatchObject([{ state: "pending" }]);
    expect(await aptosLedgerOf(fund)).toEqual(before);
    expect(await octasOnChain(to)).toBe(0n);
    alsoAlter();
    expect(await stub(fund).update({ paused: false })).toMatchObject({ pausedCause: null });
    // While it was paused, everything was put off by an hour.
    await liveFor(fund, HOUR_MS + MINUTE_MS);
    await expectQuiet(fund);
    expect(await aptosStatesOf(fund)).toEqual(["dead"]);
  });

  test("a devnet of another chain id pauses the fund", async () => {
    alsoAlter(...onChainId(150));
    const fund = await newAptosFund(APT_OCTAS, { network: "APTOS_DEVNET" });
    expect(await stub(fund).view()).toMatchObject({ balanceAtoms: APT_OCTAS, pausedCause: null });
    await sponsored(fund, draftOf(newUser(), { chainId: 150 }));
    await expectPaused(fund, ...onChainId(151));
  });
});

test("a fund's key is sealed anew, and signs as before", async () => {
  const masterKeys = serviceMasterKeys(createDeps(env));
  const older = { ...masterKeys, current: 1 };
  const { randomBytes } = createDeps(env);
  const fund = await newAptosFund();
  const draft = draftOf(newUser());
  const signature = await sponsored(fund, draft);
  await runInDurableObject(platformStub(fund), async (_, { storage }) => {
    const record = readFundRecord(storage.sql);
    if (record?.key == null) throw new Error("the fund has no key");
    const key = await resealKey(record.key, FUND_KEY_LABEL, fund.id, older, randomBytes);
    writeFundRecord(storage.sql, { ...record, key });
  });
  await crash();
  expect(await stub(fund).reseal()).toEqual({ ok: true, value: masterKeys.current });
  expect(await sponsored(fund, draft)).toEqual(signature);
  expect(await stub(fund).view()).toMatchObject({ depositAddress: fund.address });
  const sealed = await runInDurableObject(platformStub(fund), (_, { storage }) => readFundRecord(storage.sql)?.key);
  if (sealed == null) throw new Error("the fund has no key");
  const { current } = masterKeys;
  const bytesOf = async (version: number) => (version === current ? masterKeys.bytesOf(version) : null);
  await openSigner(sealed, FUND_KEY_LABEL, fund.id, { ...masterKeys, bytesOf });
  await crash();
  await landed(fund, draft);
  pass(5 * SECOND_MS);
  expect(reasonOf(await aptosSponsor(fund, draftOf(newUser())))).toBeNull();
});
