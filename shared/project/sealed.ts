import { type Deps, serviceMasterKeys } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { SealedProof } from "../crypto/key-check.ts";
import { keyServiceRefusal } from "../crypto/key-service.ts";
import type { DueTable } from "../durable/due-table.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { type MasterKeyUsage, resealRetryMs } from "./master-key-usage.ts";
import type { SealedObject } from "./views.ts";

/** Sealed objects to try until one opens. Some may be damaged. */
const SAMPLE = 20;
/** Objects that one alarm re-seals. */
const OBJECTS_PER_ALARM = 20;
/** Wait after a failure of the key service, in ms. It says nothing about the object, so it neither counts nor doubles. */
const KEY_SERVICE_RETRY_MS = 15_000;

type Row = Record<string, SqlStorageValue> & {
  name: string;
  kind: string;
  master_key_version: number;
  failures: number;
};

/**
 * Tracks the master key version of each sealed object of a project, and re-seals old ones. A row is written before its
 * object seals anything, and raised after the object's own commit. So after any crash, a row never claims a newer
 * version than its object has. A version that no row names can be deleted.
 */
export class ProjectSealed {
  readonly #sql: SqlStorage;
  readonly #due: DueTable;
  readonly #env: Env;
  readonly #deps: Deps;
  readonly #resealWebhook: (id: string) => Promise<number>;

  /** @param resealWebhook re-seals a webhook's secrets. @returns their master key version. */
  constructor(sql: SqlStorage, due: DueTable, env: Env, deps: Deps, resealWebhook: (id: string) => Promise<number>) {
    this.#sql = sql;
    this.#due = due;
    this.#env = env;
    this.#deps = deps;
    this.#resealWebhook = resealWebhook;
  }

  /** Records that an object is about to seal under this version. Keeps an older version. */
  recordSealing({ kind, name }: SealedObject, masterKeyVersion: number): void {
    this.#sql.exec(
      `INSERT INTO sealed (name, kind, master_key_version) VALUES (?, ?, ?) ON CONFLICT (name)
       DO UPDATE SET master_key_version = MIN(master_key_version, excluded.master_key_version)`,
      name,
      kind,
      masterKeyVersion,
    );
  }

  /** Records a seal whose row may have been deleted. An existing row is right already. */
  recordSealingIfNew({ kind, name }: SealedObject, masterKeyVersion: number): void {
    this.#sql.exec(
      "INSERT INTO sealed (name, kind, master_key_version) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
      name,
      kind,
      masterKeyVersion,
    );
  }

  /** Deletes the row of an object that was never made, or is gone. */
  forget(name: string): void {
    this.#sql.exec("DELETE FROM sealed WHERE name = ?", name);
  }

  /** Counts the sealed objects by master key version. */
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
   * Makes every object under an older version due for the re-seal, also one that has failed lately.
   *
   * @returns false if there is none.
   */
  startReseal(nowMs: number): boolean {
    const older = this.#sql
      .exec("UPDATE sealed SET retry_at_ms = 0 WHERE master_key_version < ? RETURNING 1", this.#current())
      .toArray();
    if (older.length > 0) this.#due.set("reseal", "", nowMs);
    return older.length > 0;
  }

  /** Re-seals a few due objects, and makes the others due again. */
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
   * Tries a few objects that may be sealed under a version, until one opens. A row of version 0 is of a fund whose
   * version is unknown.
   *
   * @param opensWebhook tells whether a webhook's secret opens. Null if it is not under this version.
   * @throws KeyServiceError if the master key could not be read.
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
        // A key that nobody could read is neither right nor wrong.
        if (keyServiceRefusal(error) !== null) throw error;
        this.#deps.log("project.prove_failed", { object: name, kind, masterKeyVersion, cause: String(error) });
        unanswered += 1;
      }
    }
    return { opened: false, failed, unanswered };
  }

  /** Returns null if there is no such object, or it is under another version. */
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
      // If the object has recorded an older version since then, that one stays.
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
    const isHeldUp = !resealed.ok && resealed.error.reason === "key_service";
    const failed = isHeldUp ? failures : failures + 1;
    this.#sql.exec(
      "UPDATE sealed SET failures = ?, retry_at_ms = ? WHERE name = ?",
      failed,
      this.#deps.clock.nowMs() + (isHeldUp ? KEY_SERVICE_RETRY_MS : resealRetryMs(failed)),
      name,
    );
  }

  async #ask(name: string, kind: string): Promise<Outcome<number>> {
    const namespace = kind === "fund" ? this.#env.FUND : this.#env.WALLET;
    try {
      if (kind === "webhook") return done(await this.#resealWebhook(name));
      return await namespace.getByName(name).reseal();
    } catch (error) {
      const refusal = keyServiceRefusal(error);
      return refusal === null ? refuse("internal", String(error)) : { ok: false, error: refusal };
    }
  }

  #current(): number {
    return serviceMasterKeys(this.#deps).current;
  }
}
