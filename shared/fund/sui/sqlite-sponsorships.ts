import { moveDue } from "../../durable/due-columns.ts";
import { type NumberedTable, type Scanned, type ScanStart, scan } from "../../durable/scan.ts";
import { limitedTo, type Row } from "../../durable/sql.ts";
import { SUI_DUE_COLUMN } from "../due-times.ts";
import { SqliteTraces } from "../explain/sqlite-traces.ts";
import type { KeyNumbers } from "../ledger/key-numbers.ts";
import { sponsorshipConditions } from "../lists/conditions.ts";
import type { SponsorshipFilter } from "../lists/filter.ts";
import { LiveRows } from "../live-rows.ts";
import { newestOf, type OldTable } from "../old-rows.ts";
import { pack, unpack } from "../packed.ts";
import type { EndedBytes } from "../spent-bytes.ts";
import { readLife, readState } from "./life.ts";
import { OldSuiSponsorships, SUI_OLD_SPONSORSHIPS } from "./old-sponsorships.ts";
import {
  CHANGING_COLUMNS,
  changingValues,
  FIXED_COLUMNS,
  fixedValues,
  GAS_OBJECT_ID,
  LAST_LIVE,
  type SponsorshipRow,
  type SuiNumbered,
  sponsorshipOf,
  states,
} from "./sponsorship-rows.ts";
import type { SuiLife, SuiSponsorship, SuiSponsorshipState } from "./store.ts";

