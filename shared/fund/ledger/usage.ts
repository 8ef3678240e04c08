import type { SponsorshipView } from "../views.ts";
import { type FundBooks, type FundTotals, type LedgerKind, type Usage, WHOLE_FUND } from "./books.ts";

const DAY_MS = 86_400_000;

/** Days are UTC, so that a limit does not depend on where the service runs. */
export function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/**
 * The usage as of now: what was spent on an earlier day counts no more. A clock that steps back over midnight stays in
 * the day that it has left, so that the limits of that day do not begin anew. One that was wrong by more does not.
 */
export function usageToday(books: FundBooks, scope: string, nowMs: number): Usage {
  const usage = books.usage(scope);
  const day = utcDay(nowMs);
  const isCurrent = usage.day === day || usage.day === day + 1;
  return isCurrent ? usage : { ...usage, day, spentTodayAtoms: 0n, abandonCostTodayAtoms: 0n };
}

interface UsageChange extends Partial<Omit<Usage, "day">> {
  /** What is spent counts towards this day only; without it, towards the current one. */
  readonly spentOnDay?: number;
}

/** Counts for one access key and for the whole fund. */
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

export interface LedgerEntry extends Partial<FundTotals> {
  readonly atMs: number;
  readonly kind: LedgerKind;
  readonly reference: string;
  readonly keyId?: string | null;
}

/** Writes a ledger row; what it does not name does not change. */
export function addEntry(books: FundBooks, { atMs, kind, reference, keyId = null, ...changes }: LedgerEntry): void {
  const unchanged: FundTotals = { balanceAtoms: 0n, addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };
  books.addLedger({ ...unchanged, ...changes, atMs, kind, reference, keyId });
}

/** What a live sponsorship withholds: its budget, and the fee that it will owe. */
export function withheldAtoms({
  gasBudgetAtoms,
  feeAtoms,
}: Pick<SponsorshipView, "gasBudgetAtoms" | "feeAtoms">): bigint {
  return gasBudgetAtoms + feeAtoms;
}

/** What a sponsorship that is over has spent. A rebate above the cost is the fund's gain, not more to spend. */
export function spentAtoms({ chargedAtoms, feeAtoms }: Pick<SponsorshipView, "chargedAtoms" | "feeAtoms">): bigint {
  return chargedAtoms === null ? 0n : (chargedAtoms > 0n ? chargedAtoms : 0n) + feeAtoms;
}
