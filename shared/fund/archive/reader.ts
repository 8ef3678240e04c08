import type { Deps } from "../../bindings/deps.ts";
import type { ArchivedList, ArchivedSponsorship, FundArchiveObject } from "../../bindings/fund-archive.ts";
import { JoinedLookUps } from "../../durable/joined-look-ups.ts";
import type { Scanned, TimeSpan } from "../../durable/scan.ts";
import { ARCHIVE_SILENT, done, type Outcome } from "../../errors.ts";
import {
  batchesOf,
  type FilteredPage,
  type Page,
  type PageRequest,
  pageOf,
  type SummableRequest,
  type SummedPage,
} from "../../paging.ts";
import { decodeLedgerRow } from "../ledger/archived.ts";
import type { LedgerRow } from "../ledger/books.ts";
import { needsRanks, type SpendQuery, type SpendView, spendView } from "../ledger/spend.ts";
import type { SqliteFundBooks } from "../ledger/sqlite-books.ts";
import { ARCHIVES_A_PAGE, EXAMINED_IN_ARCHIVE, EXAMINED_IN_FUND } from "../lists/bounds.ts";
import { archivedLedgerConditions, archivedSponsorshipConditions, LEDGER_PLACES } from "../lists/conditions.ts";
import { hasTarget, type LedgerFilter, type SponsorshipFilter } from "../lists/filter.ts";
import { cutScan, mergeScans, pageOfScan } from "../lists/merge-scans.ts";
import { type GroupSum, sumOfLedgerRow, sumOfSponsorship, sumPages } from "../lists/sums.ts";
import type { FundRecord } from "../record.ts";
import type { SponsorshipView } from "../views.ts";
import { type FilteredRead, fittingRows, type NumberedItem, numbered } from "./filtered-read.ts";
import { mayHoldRows, mergeRows } from "./merge.ts";
import { isInSpan, monthOf } from "./months.ts";
import { foundOr, refuseSilent, refuseTooMany } from "./refusals.ts";

/** The number of archives that one look-up reads at the same time. */
const READ_AT_ONCE = 6;

/**
 * A look-up without a time reads every month, and a caller names any digest at no cost. So one batch runs at a time.
 */
const BOUNDS = { batchNames: 50, gapMs: 0, waitingNames: 500 };

/** The parts of a fund that reading needs. */
interface ReadableFund {
  readonly store: SqliteFundBooks;
  readonly deps: Pick<Deps, "log">;
  readonly record: Pick<FundRecord, "fundId">;
  archive(month: string): FundArchiveObject;
}

/** A span of time in which a row was made. */
export interface MadeBetween {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads a fund's rows in the fund and in the archives of its months. Reads the fund first. A row that moves in between
 * is then in both places, never in neither.
 */
export class ArchiveReader {
  readonly #core: ReadableFund;
  readonly #lookUps: JoinedLookUps<ArchivedSponsorship | null>;

  constructor(core: ReadableFund) {
    this.#core = core;
    this.#lookUps = new JoinedLookUps(BOUNDS, (names) => this.#findAll(names), refuseTooMany);
  }

