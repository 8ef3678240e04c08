import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../bindings/deps.ts";
import { DIRECTORY_NAME, type DirectoryObject } from "../bindings/directory.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { AuditEntry } from "../bindings/project.ts";
import {
  checkedSecrets,
  type SealedProof,
  type SecretCheck,
  type SecretsVerdict,
  type SecretVersion,
  verdictOf,
} from "../crypto/key-check.ts";
import { migrate } from "../durable/migrations.ts";
import type { ServiceEvent } from "../observe/events.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import { type NewerSchema, SCHEMA_VERSIONS } from "./newer-state.ts";

export const migrations = [
  `CREATE TABLE project (
    seq INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    listed_at_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE secret_check (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE secret_mismatch (
    secret TEXT NOT NULL,
    version INTEGER NOT NULL,
    told_at_ms INTEGER NOT NULL,
    PRIMARY KEY (secret, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE newest_schema (
    object TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

/** A secret that is wrong is an event once in this time. */
const TOLD_EVERY_MS = 86_400_000;
const PROJECTS_PER_PAGE = 40;
/** Sealed things that are tried in vain before the rest is left alone. */
const MAX_FAILURES = 20;
/** A proof that ended in doubt is not made anew for each call. */
const DOUBT_KEPT_MS = 10_000;
/** Anybody may ask whether storage takes what is written. It is tried once in this time, for all who ask. */
const STORED_KEPT_MS = 2_000;

/**
 * The list of projects, which secrets this deployment was begun with, and how new its state is. A project is listed after it exists: a crash
 * in between leaves one that nobody was told of.
 */
export class Directory extends DurableObject<Env> implements ObjectMethods<DirectoryObject> {
  readonly #deps: Deps;
  /** By master key version: under way, or in doubt until then. */
  readonly #proofs = new Map<number, { readonly proof: Promise<SealedProof>; untilMs: number }>();
  #storing: { readonly isStored: Promise<boolean>; readonly sinceMs: number } | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#recordSchemas();
  }

  async newerSchemas(): Promise<readonly NewerSchema[]> {
    return this.#newestSchemas().filter(({ object, version }) => version > (SCHEMA_VERSIONS[object] ?? 0));
  }

  #newestSchemas(): readonly NewerSchema[] {
    return this.ctx.storage.sql
      .exec<{ object: string; version: number }>("SELECT object, version FROM newest_schema")
      .toArray();
  }

  /** Each build leaves what it knows. Written only where that is new: a disk may take nothing. */
  #recordSchemas(): void {
    const newest = new Map(this.#newestSchemas().map(({ object, version }) => [object, version]));
    for (const [object, version] of Object.entries(SCHEMA_VERSIONS))
      if (version > (newest.get(object) ?? 0))
        this.ctx.storage.sql.exec(
          "INSERT INTO newest_schema (object, version) VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
          object,
          version,
        );
  }

  canStore(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#storing === null || nowMs - this.#storing.sinceMs >= STORED_KEPT_MS)
      this.#storing = { isStored: this.#store(), sinceMs: nowMs };
    return this.#storing.isStored;
  }

  async #store(): Promise<boolean> {
    try {
      this.ctx.storage.sql.exec("UPDATE schema_version SET version = version");
      await this.ctx.storage.sync();
      return true;
    } catch (error) {
      this.#deps.log("storage.failed", { object: DIRECTORY_NAME, error: String(error) });
      // An instance that could not write takes up nothing, also when there is room again.
      setTimeout(() => this.ctx.abort("storage failed: this instance starts anew"), 0);
      return false;
    }
  }

  async add(projectId: string): Promise<void> {
    this.ctx.storage.sql.exec(
      "INSERT INTO project (project_id, listed_at_ms) VALUES (?, ?) ON CONFLICT (project_id) DO NOTHING",
      projectId,
      this.#deps.clock.nowMs(),
    );
  }

  async projects({ limit, cursor }: PageRequest): Promise<Page<string>> {
    const rows = this.ctx.storage.sql
      .exec<{ seq: number; project_id: string }>(
        "SELECT seq, project_id FROM project WHERE seq > ? ORDER BY seq LIMIT ?",
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => row.project_id);
  }

  async compareSecrets(checks: readonly SecretCheck[]): Promise<SecretsVerdict> {
    const masterKeys = checks.filter(({ secret }) => secret === "MASTER_KEYS");
    const others = checks.filter(({ secret }) => secret !== "MASTER_KEYS");
    const verdicts = new Map<SecretCheck, ReturnType<typeof verdictOf>>();
    for (const check of masterKeys)
      if (this.#valueOf(check) === null) verdicts.set(check, verdictOf(await this.#prove(check.version)));
    const isOther = (check: SecretCheck) => (this.#valueOf(check) ?? check.value) !== check.value;
    const isWrong = (check: SecretCheck) => isOther(check) || verdicts.get(check) === "wrong";
    if (!masterKeys.some(isWrong)) {
      for (const check of masterKeys) if (verdicts.get(check) !== "undecided") this.#recordFirstUse(check);
      const areKnown =
        masterKeys.length === 0
          ? this.#deps.config.service === null
          : masterKeys.every((check) => this.#valueOf(check) !== null);
      if (areKnown) for (const check of others) this.#recordFirstUse(check);
    }
    const wrong = checks.filter(isWrong).map(versionOf);
    this.#reportWrong(wrong);
    const undecided = checks.filter((check) => !isWrong(check) && this.#valueOf(check) === null).map(versionOf);
    return { wrong, undecided };
  }

  async secretChecks(): Promise<readonly SecretCheck[]> {
    return this.ctx.storage.sql
      .exec<{ secret: string; version: number; value: string }>("SELECT * FROM secret_check")
      .toArray()
      .flatMap(({ secret: name, version, value }) => {
        const secret = checkedSecrets.find((known) => known === name);
        return secret === undefined ? [] : [{ secret, version, value }];
      });
  }

  #valueOf({ secret, version }: SecretVersion): string | null {
    const [row] = this.ctx.storage.sql
      .exec<{ value: string }>("SELECT value FROM secret_check WHERE secret = ? AND version = ?", secret, version)
      .toArray();
    return row?.value ?? null;
  }

  /** The value counts from now on, where there is none yet. */
  #recordFirstUse({ secret, version, value }: SecretCheck): void {
    this.ctx.storage.sql.exec(
      "INSERT INTO secret_check (secret, version, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      secret,
      version,
      value,
    );
  }

  /** One proof of a version at a time, for whoever asks meanwhile. */
  async #prove(masterKeyVersion: number): Promise<SealedProof> {
    const known = this.#proofs.get(masterKeyVersion);
    if (known !== undefined && this.#deps.clock.nowMs() < known.untilMs) return known.proof;
    const begun = { proof: this.#openSamples(masterKeyVersion), untilMs: Number.POSITIVE_INFINITY };
    this.#proofs.set(masterKeyVersion, begun);
    let inDoubt = false;
    try {
      const proof = await begun.proof;
      inDoubt = !proof.opened && proof.failed > 0;
      return proof;
    } finally {
      begun.untilMs = inDoubt ? this.#deps.clock.nowMs() + DOUBT_KEPT_MS : 0;
    }
  }

  async #openSamples(masterKeyVersion: number): Promise<SealedProof> {
    let failed = 0;
    let unanswered = 0;
    for await (const projectId of this.#everyProject()) {
      try {
        const proof = await this.env.PROJECT.getByName(projectId).proveMasterKey(masterKeyVersion);
        failed += proof.failed;
        unanswered += proof.unanswered;
        if (proof.opened) return { opened: true, failed, unanswered };
      } catch (error) {
        this.#deps.log("directory.prove_failed", { project: projectId, masterKeyVersion, error: String(error) });
        unanswered += 1;
      }
      if (failed >= MAX_FAILURES) break;
    }
    return { opened: false, failed, unanswered };
  }

  async *#everyProject(): AsyncGenerator<string> {
    let cursor: string | null = null;
    do {
      const page: Page<string> = await this.projects({ limit: PROJECTS_PER_PAGE, cursor });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  #reportWrong(wrong: readonly SecretVersion[]): void {
    const nowMs = this.#deps.clock.nowMs();
    const news = wrong.filter(
      ({ secret, version }) =>
        this.ctx.storage.sql
          .exec(
            `INSERT INTO secret_mismatch (secret, version, told_at_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE
             SET told_at_ms = excluded.told_at_ms WHERE told_at_ms <= ? RETURNING 1`,
            secret,
            version,
            nowMs,
            nowMs - TOLD_EVERY_MS,
          )
          .toArray().length > 0,
    );
    for (const secret of news) this.#deps.log("security.service_secret_mismatch", { ...secret });
    for (const data of news) void this.raiseForEveryProject({ type: "security.service_secret_mismatch", data });
  }

  async raiseForEveryProject(event: ServiceEvent): Promise<void> {
    this.ctx.waitUntil(this.#raiseForEveryProject(event));
  }

  async #raiseForEveryProject(event: ServiceEvent): Promise<void> {
    for await (const projectId of this.#everyProject())
      await this.env.PROJECT.getByName(projectId)
        .raiseForService(event)
        .catch((error: unknown) =>
          this.#deps.log("project.raise_failed", { project: projectId, error: String(error) }),
        );
  }

  masterKeyUsage(page: PageRequest): Promise<Page<MasterKeyUsage>> {
    return this.#masterKeyUsage(page, null);
  }

  startReseal(page: PageRequest, entry: AuditEntry): Promise<Page<MasterKeyUsage>> {
    return this.#masterKeyUsage(page, entry);
  }

  /** @param reseal audit row of a re-seal to start first; null: only count. */
  async #masterKeyUsage(page: PageRequest, reseal: AuditEntry | null): Promise<Page<MasterKeyUsage>> {
    const { items: ids, nextCursor } = await this.projects(page);
    const usages = await Promise.all(
      ids.map(async (id) => {
        const project = this.env.PROJECT.getByName(id);
        if (reseal !== null) await project.startReseal(reseal);
        return project.masterKeyUsage();
      }),
    );
    return { items: usages.flat(), nextCursor };
  }
}

function versionOf({ secret, version }: SecretCheck): SecretVersion {
  return { secret, version };
}
