import { bcs } from "@mysten/sui/bcs";
import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { expect } from "vitest";
import * as z from "zod";
import type { GasClient } from "../../shared/client/gas-client.ts";
import { BADGE_TYPE } from "../devchain/sui/move/demo-types.ts";
import { adminCall, expectAnswer, type FundedFund, getFund, type ServiceAccess } from "../local/clients.ts";
import type { Told } from "./callers.ts";

const PAGE = 200;
/** `sui-rpc-api` answers at most this many transactions a call. */
const BATCH = 50;
const STATUS_CALLS_AT_ONCE = 16;

const rowSchema = z.object({
  digest: z.string(),
  state: z.enum(["prepared", "signed", "complete", "expired", "dead"]),
  gasBudget: z.string().transform(BigInt),
  charged: z.string().transform(BigInt).nullable(),
});
const pageSchema = z.object({ items: z.array(rowSchema), nextCursor: z.string().nullable() });
type Row = z.output<typeof rowSchema>;

export interface Books {
  readonly access: ServiceAccess;
  readonly fund: FundedFund;
  readonly gas: GasClient;
  /** The stock client, at the chain: the judge. */
  readonly sui: SuiGrpcClient;
}

async function everySponsorship({ access, fund }: Books): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const query: string = cursor === null ? "" : `&cursor=${cursor}`;
    const answer = await adminCall(access, "GET", `/funds/${fund.fundId}/sponsorships?limit=${PAGE}${query}`);
    const page = expectAnswer("listing the sponsorships", answer, pageSchema);
    for (const row of page.items) {
      expect(rows.has(row.digest), "a digest is listed once").toBe(false);
      rows.set(row.digest, row);
    }
    cursor = page.nextCursor;
  }
  return rows;
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

async function coinsOnChainMist(sui: SuiGrpcClient, owner: string): Promise<bigint> {
  let sumMist = 0n;
  for (let cursor: string | null = null, more = true; more; ) {
    const page: Awaited<ReturnType<typeof sui.listCoins>> = await sui.listCoins({ owner, cursor });
    for (const { balance } of page.objects) sumMist += BigInt(balance);
    cursor = page.cursor;
    more = page.hasNextPage;
  }
  return sumMist;
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

/** Coins that a transaction pays with. Of a sponsorship whose answer was lost, nobody has the bytes. */
function paymentOf(txBytes: Uint8Array | undefined): readonly string[] {
  if (txBytes === undefined) return [];
  return bcs.TransactionData.parse(txBytes).V1.gasData.payment.map(({ objectId }) => objectId);
}

/** Compares the fund's books with the chain, once nothing is under way any more. */
export async function checkBooks(books: Books, told: Told, users: readonly string[]): Promise<void> {
  const rows = await everySponsorship(books);
  const charges = await chargesOnChain(books.sui, [...rows.keys()]);
  expect(
    [...told.sponsored.keys()].filter((digest) => !rows.has(digest)),
    "every sponsorship that was answered is known",
  ).toEqual([]);
  for (const digest of told.executed)
    expect(charges.has(digest), "what was answered as executed was executed").toBe(true);

  const live = [...rows.values()].filter(({ state }) => state !== "complete");
  for (const { digest, state, charged } of rows.values()) {
    const chargedMist = charges.get(digest) ?? null;
    expect({ digest, charged, complete: state === "complete" }, "alarms alone settle what the chain shows").toEqual({
      digest,
      charged: chargedMist,
      complete: chargedMist !== null,
    });
  }
  expect(live.every(({ state }) => state === "prepared" || state === "signed")).toBe(true);

  const view = await getFund(books.access, books.fund.fundId);
  const withheldMist = live.reduce((sum, { gasBudget }) => sum + gasBudget, 0n);
  expect(BigInt(view.inFlight), "inFlight is the exact sum of the live budgets").toBe(withheldMist);
  expect(BigInt(view.balance), "the fund's balance is what its address owns on chain").toBe(
    await coinsOnChainMist(books.sui, books.fund.depositAddress),
  );

  const lent = live.flatMap(({ digest }) => paymentOf(told.sponsored.get(digest)));
  expect(new Set(lent).size, "no coin pays for two live sponsorships").toBe(lent.length);

  let badges = 0;
  for (const user of users) badges += await badgesOf(books.sui, user);
  expect(badges, "each executed transaction has run exactly once").toBe(charges.size);
  await checkStatuses(books, [...told.sponsored.keys()], charges);
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
        expect(status).toEqual({ ok: true, value: charges.has(transactionDigest) ? "COMPLETE" : "IN_FLIGHT" });
      }),
    );
}
