import { moveDue } from "../../durable/due-columns.ts";
import { type NumberedTable, type Scanned, type ScanStart, scan } from "../../durable/scan.ts";
import { APTOS_DUE_COLUMN } from "../due-times.ts";
import { SqliteTraces } from "../explain/sqlite-traces.ts";
import type { KeyNumbers } from "../ledger/key-numbers.ts";
import { sponsorshipConditions } from "../lists/conditions.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import { LiveRows } from "../live-rows.ts";
import { newestOf, type OldTable } from "../old-rows.ts";
import { pack, sortableU64, unpack } from "../packed.ts";
import type { EndedBytes } from "../spent-bytes.ts";
import { APTOS_OLD_SPONSORSHIPS, OldAptosSponsorships } from "./old-sponsorships.ts";
import {
  type AptosNumbered,
  authenticatorsText,
  CHANGING_COLUMNS,
  changingValues,
  DEAD,
  FIXED_COLUMNS,
  fixedValues,
  LAST_LIVE,
  packReplay,
  type SponsorshipRow,
  sponsorshipOf,
  states,
} from "./sponsorship-rows.ts";
import { type AptosShown, type AptosSponsorship, NO_SEQUENCE_NUMBER } from "./store.ts";

type Replay = Pick<AptosSponsorship, "sequenceNumber" | "nonce">;

const TABLE: NumberedTable = { name: "aptos_sponsorship_row", number: "seq" };
const COLUMNS = [...FIXED_COLUMNS, ...CHANGING_COLUMNS];
const INSERT = `
  INSERT INTO aptos_sponsorship_row (seq, ${COLUMNS.join(", ")}) VALUES (?, ${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${CHANGING_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}
  RETURNING seq`;
const UPDATE = `
  UPDATE aptos_sponsorship_row SET ${CHANGING_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE seq = ?`;
const WITH_BYTES = `
  SELECT aptos_sponsorship_row.*, raw_transaction, authenticators, since_version FROM aptos_sponsorship_row
  LEFT JOIN aptos_sponsorship_bytes ON aptos_sponsorship_bytes.seq = aptos_sponsorship_row.seq`;

/**
 * The sponsorships of an Aptos fund's object. Rows of version 5 stay in their own table until they have moved.
 * So each reader joins both tables. Memory keeps live rows.
 */
