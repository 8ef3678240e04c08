import * as z from "zod";
import type { Result } from "../result.ts";
import { type AuditHead, CHAIN_BEGINS, chainBeginning, GENESIS_HASH, type HashedRow, rowHash } from "./chain.ts";

/** A row as the admin API lists it. */
export interface ListedAuditRow {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly action: string;
  readonly target: string;
  readonly detail: unknown;
  readonly actor: string | null;
  readonly actorTokenId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly previousHash: string | null;
}

/** A log whose rows follow each other. */
export interface VerifiedAudit {
  /** The newest row. Null if no row is chained. */
  readonly head: AuditHead | null;
  /** The number of chained rows. */
  readonly chained: number;
  /** The number of older rows. The beginning of the chain proves them if the list is whole. */
  readonly unchained: number;
  /**
   * False if the list is a part that does not begin with the first row. Nothing proves the missing rows, and nothing
   * proves older rows without the first of them.
   */
  readonly isWhole: boolean;
}

/** The first row that contradicts the chain. Null if the fault is in none of the rows. */
export interface AuditFault {
  readonly seq: number | null;
  readonly fault: string;
}

/** A row with its hash. */
interface Link {
  readonly row: ListedAuditRow;
  readonly hash: string;
}

function fault(seq: number | null, text: string): Result<never, AuditFault> {
  return { ok: false, error: { seq, fault: text } };
}

function hashedRow({ at, detail, ...rest }: ListedAuditRow): HashedRow {
  return { ...rest, atMs: Date.parse(at), detailJson: JSON.stringify(detail) };
}

function linkOf(row: ListedAuditRow): Link {
  return { row, hash: rowHash(hashedRow(row)) };
}

const beginningSchema = z.strictObject({ lastSeqBefore: z.int().min(1), hashBefore: z.string() });

/** Returns the fault of rows from before the chain, by the first chained row. Null if they are right. */
function unchainedFault(detail: unknown, unchained: readonly ListedAuditRow[]): string | null {
  const named = beginningSchema.safeParse(detail);
  if (!named.success) return "it begins the chain, and does not say after which rows";
  const first = unchained[0]?.seq ?? 1;
  const hasGap = unchained.some(({ seq }, index) => seq !== first + index);
  const { lastSeqBefore, hashBefore } = chainBeginning(unchained.map(hashedRow));
  if (hasGap || lastSeqBefore !== named.data.lastSeqBefore) return "a row from before the chain is missing or inserted";
  return first === 1 && hashBefore !== named.data.hashBefore ? "a row from before the chain was changed" : null;
}

/** Returns the fault of the chain's beginning. Null if it is right. */
function beginningFault({ row }: Link, unchained: readonly ListedAuditRow[]): string | null {
  const isBeginning = row.action === CHAIN_BEGINS && row.previousHash === GENESIS_HASH;
  if (unchained.length > 0)
    return isBeginning
      ? unchainedFault(row.detail, unchained)
      : "rows without a hash are before it, and it does not begin the chain";
  return row.previousHash === GENESIS_HASH && row.action !== CHAIN_BEGINS && row.seq !== 1
    ? "it begins the chain, and rows before it are missing"
    : null;
}

/** Returns whether the first chained row, and the older ones that it names, are there. */
function isFromFirstRow({ row }: Link, unchained: readonly ListedAuditRow[]): boolean {
  return row.previousHash === GENESIS_HASH && (row.action !== CHAIN_BEGINS || unchained[0]?.seq === 1);
}

/**
 * Checks a downloaded audit log against its own hashes, and against a head that was kept elsewhere.
 *
 * @param rows in any order; all rows, or a part without a gap.
 * @param kept the head of an earlier time. Null to check only that the rows follow each other.
 * @returns the first fault: a row was changed, removed, inserted or reordered since the head was kept. Without a kept
 *   head, nothing shows a log that was made anew.
 */
export function verifyAudit(
  rows: readonly ListedAuditRow[],
  kept: AuditHead | null,
): Result<VerifiedAudit, AuditFault> {
  const sorted = rows.toSorted((a, b) => a.seq - b.seq);
  const double = sorted.find(({ seq }, index) => sorted[index - 1]?.seq === seq);
  if (double !== undefined) return fault(double.seq, "two rows have this number");
  const first = sorted.findIndex(({ previousHash }) => previousHash !== null);
  const unchained = first === -1 ? sorted : sorted.slice(0, first);
  const links = sorted.slice(unchained.length).map(linkOf);
  const [beginning] = links;
  const atBeginning = beginning === undefined ? null : beginningFault(beginning, unchained);
  if (beginning !== undefined && atBeginning !== null) return fault(beginning.row.seq, atBeginning);
  for (const [index, { row }] of links.entries()) {
    const before = links[index - 1];
    if (before !== undefined && row.previousHash !== before.hash)
      return fault(row.seq, "the row before it was changed, removed or inserted");
  }
  const last = links.at(-1);
  const head = last === undefined ? null : { seq: last.row.seq, hash: last.hash };
  if (kept !== null) {
    const same = links.find(({ row }) => row.seq === kept.seq);
    if (same === undefined) return fault(null, "the row of the kept head is missing");
    if (same.hash !== kept.hash) return fault(kept.seq, "it or a row before it is not what the kept head has seen");
  }
  return {
    ok: true,
    value: {
      head,
      chained: links.length,
      unchained: unchained.length,
      isWhole: beginning === undefined || isFromFirstRow(beginning, unchained),
    },
  };
}