const TABLE: NumberedTable = { name: "sponsorship_row", number: "seq" };
const COLUMNS = [...FIXED_COLUMNS, ...CHANGING_COLUMNS];
const INSERT_OR_UPDATE = `
  INSERT INTO sponsorship_row (seq, ${COLUMNS.join(", ")}) VALUES (?, ${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (digest) DO UPDATE SET ${CHANGING_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;
const INSERT = `${INSERT_OR_UPDATE} RETURNING seq`;
/** Returns no number if another row has the digest, unless that row is dead. */
const ADD = `${INSERT_OR_UPDATE} WHERE sponsorship_row.state = ${states.numberOf("dead")} RETURNING seq`;
const UPDATE = `UPDATE sponsorship_row SET ${CHANGING_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE seq = ?`;
const WITH_BYTES = `
  SELECT sponsorship_row.*, transaction_bytes FROM sponsorship_row
  LEFT JOIN sponsorship_bytes ON sponsorship_bytes.seq = sponsorship_row.seq`;

type Recyclable = Pick<SuiSponsorship, "digest" | "expiresAtMs">;

/**
 * The sponsorships of a Sui fund's object. Rows of version 5 stay in their own table until they have moved.
 * So each reader joins both tables. Memory keeps live rows.
 */
export class SqliteSuiSponsorships implements OldTable, EndedBytes {
  readonly name = SUI_OLD_SPONSORSHIPS;
  readonly #sql: SqlStorage;
  readonly #keys: KeyNumbers;
  readonly #traces: SqliteTraces;
  readonly #old: OldSuiSponsorships;
  readonly #isReferredTo: (digest: string) => boolean;
  readonly #live: LiveRows<SuiSponsorship>;

  /**
   * @param isReferredTo returns true if an Idempotency-Key refers to a row.
   * @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back.
   */
  constructor(
    sql: SqlStorage,
    keys: KeyNumbers,
    isReferredTo: (digest: string) => boolean,
    onRollback: (undo: () => void) => void,
  ) {
    this.#sql = sql;
    this.#keys = keys;
    this.#traces = new SqliteTraces(sql, onRollback);
    this.#isReferredTo = isReferredTo;
    this.#live = new LiveRows(({ transactionBytes }) => transactionBytes.length, onRollback);
    this.#old = new OldSuiSponsorships(sql, onRollback);
  }

  find(digest: string): SuiSponsorship | null {
    return this.numbered(digest)?.row ?? null;
  }

  /** Finds a row and its number. */
  numbered(digest: string): SuiNumbered | null {
    const known = this.#live.get(digest);
    if (known !== null) return known;
    const [found] = this.#read(`${WITH_BYTES} WHERE digest = ?`, pack(digest));
    if (found === undefined) return this.#old.find(digest);
    this.#remember(found);
    return found;
  }

  /** Reads a part of a sponsorship, and keeps no row in memory. Null if no row has the digest. */
  lifeOf(digest: string): SuiLife | null {
    return this.#live.get(digest)?.row ?? readLife(this.#sql, digest) ?? this.#old.find(digest)?.row ?? null;
  }

  /** Reads only the state of a sponsorship. Null if no row has the digest. */
  stateOf(digest: string): SuiSponsorshipState | null {
    const known = this.#live.get(digest)?.row.state ?? readState(this.#sql, digest);
    return known ?? this.#old.find(digest)?.row.state ?? null;
  }

  put(row: SuiSponsorship): void {
    const known = this.#live.get(row.digest);
    if (known !== null) {
      const { number } = known;
      this.#sql.exec(UPDATE, ...changingValues(row, this.#keys, this.#traces), number);
      if (hasBytes(row) !== hasBytes(known.row)) this.#putBytes(number, row.transactionBytes);
      this.#remember({ number, row });
    } else {
      const old = this.#old.find(row.digest);
      if (old !== null) this.#old.remove(old.number);
      this.#insert(old?.number ?? null, row);
    }
  }

  /** Writes a new row. It may replace a dead one. @throws if another row has its digest. */
  add(row: SuiSponsorship): void {
    const { digest } = row;
    const old = this.#old.find(digest);
    const isFree = this.#live.get(digest) === null && (old === null || old.row.state === "dead");
    if (isFree && old !== null) this.#old.remove(old.number);
    if (!isFree || !this.#insert(old?.number ?? null, row, ADD))
      throw new Error(`another sponsorship has digest ${digest}`);
  }

  /** Lists the digests of live rows of one access key, oldest first. A null key stands for all keys. */
  liveIds(keyId: string | null): readonly string[] {
    const number = keyId === null ? null : this.#keys.find(keyId);
    const live = this.#sql
      .exec<{ seq: number; digest: ArrayBuffer | string; key_number: number }>(
        `SELECT seq, digest, key_number FROM sponsorship_row WHERE state <= ${LAST_LIVE}`,
      )
      .toArray()
      .filter((row) => keyId === null || row.key_number === number)
      .map(({ seq, digest }) => ({ seq, digest: unpack(digest) }));
    const old = this.#old.live().map(({ number, row }) => ({ seq: number, digest: row.digest, keyId: row.keyId }));
    const ofKey = old.filter((row) => keyId === null || row.keyId === keyId);
    return [...live, ...ofKey].sort((a, b) => a.seq - b.seq).map(({ digest }) => digest);
  }

  countReleased(keyId: string, limit: number): number {
    const number = this.#keys.find(keyId);
    if (number === null) return 0;
    // No row of version 5 is released. The condition on live states selects the index.
    const found = `SELECT 1 FROM sponsorship_row
      WHERE state = ? AND state <= ${LAST_LIVE} AND key_number = ? AND released = 1 ${limitedTo(limit)}`;
    return this.#sql
      .exec<{ count: number }>(`SELECT COUNT(*) AS count FROM (${found})`, states.numberOf("expired"), number)
      .one().count;
  }

  recyclable(limit: number): readonly Recyclable[] {
    const found: Recyclable[] = [...this.#old.recyclable(limit)];
    for (let after = { expiresAtMs: -1, seq: -1 }, page = limit; page === limit; ) {
      const rows = this.#sql
        .exec<Row<{ seq: number; digest: ArrayBuffer | string; holder: string; expiresAtMs: number }>>(
          `SELECT seq, sponsorship_row.digest AS digest, holder, expires_at_ms AS expiresAtMs
           FROM sponsorship_row JOIN coin ON coin.object_id = ${GAS_OBJECT_ID}
           WHERE sponsorship_row.state = ? AND sponsorship_row.state <= ${LAST_LIVE} AND coin.state = 'quarantined'
             AND (expires_at_ms, seq) > (?, ?) ORDER BY expires_at_ms, seq LIMIT ?`,
          states.numberOf("expired"),
          after.expiresAtMs,
          after.seq,
          limit,
        )
        .toArray();
      for (const { digest, holder, expiresAtMs } of rows)
        if (unpack(digest) === holder) found.push({ digest: holder, expiresAtMs });
      page = found.length < limit ? rows.length : 0;
      after = rows.at(-1) ?? after;
    }
    return found.sort((a, b) => a.expiresAtMs - b.expiresAtMs).slice(0, limit);
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly SuiNumbered[] {
    const rows = this.#read("SELECT * FROM sponsorship_row WHERE seq < ? ORDER BY seq DESC LIMIT ?", below, limit);
    return newestOf(rows, this.#old.below(below, limit), limit);
  }

  /** Lists rows that a filter selects. Does not read rows of version 5. */
  scan(filter: SponsorshipFilter, start: ScanStart): Scanned<SuiNumbered> {
    const where = sponsorshipConditions(filter, this.#keys, states);
    const span = { ...filter, column: "created_at_ms" };
    const { rows, reached } = scan<SponsorshipRow>(this.#sql, "*", TABLE, where, span, start);
    return { rows: rows.map((row) => sponsorshipOf(row, this.#keys, this.#traces)), reached };
  }

  /** Deletes rows, with few statements for any number of rows. */
  remove(rows: readonly { readonly number: number; readonly digest: string }[]): void {
    const numbers = JSON.stringify(rows.map(({ number }) => number));
    for (const table of ["sponsorship_row", "sponsorship_bytes"])
      this.#sql.exec(`DELETE FROM ${table} WHERE seq IN (SELECT value FROM json_each(?))`, numbers);
    for (const { number, digest } of rows) {
      if (this.hasOld()) this.#old.remove(number);
      this.#live.drop(digest);
    }
  }

  empty(reference: string): void {
    // A row of version 5 is emptied when it moves.
    this.#sql.exec(
      `DELETE FROM sponsorship_bytes
       WHERE seq = (SELECT seq FROM sponsorship_row WHERE digest = ? AND state > ${LAST_LIVE})`,
      pack(reference),
    );
  }

  hasOld(): boolean {
    return this.#old.isThere();
  }

  moveSome(limit: number): number {
    const rows = this.#old.next(limit);
    for (const { number, row } of rows) {
      const hasEnded = states.numberOf(row.state) > LAST_LIVE;
      const isKept = !hasEnded || this.#isReferredTo(row.digest);
      this.#old.remove(number);
      this.#insert(number, isKept ? row : { ...row, transactionBytes: new Uint8Array() });
    }
    // Fewer live rows than the limit do not mean that the table is empty.
    return rows.length === 0 || rows.length === limit ? rows.length : rows.length + this.moveSome(limit - rows.length);
  }

  forgetOld(): void {
    this.#old.forget();
  }

  /** Returns false if the statement accepts no row with this digest. */
  #insert(number: number | null, row: SuiSponsorship, statement = INSERT): boolean {
    const values = [...fixedValues(row), ...changingValues(row, this.#keys, this.#traces)];
    const [inserted] = this.#sql.exec<{ seq: number }>(statement, number, ...values).toArray();
    if (inserted === undefined) return false;
    if (number !== null) moveDue(this.#sql, SUI_DUE_COLUMN, row.digest);
    this.#putBytes(inserted.seq, row.transactionBytes);
    this.#remember({ number: inserted.seq, row });
    return true;
  }

  #putBytes(seq: number, bytes: Uint8Array): void {
    if (bytes.length === 0) this.#sql.exec("DELETE FROM sponsorship_bytes WHERE seq = ?", seq);
    else this.#sql.exec("INSERT OR REPLACE INTO sponsorship_bytes (seq, transaction_bytes) VALUES (?, ?)", seq, bytes);
  }

  /** Keeps a live row in memory. An ended row is rarely read. */
  #remember(numbered: SuiNumbered): void {
    const { digest, state } = numbered.row;
    if (states.numberOf(state) > LAST_LIVE) this.#live.drop(digest);
    else this.#live.keep(digest, numbered);
  }

  #read(query: string, ...bindings: unknown[]): readonly SuiNumbered[] {
    return this.#sql
      .exec<SponsorshipRow>(query, ...bindings)
      .toArray()
      .map((row) => sponsorshipOf(row, this.#keys, this.#traces));
  }
}

function hasBytes({ transactionBytes }: SuiSponsorship): boolean {
  return transactionBytes.length > 0;
}
