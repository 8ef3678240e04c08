import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createDeps, type Deps } from "../deps.ts";
import type { Env } from "../env.ts";
import { type Network, networkSchema } from "../networks.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { migrate } from "./migrations.ts";

const SALT_BYTES = 32;

export const migrations = [
  `CREATE TABLE project (
    project_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    wallets_per_month INTEGER,
    secret_derivation TEXT NOT NULL,
    export_enabled INTEGER NOT NULL DEFAULT 0,
    salt BLOB NOT NULL,
    session_epoch INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE member (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    network TEXT NOT NULL,
    listed_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX member_by_kind ON member (kind, seq);
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`,
];

/** How wallet secrets become keys: memory-hard for any secret, or one hash for secrets that are random already. */
export const secretDerivations = ["scrypt", "hkdf"] as const;
export type SecretDerivation = (typeof secretDerivations)[number];

export interface ProjectView {
  readonly projectId: string;
  readonly name: string;
  readonly secretDerivation: SecretDerivation;
  /** Null: no limit. */
  readonly walletsPerMonth: number | null;
  readonly createdAtMs: number;
}

export type NewProject = Omit<ProjectView, "createdAtMs">;

export interface ProjectPatch {
  readonly name?: string;
  readonly walletsPerMonth?: number | null;
}

export type MemberKind = "fund" | "key";

/** A fund or key of the project: what never changes about it. The rest, its own object knows. */
export interface Member {
  readonly kind: MemberKind;
  readonly id: string;
  readonly network: Network;
}

/** `detailJson` is the change as JSON, without secrets. */
export interface AuditEntry {
  readonly action: string;
  readonly target: string;
  readonly detailJson: string;
}

export interface AuditRow extends AuditEntry {
  readonly seq: number;
  readonly atMs: number;
}

const rowSchema = z.object({
  project_id: z.string(),
  name: z.string(),
  secret_derivation: z.enum(secretDerivations),
  wallets_per_month: z.number().nullable(),
  created_at_ms: z.number(),
});

/**
 * One project: its settings, which funds and keys belong to it, and the log of every change an operator makes. Funds
 * and keys are added after their own objects exist: a crash in between leaves an object that nobody was told of, never
 * a listed one that does not exist.
 */
export class Project extends DurableObject<Env> {
  readonly #deps: Deps;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
  }

  /** Creating the same project again answers the record as it is now. */
  async create(project: NewProject, entry: AuditEntry): Promise<ProjectView> {
    const existing = this.#view();
    if (existing !== null) {
      if (existing.projectId !== project.projectId || existing.secretDerivation !== project.secretDerivation)
        throw new Error(`${existing.projectId} exists with other content`);
      return existing;
    }
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec(
        `INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, salt, created_at_ms)
         VALUES (?, ?, ?, ?, ?, ?)`,
        project.projectId,
        project.name,
        project.walletsPerMonth,
        project.secretDerivation,
        new Uint8Array(this.#deps.randomBytes(SALT_BYTES)).buffer,
        this.#deps.clock.nowMs(),
      );
      this.#append(entry);
    });
    return this.#existing();
  }

  /** Null: never created. */
  async view(): Promise<ProjectView | null> {
    return this.#view();
  }

  /** Null: never created. */
  async update(patch: ProjectPatch, entry: AuditEntry): Promise<ProjectView | null> {
    const current = this.#view();
    if (current === null) return null;
    const { name, walletsPerMonth } = { ...current, ...patch };
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("UPDATE project SET name = ?, wallets_per_month = ?", name, walletsPerMonth);
      this.#append(entry);
    });
    return this.#existing();
  }

  /** Lists a fund or key that exists. A repeat changes nothing. */
  async addMember(member: Member, entry: AuditEntry): Promise<void> {
    this.#existing();
    this.ctx.storage.transactionSync(() => {
      const added = this.ctx.storage.sql
        .exec(
          `INSERT INTO member (kind, id, network, listed_at_ms) VALUES (?, ?, ?, ?)
           ON CONFLICT (id) DO NOTHING RETURNING seq`,
          member.kind,
          member.id,
          member.network,
          this.#deps.clock.nowMs(),
        )
        .toArray();
      if (added.length > 0) this.#append(entry);
    });
  }

  /** The network of one of this project's funds; null: it has no such fund. */
  async fundNetwork(fundId: string): Promise<Network | null> {
    const [row] = this.ctx.storage.sql
      .exec("SELECT network FROM member WHERE kind = 'fund' AND id = ?", fundId)
      .toArray();
    return row === undefined ? null : networkSchema.parse(row.network);
  }

  /** Ids in the order of creation. Null: never created. */
  async members(kind: MemberKind, { limit, cursor }: PageRequest): Promise<Page<string> | null> {
    if (this.#view() === null) return null;
    const rows = this.ctx.storage.sql
      .exec<{ seq: number; id: string }>(
        "SELECT seq, id FROM member WHERE kind = ? AND seq > ? ORDER BY seq LIMIT ?",
        kind,
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => row.id);
  }

  /** Appends a row for a change that another object makes. */
  async record(entry: AuditEntry): Promise<void> {
    this.#existing();
    this.#append(entry);
  }

  /** Newest first. Null: never created. */
  async audit({ limit, cursor }: PageRequest): Promise<Page<AuditRow> | null> {
    if (this.#view() === null) return null;
    const rows = this.ctx.storage.sql
      .exec<{ seq: number; at_ms: number; action: string; target: string; detail: string }>(
        "SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        Number(cursor ?? Number.MAX_SAFE_INTEGER),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, ({ at_ms, detail, ...row }) => ({ ...row, atMs: at_ms, detailJson: detail }));
  }

  #view(): ProjectView | null {
    const [row] = this.ctx.storage.sql.exec("SELECT * FROM project").toArray();
    if (row === undefined) return null;
    const { project_id, secret_derivation, wallets_per_month, created_at_ms, name } = rowSchema.parse(row);
    return {
      projectId: project_id,
      name,
      secretDerivation: secret_derivation,
      walletsPerMonth: wallets_per_month,
      createdAtMs: created_at_ms,
    };
  }

  #existing(): ProjectView {
    const view = this.#view();
    if (view === null) throw new Error("this project was never created");
    return view;
  }

  #append({ action, target, detailJson }: AuditEntry): void {
    this.ctx.storage.sql.exec(
      "INSERT INTO audit (at_ms, action, target, detail) VALUES (?, ?, ?, ?)",
      this.#deps.clock.nowMs(),
      action,
      target,
      detailJson,
    );
  }
}
