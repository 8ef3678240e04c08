import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { CreateFund } from "../../shared/bindings/fund.ts";
import type { Outcome, Reason } from "../../shared/errors.ts";
import type { AptosExecuted, AptosExecuteInput } from "../../shared/fund/aptos/engine/execute.ts";
import type { AptosSponsorInput } from "../../shared/fund/aptos/engine/reserve.ts";
import type { AptosSponsored } from "../../shared/fund/aptos/engine/sponsor.ts";
import { SqliteAptosFundStore } from "../../shared/fund/aptos/sqlite-store.ts";
import type { AptosSponsorship, AptosTreasuryTransaction } from "../../shared/fund/aptos/store.ts";
import type { LedgerRow } from "../../shared/fund/ledger/books.ts";
import { WHOLE_FUND } from "../../shared/fund/ledger/books.ts";
import { withheldAtoms } from "../../shared/fund/ledger/usage.ts";
import { defaultFundPolicy, defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { sleep } from "../../shared/timing.ts";
import { alterAptos, atOurTime, type Moment, onceAt } from "../byzantine-node/altered-aptos-node.ts";
import {
  APT_OCTAS,
  committedAt,
  type Draft,
  giveOctas,
  type OnChain,
  octasOnChain,
  orderLag,
  sequenceOnChain,
  signDraft,
} from "./aptos-chain.ts";
import { dueRows } from "./fund/due-rows.ts";
import { unpacked } from "./fund/sqlite-fund.ts";
import { clearFaults } from "./sui-chain.ts";
import { bindings, crash, KEY_ID, MINUTE_MS, platformStub, stopClock, stub, type TestFund, until } from "./sui-fund.ts";

let funds = 0;

/** For every test of a file: the clock stands still, and the endpoint, which is honest, has seen the chain up to it. */
export function useStoppedAptosClock(): void {
  beforeEach(() => {
    stopClock();
    alterAptos(atOurTime);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    await clearFaults();
    await orderLag(0);
  });
}

/** With other settings than the defaults of a new fund. */
export async function newAptosFund(octas: bigint = APT_OCTAS, changes: Partial<CreateFund> = {}): Promise<TestFund> {
  funds += 1;
  const id = `fund_${funds.toString(16).padStart(20, "a")}`;
  const fund = bindings.FUND.getByName(id);
  const created = await fund.create({
    fundId: id,
    projectId: "prj_000000000000000000d1",
    network: "APTOS_LOCALNET",
    name: "fund",
    mode: "fungible_store",
    policy: defaultFundPolicy("aptos"),
    sponsorshipFeeAtoms: 0n,
    lowBalanceAtoms: null,
    ...changes,
  });
  if (!created.ok) throw new Error(created.error.details);
  const address = (await fund.createDepositAddress())?.depositAddress ?? null;
  if (address === null) throw new Error("the fund has no deposit address");
  if (octas > 0n) {
    await giveOctas(address, octas);
    await fund.refresh();
  }
  return { id, address };
}

/** The call of an access key without rules of its own. */
export function inputOf({ rawTransaction, secondaries }: Draft): AptosSponsorInput {
  return {
    keyId: KEY_ID,
    keyPolicy: defaultKeyPolicy("aptos"),
    rawTransaction,
    secondaryAddresses: secondaries.map(({ address }) => address),
    idempotency: null,
  };
}

export function aptosSponsor(
  fund: TestFund,
  draft: Draft,
  input: Partial<AptosSponsorInput> = {},
): Promise<Outcome<AptosSponsored>> {
  return stub(fund).aptosSponsor({ ...inputOf(draft), ...input });
}

/** The users sign, and have the fund sign and submit. */
export function aptosExecute(
  fund: TestFund,
  draft: Draft,
  input: Partial<AptosExecuteInput> = {},
): Promise<Outcome<AptosExecuted>> {
  return stub(fund).aptosExecute({ ...inputOf(draft), ...signDraft(draft, fund.address), ...input });
}

/** The fund's signature. */
export async function sponsored(
  fund: TestFund,
  draft: Draft,
  input: Partial<AptosSponsorInput> = {},
): Promise<Uint8Array> {
  return granted(await aptosSponsor(fund, draft, input)).authenticator;
}

/** The hash of what was submitted. */
export async function executed(fund: TestFund, draft: Draft, input: Partial<AptosExecuteInput> = {}): Promise<string> {
  return granted(await aptosExecute(fund, draft, input)).pendingTransaction.hash;
}

export function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

/** Null where it is no refusal. */
export function reasonOf(outcome: Outcome<unknown>): Reason | null {
  return outcome.ok ? null : outcome.error.reason;
}

/** Waits, in real time, until the chain has a block with it. */
export async function whenCommitted({ sender, sequenceNumber }: Draft): Promise<OnChain> {
  await until(async () => (await sequenceOnChain(sender.address)) > sequenceNumber);
  const found = await committedAt(sender.address, sequenceNumber);
  if (found === null) throw new Error("the chain has counted it and does not show it");
  return found;
}

/** The fund executes it, and the chain has it. */
export async function landed(fund: TestFund, draft: Draft): Promise<OnChain> {
  await executed(fund, draft);
  return whenCommitted(draft);
}

/** Ends all instances while one of them calls the node, before the call is sent or after the node has answered. */
export async function crashDuringAptos(
  work: () => Promise<unknown>,
  when: "before" | "after",
  method: string,
): Promise<void> {
  let reached = false;
  const stay = () => {
    reached = true;
    return sleep(MINUTE_MS);
  };
  alterAptos(atOurTime, onceAt(method, { [when]: stay }));
  const working = work().then(
    () => "answered",
    () => "ended",
  );
  await until(async () => reached);
  await crash();
  if ((await working) === "answered") throw new Error("the instance answered although it had ended");
  alterAptos(atOurTime);
}

/** The honest endpoint, and these. */
export function alsoAlter(...moments: readonly Moment[]): void {
  alterAptos(atOurTime, ...moments);
}

/** What a fund has on disk, read without calling it. */
export function onAptosDisk<T>(fund: TestFund, look: (store: SqliteAptosFundStore, sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    look(new SqliteAptosFundStore(storage, () => {}), storage.sql),
  );
}

/** Oldest first. */
export function sponsorshipsOf(fund: TestFund): Promise<readonly AptosSponsorship[]> {
  return onAptosDisk(fund, (store, sql) =>
    sql
      .exec<{ id: ArrayBuffer | string }>("SELECT id FROM aptos_sponsorship_row ORDER BY seq")
      .toArray()
      .flatMap(({ id }) => store.sponsorship(unpacked(id)) ?? []),
  );
}

/** Their states, oldest first. */
export async function aptosStatesOf(fund: TestFund): Promise<readonly string[]> {
  return (await sponsorshipsOf(fund)).map(({ state }) => state);
}

/** Oldest first. */
export function aptosWithdrawals(fund: TestFund): Promise<readonly AptosTreasuryTransaction[]> {
  return onAptosDisk(fund, (store, sql) =>
    sql
      .exec<{ hash: string }>("SELECT hash FROM aptos_own_transaction ORDER BY rowid")
      .toArray()
      .flatMap(({ hash }) => store.treasuryTransaction(hash) ?? []),
  );
}

/** Oldest first. */
export function aptosLedgerOf(fund: TestFund): Promise<readonly LedgerRow[]> {
  return onAptosDisk(fund, (store) => store.oldestLedger(10_000).map(({ row }) => row));
}

/**
 * The fund's books are the chain's, to the last octa, and add up: the ledger to the totals, what is withheld to the live
 * sponsorships; and everything that is live is due some time.
 */
export async function expectExactAptosBooks(fund: TestFund): Promise<void> {
  const books = await onAptosDisk(fund, (store, sql) => ({
    totals: store.totals(),
    usage: store.usage(WHOLE_FUND),
    ledger: store.oldestLedger(10_000).map(({ row }) => row),
    live: store.liveIds(null).flatMap((id) => store.sponsorship(id) ?? []),
    due: dueRows(sql).flatMap(({ kind, reference }) => (kind === "settle" ? reference : [])),
  }));
  const { totals, usage, ledger, live, due } = books;
  expect(totals.balanceAtoms, "the balance is the chain's").toBe(await octasOnChain(fund.address));
  for (const column of ["balanceAtoms", "addressBalanceAtoms", "inFlightAtoms", "accruedFeesAtoms"] as const)
    expect(
      ledger.reduce((sum, row) => sum + row[column], 0n),
      `the ledger adds up to ${column}`,
    ).toBe(totals[column]);
  const inFlightAtoms = live.reduce((sum, row) => sum + withheldAtoms(row), 0n);
  expect(totals.inFlightAtoms, "what is withheld is withheld for live sponsorships").toBe(inFlightAtoms);
  expect(usage).toMatchObject({ inFlightCount: live.length, inFlightAtoms });
  expect(new Set(due), "whatever is live is due some time, and nothing else").toEqual(
    new Set(live.map(({ id }) => id)),
  );
}

/** Beside exact books: nothing is withheld any more. */
export async function expectQuiet(fund: TestFund): Promise<void> {
  await expectExactAptosBooks(fund);
  expect(await stub(fund).view()).toMatchObject({ inFlightAtoms: 0n });
  expect(await stub(fund).reconcile()).toMatchObject({ ok: true, value: { exact: true } });
}
