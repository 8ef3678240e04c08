import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { expect } from "vitest";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import type { ProjectFund, ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import type { SuiGasClient } from "../../shared/client/gas-client.ts";
import { BADGE_TYPE } from "../devchain/sui/move/demo-types.ts";
import { everyRow } from "../support/admin-lists.ts";
import { type FundFigures, readFigures, readSui } from "../support/figures.ts";
import type { Caller, Told } from "./callers.ts";

/** `sui-rpc-api` answers at most this many transactions a call. */
const BATCH = 50;
const STATUS_CALLS_AT_ONCE = 16;

export interface Books {
  readonly access: ServiceAccess;
  readonly fund: ProjectFund;
  /** Of an access key that stays. */
  readonly gas: SuiGasClient;
  /** The stock client, at the chain: the judge. */
  readonly sui: SuiGrpcClient;
}

const mist = z.string().transform(BigInt);
const sponsorshipSchema = z.object({
  digest: z.string(),
  state: z.enum(["prepared", "signed", "complete", "expired", "dead"]),
  sender: z.string(),
  keyId: z.string(),
  fee: mist,
  charged: mist.nullable(),
});
export type SponsorshipRow = z.output<typeof sponsorshipSchema>;
const ledgerSchema = z.object({
  kind: z.string(),
  balance: mist,
  addressBalance: mist,
  inFlight: mist,
  accruedFees: mist,
});
export type LedgerRow = z.output<typeof ledgerSchema>;
const reconciliationSchema = z.object({
  exact: z.boolean(),
  bookedAddressBalance: mist,
  differences: z.array(z.unknown()),
});

export function everySponsorship(books: Books): Promise<SponsorshipRow[]> {
  return everyRow(books.access, `/funds/${books.fund.fundId}/sponsorships`, sponsorshipSchema);
}

export function everyLedgerRow(books: Books): Promise<LedgerRow[]> {
  return everyRow(books.access, `/funds/${books.fund.fundId}/ledger`, ledgerSchema);
}

export function figuresOf({ access, fund }: Books): Promise<FundFigures> {
  return readFigures(access, fund.fundId);
}

/** What an address owns on chain, in every form, after all that was executed until now. */
export function suiOf({ access, sui }: Books, owner: string): Promise<bigint> {
  return readSui(access.chainUrl, sui, owner);
}

/** What the chain charged, by digest, for each of these that it has executed. */
async function chargesOnChain(sui: SuiGrpcClient, digests: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const charges = new Map<string, bigint>();
  for (let start = 0; start < digests.length; start += BATCH) {
    const { response } = await sui.ledgerService.batchGetTransactions({
      digests: digests.slice(start, start + BATCH),
      readMask: { paths: ["digest", "effects.gas_used"] },
    });
    for (const { result } of response.transactions) {
      if (result.oneofKind !== "transaction") continue;
      const { digest = "", effects } = result.transaction;
      const { computationCost = 0n, storageCost = 0n, storageRebate = 0n } = effects?.gasUsed ?? {};
      charges.set(digest, computationCost + storageCost - storageRebate);
    }
  }
  return charges;
}

async function badgesOf(sui: SuiGrpcClient, owner: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = null, more = true; more; ) {
    const page: Awaited<ReturnType<typeof sui.listOwnedObjects>> = await sui.listOwnedObjects({
      owner,
      type: BADGE_TYPE,
      cursor,
    });
    count += page.objects.length;
    cursor = page.cursor;
    more = page.hasNextPage;
  }
  return count;
}

/** What was booked, and what it must come to. */
export interface Expected {
  readonly feeMist: bigint;
  readonly depositedMist: bigint;
}