  /**
   * Lists sponsorships, newest first.
   *
   * @throws `ARCHIVE_SILENT` if an archive does not answer, because a page without its rows would be wrong.
   */
  async sponsorships(
    page: SummableRequest<SponsorshipFilter>,
  ): Promise<SummedPage<SponsorshipView, readonly GroupSum[]>> {
    const { store } = this.#core;
    const { filter = null } = page;
    if (page.wantsSums) return sumPages(page, (part) => this.sponsorships(part), sumOfSponsorship);
    if (filter !== null)
      return this.#filtered("sponsorships", page, filter, {
        inFund: (start) => store.ended.scanSponsorships(filter, start),
        where: archivedSponsorshipConditions(filter, store.ended.places),
        timePlace: store.ended.places.createdAtMs,
        decode: (record) => store.ended.archivedView(record),
        fits: (row) => hasTarget(row, filter),
      });
    return this.#list("sponsorships", page, {
      inFund: (below, limit) => store.ended.sponsorshipsBelow(below, limit),
      decode: (record) => store.ended.archivedView(record),
    });
  }

  /** Lists ledger rows, newest first. Throws as `sponsorships` does. */
  async ledger(page: SummableRequest<LedgerFilter>): Promise<SummedPage<LedgerRow, readonly GroupSum[]>> {
    const { store } = this.#core;
    const { filter = null } = page;
    if (page.wantsSums) return sumPages(page, (part) => this.ledger(part), sumOfLedgerRow);
    if (filter !== null)
      return this.#filtered("ledger", page, filter, {
        inFund: (start) => store.ledgerWhere(filter, start),
        where: archivedLedgerConditions(filter),
        timePlace: LEDGER_PLACES.atMs,
        decode: decodeLedgerRow,
      });
    return this.#list("ledger", page, {
      inFund: (below, limit) => store.ledgerBelow(below, limit),
      decode: decodeLedgerRow,
    });
  }

  /** Reads what ended sponsorships have cost. */
  async spend(query: SpendQuery): Promise<SpendView> {
    const { dailyCounts } = this.#core.store;
    const { by, fromDay, toDay } = query;
    const sinceMs = dailyCounts.sinceMs();
    if (by === "day") return spendView(sinceMs, dailyCounts.days(fromDay, toDay), query);
    const rows = dailyCounts.sums(by, fromDay, toDay);
    const ranked = needsRanks(query, rows.length) ? dailyCounts.sums(by, fromDay, (query.today ?? 0) - 1) : rows;
    return spendView(sinceMs, rows, query, ranked);
  }

  /** Lists the rows that a filter selects. A page examines a bounded number of rows, so it may be short. */
  async #filtered<Item>(
    list: ArchivedList,
    { limit, cursor }: PageRequest,
    { fromMs, toMs, disorderMs }: TimeSpan,
    read: FilteredRead<Item>,
  ): Promise<FilteredPage<Item>> {
    // The caller must wait without `isFiltered` until the rows of version 5 have moved.
    if (this.#core.store.hasOldRows()) return { items: [], nextCursor: null };
    const span = { fromMs, toMs, ...(disorderMs !== undefined && { disorderMs }) };
    const below = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const count = limit + 1;
    const examined = { order: "highest first", beyond: below, limit: count, examine: EXAMINED_IN_FUND } as const;
    let found: Scanned<NumberedItem<Item>> = read.inFund(examined);
    let archives = 0;
    for (const month of this.#core.store.months.list().filter(({ month }) => isInSpan(month, span))) {
      const range = month[list];
      if (range === null || range.lowest >= below || range.highest < (found.reached ?? 0)) continue;
      if (archives === ARCHIVES_A_PAGE) {
        found = cutScan(found, range.highest);
        continue;
      }
      archives += 1;
      const spanAt = { ...span, place: read.timePlace };
      const asked = { list, where: read.where, span: spanAt, below, limit: count, examine: EXAMINED_IN_ARCHIVE };
      const { rows, reached } = await this.#ask(month.month, (archive) => archive.scan(asked));
      found = mergeScans(found, { rows: fittingRows(rows, read), reached }, count);
    }
    return pageOfScan(found, limit);
  }

  async #list<Item>(
    list: ArchivedList,
    { limit, cursor }: PageRequest,
    read: {
      readonly inFund: (below: number, limit: number) => readonly NumberedItem<Item>[];
      readonly decode: (record: string) => Item;
    },
  ): Promise<Page<Item>> {
    const below = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const count = limit + 1;
    let found: readonly NumberedItem<Item>[] = read.inFund(below, count);
    // A page that ends above every archived row reads no archive.
    for (const month of this.#core.store.months.list()) {
      if (!mayHoldRows(month[list], found, { below, count })) continue;
      const rows = await this.#ask(month.month, (archive) => archive.list(list, below, count));
      found = mergeRows(
        found,
        rows.map((row) => numbered(row, read.decode)),
        count,
      );
    }
    return pageOf(
      found.map(({ number, row }) => ({ seq: number, row })),
      limit,
      ({ row }) => row,
    );
  }

  /**
   * Looks a sponsorship up by its digest, id or hash, in the archives alone.
   *
   * @param made the time in which it was made, if the caller knows it. Then other months are not read.
   * @returns null if no archive has it. `storage` if an archive does not answer, or if too many look-ups wait.
   */
  async sponsorship(name: string, made: MadeBetween | null = null): Promise<Outcome<ArchivedSponsorship | null>> {
    if (made !== null) {
      const isMadeThen = (month: string) => month >= monthOf(made.fromMs) && month <= monthOf(made.toMs);
      const months = this.#monthsOfSponsorships().filter(({ month }) => isMadeThen(month));
      return this.#find(months, (archive) => archive.sponsorship(name));
    }
    return this.#monthsOfSponsorships().length === 0 ? done(null) : this.#lookUps.find(name);
  }

  #monthsOfSponsorships() {
    return this.#core.store.months.list().filter(({ sponsorships }) => sponsorships !== null);
  }

  /** Looks names up in every month, newest first. If one month does not answer, a name without a row is unproved. */
  async #findAll(names: readonly string[]): Promise<readonly Outcome<ArchivedSponsorship | null>[]> {
    const found = new Map<string, ArchivedSponsorship>();
    for (const months of batchesOf(this.#monthsOfSponsorships(), READ_AT_ONCE)) {
      const missing = names.filter((name) => !found.has(name));
      if (missing.length === 0) break;
      const asked = months.map(({ month }) => this.#ask(month, (archive) => archive.sponsorships(missing)));
      const answers = await Promise.all(asked).catch(() => null);
      if (answers === null) return names.map((name) => foundOr(refuseSilent, found.get(name)));
      for (const rows of answers.toReversed())
        for (const [index, name] of missing.entries()) {
          const row = rows[index] ?? null;
          if (row !== null) found.set(name, row);
        }
    }
    return names.map((name) => foundOr(() => done(null), found.get(name)));
  }

  /** Returns the newest month whose archive has a treasury transaction. Null if none has. `storage` if one does not answer. */
  treasuryMonth(name: string): Promise<Outcome<string | null>> {
    const monthIfIn = async (archive: FundArchiveObject, month: string) => (await archive.treasury(name)) && month;
    return this.#find(this.#core.store.months.list(), monthIfIn);
  }

  async #find<T>(
    months: readonly { readonly month: string }[],
    ask: (archive: FundArchiveObject, month: string) => Promise<T | null>,
  ): Promise<Outcome<T | null>> {
    for (const batch of batchesOf(months, READ_AT_ONCE)) {
      const asked = batch.map(({ month }) => this.#ask(month, (archive) => ask(archive, month)));
      const answers = await Promise.all(asked).catch(() => null);
      if (answers === null) return refuseSilent();
      const found = answers.find((answer) => answer !== null);
      if (found !== undefined) return done(found);
    }
    return done(null);
  }

  async #ask<T>(month: string, ask: (archive: FundArchiveObject) => Promise<T>): Promise<T> {
    const { deps, record } = this.#core;
    try {
      return await ask(this.#core.archive(month));
    } catch (error) {
      deps.log("fund.archive_silent", { fund: record.fundId, month, error: String(error) });
      throw new Error(ARCHIVE_SILENT);
    }
  }
}
