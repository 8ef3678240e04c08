import type { SponsorshipView } from "../views.ts";
import { type FundBooks, type FundTotals, type LedgerKind, type Usage, WHOLE_FUND } from "./books.ts";

const DAY_MS = 86_400_000;

/** Returns the UTC day of a time. In UTC a limit does not depend on the service's location. */
export function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/**
 * Reads the usage as of now. Spending of an earlier day no longer counts. If the clock steps back over midnight, the
 * usage stays in the later day. So the earlier day's limits do not begin anew. A clock that was wrong by more gets no
 * such grace.
 */
export function usageToday(books: FundBooks, scope: string, nowMs: number): Usage {
  const usage = books.usage(scope);
  const day = utcDay(nowMs);
  const isCurrent = usage.day === day || usage.day === day + 1;
  return isCurrent ? usage : { ...usage, day, spentTodayAtoms: 0n, abandonCostTodayAtoms: 0n };
}

interface UsageChange extends Partial<Omit<Usage, "day">> {
  /** Spending counts only if this is the current day. If absent, it counts. */
  readonly spentOnDay?: number;
}

/** Adds to the usage of one access key and of the whole fund. */
export function addUsage(books: FundBooks, keyId: string, nowMs: number, change: UsageChange): void {
  for (const scope of [WHOLE_FUND, keyId]) {
    const usage = usageToday(books, scope, nowMs);
    const counts = change.spentOnDay === undefined || change.spentOnDay === usage.day;
    books.putUsage(scope, {
      day: usage.day,
      inFlightCount: usage.inFlightCount + (change.inFlightCount ?? 0),
      inFlightAtoms: usage.inFlightAtoms + (change.inFlightAtoms ?? 0n),
      spentTodayAtoms: usage.spentTodayAtoms + (counts ? (change.spentTodayAtoms ?? 0n) : 0n),
      abandonCostTodayAtoms: usage.abandonCostTodayAtoms + (change.abandonCostTodayAtoms ?? 0n),
    });
  }
}

/** A ledger row to write. Absent columns do not change, and an absent key is null. */
export interface LedgerEntry extends Partial<FundTotals> {
  readonly atMs: number;
  readonly kind: LedgerKind;
  readonly reference: string;
  readonly keyId?: string | null;
}

/** Writes a ledger row and returns its number. Columns that the entry does not name do not change. */
export function addEntry(books: FundBooks, { atMs, kind, reference, keyId = null, ...changes }: LedgerEntry): number {
  const unchanged: FundTotals = { balanceAtoms: 0n, addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };
  return books.addLedger({ ...unchanged, ...changes, atMs, kind, reference, keyId });
}

/** Returns the amount that a live sponsorship withholds: its budget, and the fee that it will owe. */
export function withheldAtoms({
  gasBudgetAtoms,
  feeAtoms,
}: Pick<SponsorshipView, "gasBudgetAtoms" | "feeAtoms">): bigint {
  return gasBudgetAtoms + feeAtoms;
}

/**
 * Returns the amount that an ended sponsorship has spent. A rebate above the cost is the fund's gain, and does not
 * raise its limit.
 */
export function spentAtoms({ chargedAtoms, feeAtoms }: Pick<SponsorshipView, "chargedAtoms" | "feeAtoms">): bigint {
  return chargedAtoms === null ? 0n : (chargedAtoms > 0n ? chargedAtoms : 0n) + feeAtoms;
}