/** Compares the fund's books with the chain and with what its callers were told, once the hour is over for all of it. */
export async function checkBooks(books: Books, told: Told, callers: readonly Caller[], expected: Expected) {
  const rows = await everySponsorship(books);
  expect(new Set(rows.map(({ digest }) => digest)).size, "a digest is listed once").toBe(rows.length);
  const charges = await chargesOnChain(
    books.sui,
    rows.map(({ digest }) => digest),
  );
  for (const { digest, state, charged } of rows)
    expect({ digest, state, charged }, "alarms alone end everything, as the chain shows it").toEqual({
      digest,
      state: charges.has(digest) ? "complete" : "dead",
      charged: charges.get(digest) ?? null,
    });
  const known = new Set(rows.map(({ digest }) => digest));
  expect(
    [...told.sponsored.keys()].filter((digest) => !known.has(digest)),
    "what was answered is known",
  ).toEqual([]);
  expect(
    [...told.executed].filter((digest) => !charges.has(digest)),
    "what was answered was executed",
  ).toEqual([]);

  let badges = 0;
  for (const caller of callers) {
    badges += await badgesOf(books.sui, caller.sender);
    if (!caller.patient) continue;
    const sponsorships = rows.filter(({ sender }) => sender === caller.sender).length;
    const answered = [...caller.told.named.values()].filter(Boolean).length;
    expect(sponsorships, "each Idempotency-Key is at most one sponsorship").toBeLessThanOrEqual(caller.told.named.size);
    expect(sponsorships).toBeGreaterThanOrEqual(answered);
  }
  expect(badges, "each executed transaction has run exactly once").toBe(charges.size);
  await checkMoney(books, rows, expected);
  await checkStatuses(books, [...told.sponsored.keys()], charges);
}

async function checkMoney(books: Books, rows: readonly SponsorshipRow[], { feeMist, depositedMist }: Expected) {
  const reconciled = await adminCall(books.access, "POST", `/funds/${books.fund.fundId}/reconcile`);
  const compared = expectAnswer("the reconciliation", reconciled, reconciliationSchema);
  expect(compared).toMatchObject({ exact: true, differences: [] });

  const figures = await figuresOf(books);
  const ledger = await everyLedgerRow(books);
  const sum = (column: Exclude<keyof LedgerRow, "kind">, of = ledger) =>
    of.reduce((total, row) => total + row[column], 0n);
  expect(
    { balance: sum("balance"), inFlight: sum("inFlight"), accruedFees: sum("accruedFees") },
    "every figure is the sum of its column in the ledger",
  ).toEqual({ balance: figures.balance, inFlight: figures.inFlight, accruedFees: figures.accruedFees });
  expect(sum("addressBalance")).toBe(compared.bookedAddressBalance);
  expect(figures.balance, "the fund's balance is what its address owns on chain").toBe(
    await suiOf(books, books.fund.depositAddress),
  );
  const kind = (name: string) => ledger.filter((row) => row.kind === name);
  expect(sum("balance", kind("deposit")), "each deposit is booked once").toBe(depositedMist);
  expect(kind("adjustment"), "nothing had to be adjusted").toEqual([]);

  const completed = rows.filter(({ state }) => state === "complete");
  expect(completed.every(({ fee }) => fee === feeMist)).toBe(true);
  const collectedMist = -sum("accruedFees", kind("withdraw"));
  expect(figures.accruedFees, "fees earned are COMPLETE × fee").toBe(
    BigInt(completed.length) * feeMist - collectedMist,
  );
  expect(figures.inFlight, "nothing is withheld").toBe(0n);
  const unconvertedMist = figures.unconverted?.amount ?? 0n;
  expect(figures.available, "the rest of it can pay").toBe(
    figures.balance - unconvertedMist - figures.accruedFees - figures.maintenanceReserve,
  );
}

async function checkStatuses(
  { gas }: Books,
  digests: readonly string[],
  charges: ReadonlyMap<string, bigint>,
): Promise<void> {
  for (let start = 0; start < digests.length; start += STATUS_CALLS_AT_ONCE)
    await Promise.all(
      digests.slice(start, start + STATUS_CALLS_AT_ONCE).map(async (transactionDigest) => {
        const status = await gas.getSponsoredTransactionBlockStatus({ transactionDigest });
        expect(status).toEqual({ ok: true, value: charges.has(transactionDigest) ? "COMPLETE" : "INVALID" });
      }),
    );
}
