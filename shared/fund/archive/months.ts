import * as z from "zod";
import type { TimeSpan } from "../../durable/scan.ts";
import type { Row } from "../../durable/sql.ts";
import type { FundTotals, LedgerRow } from "../ledger/books.ts";
import { readFundRecord } from "../record.ts";
import type { SponsorshipView } from "../views.ts";
import { jsonRecord } from "./record.ts";

/** The amounts of the sponsorships and the ledger rows that a month's archive holds. */
export interface ArchivedSums extends FundTotals {
  readonly sponsorships: number;
  readonly chargedAtoms: bigint;
  readonly feeAtoms: bigint;
  readonly rebateAtoms: bigint;
  readonly maintenanceAtoms: bigint;
  readonly ledgerRows: number;
}

/** The lowest and the highest number of a list's rows in one archive. */
export interface NumberRange {
  readonly lowest: number;
  readonly highest: number;
}

/** The archive of one month, as the fund knows it. */
export interface ArchivedMonth {
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  /** Null if the month has no sponsorship. */
  readonly sponsorships: NumberRange | null;
  /** Null if the month has no ledger row. */
  readonly ledger: NumberRange | null;
  readonly sums: ArchivedSums;
}

const NO_SUMS: ArchivedSums = {
  sponsorships: 0,
  chargedAtoms: 0n,
  feeAtoms: 0n,
  rebateAtoms: 0n,
  maintenanceAtoms: 0n,
  ledgerRows: 0,
  balanceAtoms: 0n,
  addressBalanceAtoms: 0n,
  inFlightAtoms: 0n,
  accruedFeesAtoms: 0n,
};

const atoms = z.string().transform(BigInt);
const range = z.object({ lowest: z.int(), highest: z.int() }).nullable();
const contentSchema = z.object({
  sponsorships: range,
  ledger: range,
  sums: z.object({
    sponsorships: z.int(),
    chargedAtoms: atoms,
    feeAtoms: atoms,
    rebateAtoms: atoms,
    maintenanceAtoms: atoms,
    ledgerRows: z.int(),
    balanceAtoms: atoms,
    addressBalanceAtoms: atoms,
    inFlightAtoms: atoms,
    accruedFeesAtoms: atoms,
  }),
});

/**
 * Returns the month whose archive takes a row, by the time of its making. That time never changes, so a repeated move
 * finds the same archive. The numbers of a list grow with this time. So the archives' ranges hardly overlap, and a page
 * reads one or two of them.
 */
export function monthOf(madeAtMs: number): string {
  return new Date(madeAtMs).toISOString().slice(0, 7);
}

/** Returns true if a month may hold rows of a span of time. */
export function isInSpan(month: string, { fromMs, toMs }: TimeSpan): boolean {
  return (fromMs === null || month >= monthOf(fromMs)) && (toMs === null || month <= monthOf(toMs));
}

/** Returns the name of an archive's object. */
export function archiveName(fundId: string, month: string): string {
  return `${fundId} ${month}`;
}

function widened(known: NumberRange | null, number: number): NumberRange {
  if (known === null) return { lowest: number, highest: number };
  return { lowest: Math.min(known.lowest, number), highest: Math.max(known.highest, number) };
}

/** Counts a moved sponsorship. */
export function withSponsorship(
  month: ArchivedMonth,
  number: number,
  row: Pick<SponsorshipView, "state" | "chargedAtoms" | "feeAtoms" | "rebateAtoms" | "maintenanceAtoms">,
): ArchivedMonth {
  const { sums } = month;
  return {
    ...month,
    sponsorships: widened(month.sponsorships, number),
    sums: {
      ...sums,
      sponsorships: sums.sponsorships + 1,
      chargedAtoms: sums.chargedAtoms + (row.chargedAtoms ?? 0n),
      feeAtoms: sums.feeAtoms + (row.state === "complete" ? row.feeAtoms : 0n),
      rebateAtoms: sums.rebateAtoms + (row.rebateAtoms ?? 0n),
      maintenanceAtoms: sums.maintenanceAtoms + (row.maintenanceAtoms ?? 0n),
    },
  };
}

/** Counts a moved ledger row. */
export function withLedgerRow(month: ArchivedMonth, number: number, row: LedgerRow): ArchivedMonth {
  const { sums } = month;
  return {
    ...month,
    ledger: widened(month.ledger, number),
    sums: {
      ...sums,
      ledgerRows: sums.ledgerRows + 1,
      balanceAtoms: sums.balanceAtoms + row.balanceAtoms,
      addressBalanceAtoms: sums.addressBalanceAtoms + row.addressBalanceAtoms,
      inFlightAtoms: sums.inFlightAtoms + row.inFlightAtoms,
      accruedFeesAtoms: sums.accruedFeesAtoms + row.accruedFeesAtoms,
    },
  };
}

/** Stores the list of a fund's months. The commit that deletes moved rows changes it. */
export class SqliteMonths {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Lists the months that have an archive, newest first. */
  list(): readonly ArchivedMonth[] {
    return this.#sql
      .exec<Row<{ month: string; content: string }>>("SELECT month, content FROM archive_month ORDER BY month DESC")
      .toArray()
      .map(({ month, content }) => ({ month, ...contentSchema.parse(JSON.parse(content)) }));
  }

  /** Reads one month. Returns an empty one if it has no archive yet. */
  get(month: string): ArchivedMonth {
    const [row] = this.#sql
      .exec<{ content: string }>("SELECT content FROM archive_month WHERE month = ?", month)
      .toArray();
    if (row === undefined) return { month, sponsorships: null, ledger: null, sums: NO_SUMS };
    return { month, ...contentSchema.parse(JSON.parse(row.content)) };
  }

  put({ month, ...content }: ArchivedMonth): void {
    this.#sql.exec("INSERT OR REPLACE INTO archive_month (month, content) VALUES (?, ?)", month, jsonRecord(content));
  }
}

/** Names the archives of the fund of this storage. Empty if the fund was never created. */
export function archiveNamesOf(sql: SqlStorage): readonly string[] {
  const record = readFundRecord(sql);
  return record === null ? [] : new SqliteMonths(sql).list().map(({ month }) => archiveName(record.fundId, month));
}
