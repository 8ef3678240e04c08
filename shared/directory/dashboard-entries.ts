import type { Deps } from "../bindings/deps.ts";
import type { OperatorCredential } from "../bindings/operator.ts";

/** The limit of a token's links that wait for their use. A further one replaces the token's own oldest. */
const MAX_LINKS_OF_TOKEN = 3;
/** The limit of all links. All tokens together reach it only if many are made and deleted within ten minutes. */
const MAX_LINKS = 400;

/** A row of `dashboard_logout` outlives its session by no more than the next log-out. */
export const DASHBOARD_MIGRATION_4 = `
  CREATE TABLE dashboard_link (
    code_hash TEXT PRIMARY KEY,
    token_id TEXT,
    secret_hash BLOB NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dashboard_logout (
    session_id TEXT PRIMARY KEY,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** A link that logs its visitor in once. */
export interface DashboardLink {
  /** The SHA-256 of the link's code. The code itself is never stored. */
  readonly codeHash: string;
  readonly credential: OperatorCredential;
  readonly expiresAtMs: number;
}

type LinkRow = { token_id: string | null; secret_hash: ArrayBuffer; expires_at_ms: number };

/** Keeps the one-time links of the dashboard, and the sessions that were logged out before their end. */
export class DashboardEntries {
  readonly #sql: SqlStorage;
  readonly #deps: Pick<Deps, "clock">;

  constructor(sql: SqlStorage, deps: Pick<Deps, "clock">) {
    this.#sql = sql;
    this.#deps = deps;
  }

  /** Stores a link until its end or its use. */
  putLink({ codeHash, credential: { tokenId, secretHash }, expiresAtMs }: DashboardLink): void {
    this.#sql.exec("DELETE FROM dashboard_link WHERE expires_at_ms <= ?", this.#deps.clock.nowMs());
    this.#sql.exec(
      `DELETE FROM dashboard_link WHERE code_hash IN (SELECT code_hash FROM dashboard_link WHERE token_id IS ?
        ORDER BY expires_at_ms DESC, code_hash LIMIT -1 OFFSET ?)`,
      tokenId,
      MAX_LINKS_OF_TOKEN - 1,
    );
    this.#sql.exec(
      `DELETE FROM dashboard_link WHERE code_hash IN
        (SELECT code_hash FROM dashboard_link ORDER BY expires_at_ms DESC, code_hash LIMIT -1 OFFSET ?)`,
      MAX_LINKS - 1,
    );
    this.#sql.exec(
      "INSERT INTO dashboard_link (code_hash, token_id, secret_hash, expires_at_ms) VALUES (?, ?, ?, ?)",
      codeHash,
      tokenId,
      secretHash.slice().buffer,
      expiresAtMs,
    );
  }

  /** Consumes a link. @returns the operator that it logs in. Null if no link has this code, or if it has ended. */
  takeLink(codeHash: string): OperatorCredential | null {
    const [row] = this.#sql
      .exec<LinkRow>(
        "DELETE FROM dashboard_link WHERE code_hash = ? RETURNING token_id, secret_hash, expires_at_ms",
        codeHash,
      )
      .toArray();
    if (row === undefined || row.expires_at_ms <= this.#deps.clock.nowMs()) return null;
    return { tokenId: row.token_id, secretHash: new Uint8Array(row.secret_hash) };
  }

  /** Ends a session before its time. A repeat changes nothing. */
  endSession(sessionId: string, expiresAtMs: number): void {
    this.#sql.exec("DELETE FROM dashboard_logout WHERE expires_at_ms <= ?", this.#deps.clock.nowMs());
    this.#sql.exec(
      "INSERT INTO dashboard_logout (session_id, expires_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
      sessionId,
      expiresAtMs,
    );
  }

  /** Returns whether a session was logged out. */
  hasEnded(sessionId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM dashboard_logout WHERE session_id = ?", sessionId).toArray().length > 0;
  }
}
