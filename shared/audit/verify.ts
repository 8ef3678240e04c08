import type { Result } from "../result.ts";
import { type AuditHead, CHAIN_BEGINS, GENESIS_HASH, rowHash } from "./chain.ts";

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
  /** The number of older rows, which nothing proves. */
  readonly unchained: number;
  /** False if the list begins in the middle of the chain: nothing proves the rows before. */
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

function linkOf(row: ListedAuditRow): Link {
  const { at, detail, ...rest } = row;
  return { row, hash: rowHash({ ...rest, atMs: Date.parse(at), detailJson: JSON.stringify(detail) }) };
}

/** Returns what is wrong with the place where the chain begins. Null if nothing is. */
function beginningFault({ row }: Link, lastUnchained: ListedAuditRow | undefined): string | null {
  const isBeginning = row.action === CHAIN_BEGINS && row.previousHash === GENESIS_HASH;
  if (lastUnchained !== undefined) {
    if (!isBeginning) return "rows without a hash are before it, and it does not begin the chain";
    const named = JSON.stringify({ lastSeqBefore: lastUnchained.seq });
    return JSON.stringify(row.detail) === named ? null : "it begins the chain after another row than the one before it";
  }
  return row.previousHash === GENESIS_HASH && row.action !== CHAIN_BEGINS && row.seq !== 1
    ? "it begins the chain, and rows before it are missing"
    : null;
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
  const atBeginning = beginning === undefined ? null : beginningFault(beginning, unchained.at(-1));
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
      isWhole: beginning === undefined || beginning.row.previousHash === GENESIS_HASH,
    },
  };
}