export class SqliteAptosSponsorships implements OldTable, EndedBytes {
  readonly name = APTOS_OLD_SPONSORSHIPS;
  readonly #sql: SqlStorage;
  readonly #keys: KeyNumbers;
  readonly #traces: SqliteTraces;
  readonly #old: OldAptosSponsorships;
  readonly #live: LiveRows<AptosSponsorship>;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, keys: KeyNumbers, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#keys = keys;
    this.#traces = new SqliteTraces(sql, onRollback);
    this.#live = new LiveRows(carriedBytes, onRollback);
    this.#old = new OldAptosSponsorships(sql);
  }

  find(id: string): AptosSponsorship | null {
    return this.numbered(id)?.row ?? null;
  }

  /** Finds a row and its number. */
  numbered(id: string): AptosNumbered | null {
    const known = this.#live.get(id);
    if (known !== null) return known;
    const [found] = this.#read(`${WITH_BYTES} WHERE id = ?`, pack(id));
    if (found === undefined) return this.#old.find(id);
    this.#remember(found);
    return found;
  }

  /** Finds the row of a sender at a sequence number, or with a nonce, that is not dead. */
  standing(sender: string, { sequenceNumber, nonce }: Replay): AptosSponsorship | null {
    const where = `WHERE state <> ${DEAD} AND sender = ? AND sequence_number = ?`;
    const [row] = this.#read(`${WITH_BYTES} ${where}`, pack(sender), packReplay({ sequenceNumber, nonce }));
    if (row !== undefined || nonce !== null) return row?.row ?? null;
    return this.#old.standing(sender, sequenceNumber)?.row ?? null;
  }

  hasDead(sender: string, sequenceNumber: bigint, shown: AptosShown): boolean {
    const found = this.#sql.exec(
      `SELECT 1 FROM aptos_sponsorship_row
       WHERE state = ${DEAD} AND sender = ? AND sequence_number = ? AND expires_at_ms = ? AND gas_budget = ? LIMIT 1`,
      pack(sender),
      sortableU64(sequenceNumber),
      shown.expiresAtMs,
      shown.gasBudgetAtoms.toString(),
    );
    return found.toArray().length > 0 || this.#old.hasDead(sender, sequenceNumber, shown);
  }

  countLiveAtOrAfter(sender: string, sequenceNumber: bigint): number {
    const { count } = this.#sql
      .exec<{ count: number }>(
        `SELECT COUNT(*) AS count FROM aptos_sponsorship_row
         WHERE state = ${LAST_LIVE} AND sender = ? AND sequence_number >= ? AND sequence_number < ?`,
        pack(sender),
        sortableU64(sequenceNumber),
        sortableU64(NO_SEQUENCE_NUMBER),
      )
      .one();
    const old = this.#old.live().filter(({ row }) => row.sender === sender && row.sequenceNumber >= sequenceNumber);
    return count + old.length;
  }

  put(row: AptosSponsorship): void {
    const known = this.#live.get(row.id);
    if (known !== null) {
      const { number } = known;
      this.#sql.exec(UPDATE, ...changingValues(row, this.#traces), number);
      if (!carriesSame(row, known.row)) this.#putBytes(number, row);
      this.#remember({ number, row });
    } else {
      const old = this.#old.find(row.id);
      if (old !== null) this.#old.remove(old.number);
      else this.#refuseSecond(row);
      this.#insert(old?.number ?? null, row);
    }
  }

  /** Lists the ids of live rows of one access key, oldest first. A null key stands for all keys. */
  liveIds(keyId: string | null): readonly string[] {
    const number = keyId === null ? null : this.#keys.find(keyId);
    const live = this.#sql
      .exec<{ seq: number; id: ArrayBuffer | string; key_number: number }>(
        `SELECT seq, id, key_number FROM aptos_sponsorship_row WHERE state = ${LAST_LIVE}`,
      )
      .toArray()
      .filter((row) => keyId === null || row.key_number === number)
      .map(({ seq, id }) => ({ seq, id: unpack(id) }));
    const old = this.#old.live().map(({ number, row }) => ({ seq: number, id: row.id, keyId: row.keyId }));
    const ofKey = old.filter((row) => keyId === null || row.keyId === keyId);
    return [...live, ...ofKey].sort((a, b) => a.seq - b.seq).map(({ id }) => id);
  }

  /** Sums the charges that were committed after a ledger version. */
  chargedAfter(version: bigint): bigint {
    const rows = this.#sql
      .exec<{ charged: string }>(
        "SELECT charged FROM aptos_sponsorship_row WHERE committed_version > ?",
        sortableU64(version),
      )
      .toArray();
    const old = this.#old.committedAfter(version).reduce((sum, { row }) => sum + (row.chargedAtoms ?? 0n), 0n);
    return rows.reduce((sum, { charged }) => sum + BigInt(charged), old);
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly AptosNumbered[] {
    const rows = this.#read(
      "SELECT * FROM aptos_sponsorship_row WHERE seq < ? ORDER BY seq DESC LIMIT ?",
      below,
      limit,
    );
    return newestOf(rows, this.#old.below(below, limit), limit);
  }

  /** Lists rows that a filter selects. Does not read rows of version 5. */
  scan(filter: SponsorshipFilter, start: ScanStart): Scanned<AptosNumbered> {
    const where = sponsorshipConditions(filter, this.#keys, states);
    const span = { ...filter, column: "created_at_ms" };
    const { rows, reached } = scan<SponsorshipRow>(this.#sql, "*", TABLE, where, span, start);
    return { rows: rows.map((row) => sponsorshipOf(row, this.#keys, this.#traces)), reached };
  }

  /** Deletes rows, with few statements for any number of rows. */
  remove(rows: readonly { readonly number: number; readonly id: string }[]): void {
    const numbers = JSON.stringify(rows.map(({ number }) => number));
    for (const table of ["aptos_sponsorship_row", "aptos_sponsorship_bytes"])
      this.#sql.exec(`DELETE FROM ${table} WHERE seq IN (SELECT value FROM json_each(?))`, numbers);
    for (const { number, id } of rows) {
      if (this.hasOld()) this.#old.remove(number);
      this.#live.drop(id);
    }
  }

  empty(reference: string): void {
    // A row of version 5 is emptied when it moves.
    this.#sql.exec(
      `DELETE FROM aptos_sponsorship_bytes
       WHERE seq = (SELECT seq FROM aptos_sponsorship_row WHERE id = ? AND state <> ${LAST_LIVE})`,
      pack(reference),
    );
  }

  hasOld(): boolean {
    return this.#old.isThere();
  }

  moveSome(limit: number): number {
    const rows = this.#old.next(limit);
    for (const { number, row } of rows) {
      this.#old.remove(number);
      const isLive = row.state === "signed";
      this.#insert(number, isLive ? row : { ...row, rawTransaction: new Uint8Array(), authenticators: null });
    }
    // Fewer live rows than the limit do not mean that the table is empty.
    return rows.length === 0 || rows.length === limit ? rows.length : rows.length + this.moveSome(limit - rows.length);
  }

  forgetOld(): void {
    this.#old.forget();
  }

  /** The unique index does not cover rows of version 5. */
  #refuseSecond({ id, state, sender, sequenceNumber, nonce }: AptosSponsorship): void {
    const other = state === "dead" || nonce !== null ? null : this.#old.standing(sender, sequenceNumber);
    if (other !== null) throw new Error(`${other.row.id} stands at the sequence number of ${id}`);
  }

  #insert(number: number | null, row: AptosSponsorship): void {
    const values = [...fixedValues(row, this.#keys), ...changingValues(row, this.#traces)];
    const inserted = this.#sql.exec<{ seq: number }>(INSERT, number, ...values).one();
    if (number !== null) moveDue(this.#sql, APTOS_DUE_COLUMN, row.id);
    this.#putBytes(inserted.seq, row);
    this.#remember({ number: inserted.seq, row });
  }

  #putBytes(seq: number, row: AptosSponsorship): void {
    const { rawTransaction, authenticators, sinceVersion } = row;
    if (rawTransaction.length === 0 && authenticators === null)
      this.#sql.exec("DELETE FROM aptos_sponsorship_bytes WHERE seq = ?", seq);
    else
      this.#sql.exec(
        `INSERT OR REPLACE INTO aptos_sponsorship_bytes (seq, raw_transaction, authenticators, since_version)
         VALUES (?, ?, ?, ?)`,
        seq,
        rawTransaction,
        authenticatorsText(authenticators),
        sinceVersion === null ? null : sortableU64(sinceVersion),
      );
  }

  /** Keeps a live row in memory. An ended row is rarely read. */
  #remember(numbered: AptosNumbered): void {
    const { id, state } = numbered.row;
    if (state === "signed") this.#live.keep(id, numbered);
    else this.#live.drop(id);
  }

  #read(query: string, ...bindings: unknown[]): readonly AptosNumbered[] {
    return this.#sql
      .exec<SponsorshipRow>(query, ...bindings)
      .toArray()
      .map((row) => sponsorshipOf(row, this.#keys, this.#traces));
  }
}

function carriedBytes({ rawTransaction, authenticators }: AptosSponsorship): number {
  const { sender, secondary } = authenticators ?? { sender: null, secondary: [] };
  return [sender, ...secondary].reduce((sum, each) => sum + (each?.length ?? 0), rawTransaction.length);
}

/** Returns true if two states of a row have the same bytes and signatures. */
function carriesSame(row: AptosSponsorship, before: AptosSponsorship): boolean {
  return row.rawTransaction === before.rawTransaction && row.authenticators === before.authenticators;
}
