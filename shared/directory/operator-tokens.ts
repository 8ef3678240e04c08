import { timingSafeEqual } from "node:crypto";
import type { Deps } from "../bindings/deps.ts";
import type {
  CreatedOperatorToken,
  NewOperatorToken,
  Operator,
  OperatorRole,
  OperatorToken,
} from "../bindings/operator.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";

/** The limit of tokens, those that have ended included. */
export const MAX_OPERATOR_TOKENS = 100;

/** AUTOINCREMENT: the cursor of a list never names a later token. */
export const OPERATOR_TOKENS_MIGRATION = `
  CREATE TABLE operator_token (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')),
    secret_hash BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;
`;

type Row = {
  seq: number;
  id: string;
  name: string;
  role: OperatorRole;
  secret_hash: ArrayBuffer;
  created_at_ms: number;
  expires_at_ms: number;
};

function viewOf({ id, name, role, created_at_ms, expires_at_ms }: Row): OperatorToken {
  return { id, name, role, createdAtMs: created_at_ms, expiresAtMs: expires_at_ms };
}

function hasSecret({ secret_hash }: Row, secretHash: Uint8Array): boolean {
  const stored = new Uint8Array(secret_hash);
  return stored.length === secretHash.length && timingSafeEqual(stored, secretHash);
}

/** Keeps the tokens of the admin API, as hashes of their secrets. `ADMIN_TOKEN` is not among them. */
export class OperatorTokens {
  readonly #sql: SqlStorage;
  readonly #deps: Pick<Deps, "clock">;

  constructor(sql: SqlStorage, deps: Pick<Deps, "clock">) {
    this.#sql = sql;
    this.#deps = deps;
  }

  /** Stores a token. @returns null if there are `MAX_OPERATOR_TOKENS`. */
  create({ id, name, role, expiresAtMs, secretHash }: NewOperatorToken): OperatorToken | null {
    const { count } = this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM operator_token").one();
    if (count >= MAX_OPERATOR_TOKENS) return null;
    const createdAtMs = this.#deps.clock.nowMs();
    this.#sql.exec(
      "INSERT INTO operator_token (id, name, role, secret_hash, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      name,
      role,
      secretHash.slice().buffer,
      createdAtMs,
      expiresAtMs,
    );
    return { id, name, role, createdAtMs, expiresAtMs };
  }

  /** Returns the token of an earlier creation with this id. Null if none was made. */
  repeated({ id, name, role, expiresAtMs, secretHash }: NewOperatorToken): CreatedOperatorToken | "other_body" | null {
    const row = this.#row(id);
    if (row === null) return null;
    if (row.name !== name || row.role !== role || row.expires_at_ms !== expiresAtMs) return "other_body";
    return hasSecret(row, secretHash) ? viewOf(row) : { ...viewOf(row), isRepeat: true };
  }

  /** Tokens in the order of creation, those that have ended included. */
  list({ limit, cursor }: PageRequest): Page<OperatorToken> {
    const rows = this.#sql
      .exec<Row>("SELECT * FROM operator_token WHERE seq > ? ORDER BY seq LIMIT ?", Number(cursor ?? 0), limit + 1)
      .toArray();
    return pageOf(rows, limit, viewOf);
  }

  /** Deletes a token. @returns the deleted token. Null if no token has this id. */
  delete(id: string): OperatorToken | null {
    const row = this.#row(id);
    this.#sql.exec("DELETE FROM operator_token WHERE id = ?", id);
    return row === null ? null : viewOf(row);
  }

  /** Returns the holder of a token, by the hash of its secret. Null if the token is not there, or has ended. */
  holder(id: string, secretHash: Uint8Array): Operator | null {
    const row = this.#row(id);
    if (row === null) return null;
    if (!hasSecret(row, secretHash) || row.expires_at_ms <= this.#deps.clock.nowMs()) return null;
    return { tokenId: id, name: row.name, role: row.role };
  }

  #row(id: string): Row | null {
    return this.#sql.exec<Row>("SELECT * FROM operator_token WHERE id = ?", id).toArray()[0] ?? null;
  }
}
