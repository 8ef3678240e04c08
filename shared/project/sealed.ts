import { type Deps, serviceSecrets } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { SealedProof } from "../crypto/key-check.ts";
import type { DueTable } from "../durable/due-table.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { type MasterKeyUsage, resealRetryMs } from "./master-key-usage.ts";
import type { SealedObject } from "./views.ts";

/** Sealed things that are tried, until one opens: some may be damaged. */
const SAMPLE = 20;
/** Objects that one alarm has re-seal. */
const OBJECTS_PER_ALARM = 20;

type Row = Record<string, SqlStorageValue> & {
  name: string;
  kind: string;
  master_key_version: number;
  failures: number;
};

/**
 * Which master key version everything sealed of a project may still need, and the job that brings it to the current
 * one. A row is written before its object seals anything, and raised after the object has answered from its own commit:
 * whatever is cut off in between, a row never claims a newer version than the object has. So a version that no row
 * names can go.
 */
export class ProjectSealed {
  readonly #sql: SqlStorage;
  readonly #due: DueTable;
  readonly #env: Env;
  readonly #deps: Deps;
  readonly #resealWebhook: (id: string) => Promise<number>;

  /** @param resealWebhook of this project; as `reseal` of the objects. */
  constructor(sql: SqlStorage, due: DueTable, env: Env, deps: Deps, resealWebhook: (id: string) => Promise<number>) {
    this.#sql = sql;
    this.#due = due;
    this.#env = env;
    this.#deps = deps;
    this.#resealWebhook = resealWebhook;
  }

  /** The object is about to seal something under this version. */
  recordSealing({ kind, name }: SealedObject, masterKeyVersion: number): void {
    this.#sql.exec(
      `INSERT INTO sealed (name, kind, master_key_version) VALUES (?, ?, ?) ON CONFLICT (name)
       DO UPDATE SET master_key_version = MIN(master_key_version, excluded.master_key_version)`,
      name,
      kind,
      masterKeyVersion,
    );
  }

  /** For what may have been forgotten meanwhile. A row that is there has been noted before and is right already. */
  recordSealingIfNew({ kind, name }: SealedObject, masterKeyVersion: number): void {
    this.#sql.exec(
      "INSERT INTO sealed (name, kind, master_key_version) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
      name,
      kind,
      masterKeyVersion,
    );
  }

  /** The object has never come to be. */
  forget(name: string): void {
    this.#sql.exec("DELETE FROM sealed WHERE name = ?", name);
  }

  countByVersion(): readonly MasterKeyUsage[] {
    return this.#sql
      .exec<{ version: number; objects: number; failing: number }>(
        `SELECT master_key_version AS version, COUNT(*) AS objects, SUM(failures > 0) AS failing FROM sealed
         GROUP BY master_key_version`,
      )
      .toArray()
      .map(({ version, objects, failing }) => ({ masterKeyVersion: version, objects, failing }));
  }

  /**
   * Has the alarm re-seal whatever is under an older version, also what it has tried in vain and would leave alone for
   * a while.
   *
   * @returns false where there is nothing of that kind.
   */
  startReseal(nowMs: number): boolean {
    const older = this.#sql
      .exec("UPDATE sealed SET retry_at_ms = 0 WHERE master_key_version < ? RETURNING 1", this.#current())
      .toArray();
    if (older.length > 0) this.#due.set("reseal", "", nowMs);
    return older.length > 0;
  }

  /** What is due of the job: a few objects. What is left is due again, until nothing is. */
  async runDue(nowMs: number): Promise<void> {
    if (this.#due.listDue("reseal", nowMs, 1).length === 0) return;
    const rows = this.#sql
      .exec<Row>(
        "SELECT * FROM sealed WHERE master_key_version < ? AND retry_at_ms <= ? LIMIT ?",
        this.#current(),
        nowMs,
        OBJECTS_PER_ALARM,
      )
      .toArray();
    await Promise.all(rows.map((row) => this.#reseal(row)));
    const [next] = this.#sql
      .exec<{ at_ms: number | null }>(
        "SELECT MIN(retry_at_ms) AS at_ms FROM sealed WHERE master_key_version < ?",
        this.#current(),
      )
      .toArray();
    const atMs = next?.at_ms ?? null;
    this.#due.set("reseal", "", atMs === null ? null : Math.max(atMs, nowMs));
    if (atMs === null) this.#deps.log("project.resealed", { masterKeyVersion: this.#current() });
  }

  /**
   * Tries a few things that may be sealed under a version, until one opens. Rows of version 0 are of funds that have
   * never said which it is.
   *
   * @param opensWebhook whether the secret of a webhook opens; null: it is not under this version.
   */
  async prove(masterKeyVersion: number, opensWebhook: (id: string) => Promise<boolean | null>): Promise<SealedProof> {
    const rows = this.#sql
      .exec<Row>(
        "SELECT * FROM sealed WHERE master_key_version IN (0, ?) ORDER BY master_key_version DESC LIMIT ?",
        masterKeyVersion,
        SAMPLE,
      )
      .toArray();
    let failed = 0;
    let unanswered = 0;
    for (const { name, kind } of rows) {
      try {
        const opens = await this.#opens(name, kind, masterKeyVersion, opensWebhook);
        if (opens === true) return { opened: true, failed, unanswered };
        if (opens === false) failed += 1;
      } catch (error) {
        this.#deps.log("project.prove_failed", { object: name, kind, masterKeyVersion, cause: String(error) });
        unanswered += 1;
      }
    }
    return { opened: false, failed, unanswered };
  }

  /** Null: the object has never come to be, or is under another version. */
  async #opens(
    name: string,
    kind: string,
    masterKeyVersion: number,
    opensWebhook: (id: string) => Promise<boolean | null>,
  ): Promise<boolean | null> {
    if (kind === "webhook") return opensWebhook(name);
    return (kind === "fund" ? this.#env.FUND : this.#env.WALLET).getByName(name).opensUnder(masterKeyVersion);
  }

  async #reseal({ name, kind, master_key_version: noted, failures }: Row): Promise<void> {
    const resealed = await this.#ask(name, kind);
    const current = this.#current();
    if (resealed.ok && resealed.value >= current) {
      // Not where the object has said meanwhile that it seals under an older version.
      this.#sql.exec(
        "UPDATE sealed SET master_key_version = ?, failures = 0 WHERE name = ? AND master_key_version = ?",
        resealed.value,
        name,
        noted,
      );
      return;
    }
    const cause = resealed.ok ? `its current master key version is ${resealed.value}` : resealed.error.details;
    this.#deps.log("project.reseal_failed", { object: name, kind, masterKeyVersion: noted, cause });
    this.#sql.exec(
      "UPDATE sealed SET failures = failures + 1, retry_at_ms = ? WHERE name = ?",
      this.#deps.clock.nowMs() + resealRetryMs(failures + 1),
      name,
    );
  }

  async #ask(name: string, kind: string): Promise<Outcome<number>> {
    const namespace = kind === "fund" ? this.#env.FUND : this.#env.WALLET;
    try {
      if (kind === "webhook") return done(await this.#resealWebhook(name));
      return await namespace.getByName(name).reseal();
    } catch (error) {
      return refuse("internal", String(error));
    }
  }

  #current(): number {
    return serviceSecrets(this.#deps).masterKeys.current;
  }
}
