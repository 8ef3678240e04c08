import type { TimeSpan } from "../../durable/scan.ts";
import type { ArchiveReader } from "../archive/reader.ts";
import type { FundEngine } from "../engine.ts";
import type { LedgerKind, LedgerRow } from "../ledger/books.ts";
import { type ExplainedSponsorship, MAX_STORY_ROWS } from "./story.ts";
import type { Trace } from "./trace.ts";

/** The pages of one read. Each examines a bounded number of rows. A filtered page may be empty and have a next one. */
const MAX_PAGES = 10;
/** Most rows are booked within this time after a sponsorship expires. */
const BOOKED_WITHIN_MS = 600_000;
/** Rows are in order unless the service's clock was set back. A second read covers that case. */
const NEAR_DISORDER_MS = 60_000;
const MONTH_MS = 31 * 86_400_000;

/** The kind of row that ends a sponsorship. A live one has no such row. */
const END_OF: Readonly<Record<ExplainedSponsorship["state"], LedgerKind | null>> = {
  prepared: null,
  signed: null,
  expired: null,
  complete: "charge",
  dead: "release",
  unresolvable: "release",
};

/**
 * Lists the ledger rows of a sponsorship, oldest first. Its trace has their numbers. A row of an earlier build has no
 * trace. A sponsorship that was completed late, or released before its end, has more ledger rows. In these cases, reads
 * the rows of its life first. Reads later rows only if the end is not among them.
 */
export async function ledgerOfSponsorship(
  rows: ArchiveReader,
  sponsorship: ExplainedSponsorship,
): Promise<readonly LedgerRow[]> {
  const { reference, state, createdAtMs, expiresAtMs, trace } = sponsorship;
  const named = trace ? await ledgerOfTrace(rows, reference, trace) : [];
  const isEnded = END_OF[state] === null || named.some(({ kind }) => kind === END_OF[state]);
  const isLate = state === "complete" && named.some(({ kind }) => kind === "correction");
  if (named[0]?.kind === "reserve" && isEnded && !isLate && !isReleasedBefore(state, named)) return named;
  const life = { fromMs: createdAtMs, toMs: Math.max(expiresAtMs, createdAtMs) + BOOKED_WITHIN_MS };
  const near = await ledgerOf(rows, reference, { ...life, disorderMs: NEAR_DISORDER_MS });
  const has = (kind: LedgerKind) => near.some((row) => row.kind === kind);
  const end = END_OF[state];
  if (has("reserve") && (end === null || has(end))) return near;
  const all = await ledgerOf(rows, reference, { fromMs: createdAtMs, toMs: null });
  return all.length > near.length ? all : near;
}

/** Checks whether a row outside this list has released an ended sponsorship. */
function isReleasedBefore(state: ExplainedSponsorship["state"], named: readonly LedgerRow[]): boolean {
  return END_OF[state] !== null && named.reduce((sum, { inFlightAtoms }) => sum + inFlightAtoms, 0n) !== 0n;
}

/**
 * Lists the rows that a trace names. The row before the end may be its recycling, and the row after it a correction.
 */
async function ledgerOfTrace(
  rows: ArchiveReader,
  reference: string,
  { reserveEntry, endEntry }: Trace,
): Promise<readonly LedgerRow[]> {
  const upTo = async (number: number, limit: number) => {
    const { items } = await rows.ledger({ limit, cursor: String(number + 1) });
    return items.filter((row) => row.reference === reference).toReversed();
  };
  const ends = endEntry === null ? [] : await upTo(endEntry + 1, 3);
  const isAmongThem = reserveEntry === null || (endEntry !== null && reserveEntry >= endEntry - 1);
  return isAmongThem ? ends : [...(await upTo(reserveEntry, 1)), ...ends];
}

/**
 * Lists the ledger rows of a fund's own transaction, oldest first. An index finds them while they are in the fund. A
 * digest that the fund does not know costs no read of the ledger.
 */
export async function ledgerOfTreasury({ core, rows }: FundEngine, name: string): Promise<readonly LedgerRow[]> {
  const inFund = core.store.ledger.ofReference(name);
  if (inFund.length > 0) return inFund;
  const madeAtMs = core.store.ended.treasuryMadeAtMs(name);
  if (madeAtMs !== null) return ledgerOf(rows, name, { fromMs: madeAtMs, toMs: null });
  const month = await rows.treasuryMonth(name);
  if (!month.ok) throw new Error(month.error.details);
  if (month.value === null) return [];
  const fromMs = Date.parse(`${month.value}-01T00:00:00Z`);
  return ledgerOf(rows, name, { fromMs, toMs: fromMs + MONTH_MS });
}

async function ledgerOf(rows: ArchiveReader, reference: string, span: TimeSpan): Promise<readonly LedgerRow[]> {
  const filter = { ...span, keyId: null, kind: null, reference };
  const found: LedgerRow[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Awaited<ReturnType<typeof rows.ledger>> = await rows.ledger({ limit: MAX_STORY_ROWS, cursor, filter });
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return found.reverse();
}
