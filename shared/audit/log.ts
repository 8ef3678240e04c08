import type { Deps } from "../bindings/deps.ts";
import type { AuditEntry, AuditRow } from "../bindings/project.ts";
import { equals, type FilteredTable, filteredPage } from "../durable/filtered-page.ts";
import { type FilteredPage, type FilteredRequest, pageOf } from "../paging.ts";
import { type AuditHead, CHAIN_BEGINS, chainBeginning, GENESIS_HASH, REFUSED, rowHash } from "./chain.ts";
import type { AuditFilter } from "./filter.ts";

/** The hash of the row before is unique, so no two rows can follow one. Rows from before the chain have none. */
const CHAIN = `
  CREATE UNIQUE INDEX audit_chain ON audit (previous_hash);
`;

/** Adds the chain to a log that has rows. They stay as they are: the first chained row has their hash. */
export const AUDIT_CHAIN_MIGRATION = `
  ALTER TABLE audit ADD COLUMN actor TEXT;
  ALTER TABLE audit ADD COLUMN actor_token_id TEXT;
  ALTER TABLE audit ADD COLUMN ip TEXT;
  ALTER TABLE audit ADD COLUMN user_agent TEXT;
  ALTER TABLE audit ADD COLUMN previous_hash TEXT;
  ${CHAIN}
`;

/** Creates a log that is chained from its first row on. */
export const AUDIT_MIGRATION = `
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    actor TEXT,
    actor_token_id TEXT,
    ip TEXT,
    user_agent TEXT,
    previous_hash TEXT NOT NULL
  ) STRICT;
  ${CHAIN}
  CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`;

const TABLE: FilteredTable = { name: "audit", number: "seq", order: "highest first", time: "at_ms" };

/** The newest rows in which a repeat of a request is found. */
const REPEAT_ROWS = 1_000;

type StoredRow = {
  seq: number;
  at_ms: number;
  action: string;
  target: string;
  detail: string;
  actor: string | null;
  actor_token_id: string | null;
  ip: string | null;
  user_agent: string | null;
  previous_hash: string | null;
};

function rowOf({ at_ms, detail, actor_token_id, user_agent, previous_hash, ...row }: StoredRow): AuditRow {
  return {
    ...row,
    atMs: at_ms,
    detailJson: detail,
    actorTokenId: actor_token_id,
    userAgent: user_agent,
    previousHash: previous_hash,
  };
}

/**
 * Keeps the log of every change by an operator. Each row has the hash of the row before. Triggers in the database refuse
 * to change or delete a row.
 */
export class AuditLog {
  readonly #sql: SqlStorage;
  readonly #deps: Pick<Deps, "clock">;

  constructor(sql: SqlStorage, deps: Pick<Deps, "clock">) {
    this.#sql = sql;
    this.#deps = deps;
  }

  /**
   * Appends a row. Called within the commit of the change. The first one after an upgrade begins the chain. It reads
   * every row once, one at a time.
   */
  append(entry: AuditEntry): void {
    if (this.#isRepeat(entry)) return;
    const last = this.#last();
    if (last !== null && last.previousHash === null) {
      const detailJson = JSON.stringify(chainBeginning(this.#oldestFirst()));
      this.#insert({ action: CHAIN_BEGINS, target: "audit", detailJson }, GENESIS_HASH);
    }
    this.#insert(entry, this.head()?.hash ?? GENESIS_HASH);
  }

  /** Newest first. */
  list({ filter = null, ...page }: FilteredRequest<AuditFilter>): FilteredPage<AuditRow> {
    if (filter !== null) {
      const { action, target, actor } = filter;
      const where = [...equals("action", action), ...equals("target", target), ...equals("actor", actor)];
      return filteredPage<StoredRow, AuditRow>(this.#sql, TABLE, { where, span: filter, page }, rowOf);
    }
    const { limit, cursor } = page;
    const rows = this.#sql
      .exec<StoredRow>(
        "SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        Number(cursor ?? Number.MAX_SAFE_INTEGER),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, rowOf);
  }

  /** Returns whether the log has a row of this action and target. It reads the whole log. */
  has(action: string, target: string): boolean {
    const query = "SELECT 1 FROM audit WHERE action = ? AND target = ? LIMIT 1";
    return this.#sql.exec(query, action, target).toArray().length > 0;
  }

  /** Returns the newest row's number and hash. Null if no row is chained yet. */
  head(): AuditHead | null {
    const last = this.#last();
    return last === null || last.previousHash === null ? null : { seq: last.seq, hash: rowHash(last) };
  }

  #last(): AuditRow | null {
    const last = this.#sql.exec<StoredRow>("SELECT * FROM audit ORDER BY seq DESC LIMIT 1").toArray()[0];
    return last === undefined ? null : rowOf(last);
  }

  /**
   * Returns whether the newest row of a request has the same action, actor and detail. A refusal before it separates
   * the two. The key alone is not enough. It may be sent with another payment, which needs a row before it is paid.
   */
  #isRepeat({ action, target, detailJson, by, request }: AuditEntry): boolean {
    if (request === undefined) return false;
    const begun = action.endsWith(REFUSED) ? action.slice(0, -REFUSED.length) : action;
    const [newest] = this.#sql
      .exec<Pick<StoredRow, "action" | "detail" | "actor" | "actor_token_id">>(
        `SELECT action, detail, actor, actor_token_id FROM audit
          WHERE seq > (SELECT MAX(seq) FROM audit) - ? AND target = ? AND action IN (?, ?)
            AND detail ->> '$.request' = ? ORDER BY seq DESC LIMIT 1`,
        REPEAT_ROWS,
        target,
        begun,
        begun + REFUSED,
        request,
      )
      .toArray();
    const { name = null, tokenId = null } = by ?? {};
    const isSame = newest?.action === action && newest.detail === detailJson;
    return isSame && newest.actor === name && newest.actor_token_id === tokenId;
  }

  *#oldestFirst(): Generator<AuditRow> {
    for (const row of this.#sql.exec<StoredRow>("SELECT * FROM audit ORDER BY seq")) yield rowOf(row);
  }

  #insert({ action, target, detailJson, by }: AuditEntry, previousHash: string): void {
    this.#sql.exec(
      `INSERT INTO audit (at_ms, action, target, detail, actor, actor_token_id, ip, user_agent, previous_hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#deps.clock.nowMs(),
      action,
      target,
      detailJson,
      by?.name ?? null,
      by?.tokenId ?? null,
      by?.ip ?? null,
      by?.userAgent ?? null,
      previousHash,
    );
  }
}
