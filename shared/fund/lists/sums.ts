import type { FilteredPage, FilteredRequest, SummedPage } from "../../paging.ts";
import { sleep } from "../../timing.ts";
import type { LedgerRow } from "../ledger/books.ts";
import { spentOf } from "../ledger/spend.ts";
import type { SponsorshipView } from "../views.ts";
import { type LedgerFilter, type SponsorshipFilter, sponsorshipOutcomes } from "./filter.ts";

/** The rows of one read. Other calls of the fund are answered between two reads. */
const ROWS_AT_ONCE = 1_000;
/** The reads of one call. A read of a filtered list examines a bounded number of rows, and may find none. */
const READS = 10;

/** The filter that every sponsorship meets. */
export const ANY_SPONSORSHIP: SponsorshipFilter = { fromMs: null, toMs: null, keyId: null, sender: null, states: null };
/** The filter that every ledger row meets. */
export const ANY_LEDGER_ROW: LedgerFilter = { fromMs: null, toMs: null, keyId: null, kind: null, reference: null };

/** The sums of the rows of one state or kind. */
export interface GroupSum {
  /** The state of sponsorships, or the kind of ledger rows. */
  readonly group: string;
  readonly count: number;
  /** The sum of each amount. */
  readonly atoms: Readonly<Record<string, bigint>>;
}

/** Returns a sponsorship as a sum of one row. Only a completed one has earned its fee. */
export function sumOfSponsorship(row: SponsorshipView): GroupSum {
  const { state, gasBudgetAtoms: gasBudget, chargedAtoms, rebateAtoms, maintenanceAtoms } = row;
  const fees = state === sponsorshipOutcomes.executed ? row.feeAtoms : 0n;
  const [charged, rebate, maintenance] = [chargedAtoms ?? 0n, rebateAtoms ?? 0n, maintenanceAtoms ?? 0n];
  const total = spentOf({ chargedAtoms: charged, feeAtoms: fees, maintenanceAtoms: maintenance });
  return { group: state, count: 1, atoms: { gasBudget, charged, rebate, maintenance, fees, total } };
}

/** Returns a ledger row as a sum of one row. */
export function sumOfLedgerRow(row: LedgerRow): GroupSum {
  const { kind, balanceAtoms: balance, addressBalanceAtoms, inFlightAtoms, accruedFeesAtoms } = row;
  const parts = { addressBalance: addressBalanceAtoms, inFlight: inFlightAtoms, accruedFees: accruedFeesAtoms };
  return { group: kind, count: 1, atoms: { balance, ...parts } };
}

/** Adds up sums, group by group. */
export function addSums(sums: Iterable<GroupSum>): readonly GroupSum[] {
  const groups = new Map<string, { count: number; atoms: Record<string, bigint> }>();
  for (const { group, count, atoms } of sums) {
    const sum = groups.get(group) ?? { count: 0, atoms: {} };
    sum.count += count;
    for (const [name, amount] of Object.entries(atoms)) sum.atoms[name] = (sum.atoms[name] ?? 0n) + amount;
    groups.set(group, sum);
  }
  return [...groups].map(([group, sum]) => ({ group, ...sum }));
}

/**
 * Adds up the rows of a list from a cursor on. Each call does bounded work, so the answer may have a cursor for the
 * next call. The page has no items.
 */
export async function sumPages<Item, Filter>(
  { filter, cursor: from }: FilteredRequest<Filter>,
  read: (page: FilteredRequest<Filter>) => Promise<FilteredPage<Item>>,
  sumOf: (item: Item) => GroupSum,
): Promise<SummedPage<Item, readonly GroupSum[]>> {
  let sums: readonly GroupSum[] = [];
  let cursor = from;
  for (let reads = 0; reads < READS; reads += 1) {
    if (reads > 0) await sleep(0);
    const page = await read({ limit: ROWS_AT_ONCE, cursor, ...(filter && { filter }) });
    if (!page.isFiltered) return { items: [], nextCursor: null };
    sums = addSums([...sums, ...page.items.map(sumOf)]);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return { items: [], nextCursor: cursor, isFiltered: true, isWholeFilter: true, sums };
}
