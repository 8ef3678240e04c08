import type { FundBooks, LedgerRow } from "../../../shared/fund/ledger/books.ts";
import {
  addCounts,
  type DailyCounts,
  type DailyDimension,
  NOTHING_COUNTED,
} from "../../../shared/fund/ledger/daily.ts";
import { type SponsorshipView, UNRESOLVABLE } from "../../../shared/fund/views.ts";
import { same } from "./same.ts";
import { textOf } from "./visible-store.ts";

const DAY_MS = 86_400_000;

/** What the ledger does not say of a sponsorship. */
export interface EndedRow extends Pick<SponsorshipView, "state" | "sender" | "rebateAtoms"> {
  /** True if the chain shows that it aborted. */
  readonly isAborted: boolean;
  /** True if its end was counted as unresolvable before the chain showed it. */
  readonly isLate?: boolean;
  /** True if it was given back when it expired. That is not its end. */
  readonly isReleased?: boolean;
}

/** The daily counters, counted again over the ledger and the rows: the slow way, and not by the code under test. */
export class DailyRecount {
  readonly #counts = new Map<string, DailyCounts>();
  /** Given back before their ends. */
  readonly #released = new Set<string>();

  /** Counts a new ledger row. A ledger row that ends or recycles a sponsorship names it. */
  read(row: LedgerRow, ofReference: (reference: string) => EndedRow | undefined): void {
    const ended = ofReference(row.reference);
    if (row.kind === "release" && ended?.isReleased === true && !this.#released.has(row.reference)) {
      this.#released.add(row.reference);
      return;
    }
    const counts = countsOf(row, ended);
    if (counts === null || ended === undefined || row.keyId === null) return;
    const day = Math.floor(row.atMs / DAY_MS);
    for (const at of [`key ${day} ${row.keyId}`, `sender ${day} ${ended.sender}`])
      this.#counts.set(at, addCounts(this.#counts.get(at) ?? NOTHING_COUNTED, { ...NOTHING_COUNTED, ...counts }));
  }

  check(books: FundBooks): void {
    const dimensions: readonly DailyDimension[] = ["key", "sender"];
    const stored = dimensions.flatMap((dimension) =>
      books
        .daily(dimension, 0, Number.MAX_SAFE_INTEGER)
        .map(({ day, name, ...counts }) => [`${dimension} ${day} ${name}`, counts] as const),
    );
    same(textOfCounts(stored), textOfCounts([...this.#counts]), "the daily counters are not the sums over the rows");
  }
}

function countsOf({ kind, ...row }: LedgerRow, ended: EndedRow | undefined): Partial<DailyCounts> | null {
  if (kind === "recycle") return { maintenanceAtoms: -row.balanceAtoms };
  if (kind === "release") return ended?.state === UNRESOLVABLE ? { unresolvable: 1 } : { abandoned: 1 };
  if (kind !== "charge") return null;
  const failed = ended?.isAborted ? 1 : 0;
  const rebateAtoms = ended?.rebateAtoms ?? 0n;
  const amounts = { chargedAtoms: -row.balanceAtoms, feeAtoms: row.accruedFeesAtoms, rebateAtoms };
  return ended?.isLate ? amounts : { executed: 1, failed, ...amounts };
}

function textOfCounts(counts: readonly (readonly [string, DailyCounts])[]): string {
  const sorted = counts.map(([at, count]) => `${at} ${textOf(addCounts(NOTHING_COUNTED, count))}`);
  return sorted.toSorted().join("\n");
}
