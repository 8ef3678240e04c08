import { DurableObject } from "cloudflare:workers";
import type { Env, ObjectMethods } from "../../bindings/env.ts";
import type {
  ArchiveBatch,
  ArchivedCondition,
  ArchivedList,
  ArchivedRow,
  ArchivedSponsorship,
  ArchivedTreasury,
  ArchiveScan,
  FundArchiveObject,
} from "../../bindings/fund-archive.ts";
import type { ArrivingPart, StoredPart } from "../../bindings/transfer.ts";
import { migrate } from "../../durable/migrations.ts";
import { type ColumnSpan, type Condition, type Scanned, scan } from "../../durable/scan.ts";
import type { Row } from "../../durable/sql.ts";
import { readStored, writeStored } from "../../durable/transfer/state.ts";
import type { TablePosition } from "../../durable/transfer/tables.ts";
import type { Outcome } from "../../errors.ts";
import { isTargetSql, targetBindings } from "../lists/conditions.ts";
import { migrations } from "./schema.ts";

const TABLES = { sponsorships: "sponsorship", ledger: "ledger" } as const satisfies Record<ArchivedList, string>;

/** SQL that stores the rows of a JSON list of objects. Replaces an existing row. */
function putAll(table: string, columns: readonly string[]): string {
  const values = columns.map((column) => `value ->> '${column}'`).join(", ");
  return `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) SELECT ${values} FROM json_each(?)`;
}

/**
 * The Durable Object of one fund's rows of one month. It stores what the fund hands over, and decides nothing.
 * Its fund alone calls it.
 */
export class FundArchive extends DurableObject<Env> implements ObjectMethods<FundArchiveObject> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, migrations);
  }

  async put({ claimed, sponsorships, ledger, treasury }: ArchiveBatch): Promise<void> {
    const { storage } = this.ctx;
    const { sql } = storage;
    storage.transactionSync(() => {
      const kept = new Set(sponsorships.map(({ number }) => number));
      const forgotten = claimed.filter((number) => !kept.has(number));
      // One statement for all rows of a table takes a fraction of the CPU.
      sql.exec("DELETE FROM sponsorship WHERE number IN (SELECT value FROM json_each(?))", JSON.stringify(forgotten));
      sql.exec(putAll("sponsorship", ["number", "name", "hash", "record"]), JSON.stringify(sponsorships));
      sql.exec(putAll("ledger", ["number", "record"]), JSON.stringify(ledger));
      // Stores each record alone, because the record of a treasury transaction may be long.
      for (const { name, record } of treasury)
        sql.exec("INSERT OR REPLACE INTO treasury (name, record) VALUES (?, ?)", name, record);
    });
    // The fund deletes its rows after this answer.
    await storage.sync();
  }

  async readStored(from: TablePosition | null): Promise<StoredPart> {
    return readStored(this.ctx.storage.sql, from);
  }

  /** Replaces the stored rows. Only an arriving fund makes this call, and it has no rows of its own here. */
  async writeStored(part: ArrivingPart): Promise<Outcome<null>> {
    return this.ctx.storage.transactionSync(() => writeStored(this.ctx.storage.sql, part));
  }

  list(list: ArchivedList, below: number, limit: number): readonly ArchivedRow[] {
    return this.ctx.storage.sql
      .exec<Row<ArchivedRow>>(
        `SELECT number, record FROM ${TABLES[list]} WHERE number < ? ORDER BY number DESC LIMIT ?`,
        below,
        limit,
      )
      .toArray();
  }

  scan({ list, where, span, below, limit, examine }: ArchiveScan): Scanned<ArchivedRow> {
    const table = { name: TABLES[list], number: "number" };
    const start = { order: "highest first", beyond: below, limit, examine } as const;
    const conditions = where.flatMap(conditionsOf);
    return scan<Row<ArchivedRow>>(this.ctx.storage.sql, "number, record", table, conditions, columnSpan(span), start);
  }

  sponsorship(name: string): ArchivedSponsorship | null {
    return this.#newest("name", name) ?? this.#newest("hash", name);
  }

  sponsorships(names: readonly string[]): readonly (ArchivedSponsorship | null)[] {
    return names.map((name) => this.sponsorship(name));
  }

  #newest(column: "name" | "hash", value: string): ArchivedSponsorship | null {
    const rows = this.ctx.storage.sql
      .exec<Row<ArchivedSponsorship>>(
        `SELECT number, name, hash, record FROM sponsorship
         WHERE substr(${column}, 1, 12) = substr(?1, 1, 12) AND ${column} = ?1`,
        value,
      )
      .toArray();
    return rows.toSorted((a, b) => b.number - a.number)[0] ?? null;
  }

  treasury(name: string): ArchivedTreasury | null {
    const [row] = this.ctx.storage.sql
      .exec<Row<ArchivedTreasury>>("SELECT name, record FROM treasury WHERE name = ?", name)
      .toArray();
    return row ?? null;
  }
}

/** Returns a span of time with the expression that reads the time. */
function columnSpan(span: ArchiveScan["span"]): ColumnSpan | null {
  return span === undefined ? null : { ...span, column: `json_extract(record, '$[${Math.trunc(span.place)}]')` };
}

const HAS_TARGET = `EXISTS (SELECT 1 FROM json_each(record, ?) AS named WHERE ${isTargetSql("named.value")})`;

/** Returns a condition on a record as SQL. */
function conditionsOf({ place, oneOf, atLeast, below, target }: ArchivedCondition): readonly Condition[] {
  // JavaScript's numbers arrive as REAL, so `->>` finds no place by them.
  const path = `$[${place}]`;
  return [
    ...(oneOf === undefined
      ? []
      : [
          {
            sql: "json_extract(record, ?) IN (SELECT value FROM json_each(?))",
            bindings: [path, JSON.stringify(oneOf)],
          },
        ]),
    ...(atLeast === undefined ? [] : [{ sql: "json_extract(record, ?) >= ?", bindings: [path, atLeast] }]),
    ...(below === undefined ? [] : [{ sql: "json_extract(record, ?) < ?", bindings: [path, below] }]),
    ...(target === undefined ? [] : [{ sql: HAS_TARGET, bindings: [path, ...targetBindings(target)] }]),
  ];
}
