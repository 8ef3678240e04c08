import { expect } from "vitest";
import type { LedgerRow } from "../../shared/fund/ledger/books.ts";
import type { SponsorshipView } from "../../shared/fund/views.ts";
import type { Page, PageRequest } from "../../shared/paging.ts";
import { alarm, dueInMs, pass, SECOND_MS, stub, type TestFund } from "./sui-fund.ts";

export const DAY_MS = 86_400_000;
/** The settings of a fund whose rows leave after a day. */
export const A_DAY = { limits: { retentionDays: 1, fundBytes: 16 * 1_048_576 } };
const MAX_ALARMS = 30;

/** Reads every row of a list, page by page. */
async function all<Item>(list: (page: PageRequest) => Promise<Page<Item> | null>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<Item> | null = await list({ limit, cursor });
    if (page === null) throw new Error("no such fund");
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

/** Lists a fund's sponsorships, wherever they are, newest first. */
export function allSponsorships(fund: TestFund): Promise<readonly SponsorshipView[]> {
  return all((page) => stub(fund).sponsorships(page), 3);
}

/** Lists a fund's ledger rows, wherever they are, newest first. */
export function allLedger(fund: TestFund): Promise<readonly LedgerRow[]> {
  return all((page) => stub(fund).ledger(page), 4);
}

/** The books are exact, and the ledger adds up to them with the rows that have left. */
export async function expectExactWithArchives(fund: TestFund): Promise<void> {
  expect(await stub(fund).reconcile()).toMatchObject({ value: { exact: true } });
  const ledger = await allLedger(fund);
  const { balanceAtoms, inFlightAtoms } = (await stub(fund).view()) ?? {};
  const sumOf = (column: "balanceAtoms" | "inFlightAtoms") => ledger.reduce((sum, row) => sum + row[column], 0n);
  expect([sumOf("balanceAtoms"), sumOf("inFlightAtoms")]).toEqual([balanceAtoms, inFlightAtoms]);
}

/** Runs alarms until nothing is left to move. */
export async function runMoves(fund: TestFund): Promise<void> {
  for (let count = 0; count < MAX_ALARMS; count++) {
    pass(15 * SECOND_MS);
    await alarm(fund);
    if (count > 1 && (await dueInMs(fund, "archive")).length === 0) return;
  }
  throw new Error("there is always something left to move");
}
