import { type Deps, serviceSecrets } from "../bindings/deps.ts";
import { concatBytes, lengthPrefixed } from "../bytes.ts";
import type { VersionedSecrets } from "../config/secrets.ts";
import { masterKeyVersionOf, notOpened, openBytes, type SealContext, sealBytes } from "../crypto/sealing.ts";
import { type EventSubscriptions, parseTypes } from "../durable/subscriptions.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { SECRET_BYTES } from "../webhooks/sign.ts";
import type { ProjectSealed } from "./sealed.ts";
import type { DisabledCause, NewWebhook, WebhookPatch, WebhookView } from "./views.ts";

/** Of one project. */
export const MAX_WEBHOOKS = 20;
/** A secret that was replaced signs for so long beside the new one. */
export const PREVIOUS_SECRET_MS = 86_400_000;
/** Domain of the sealed secrets; part of the stored format. */
const SECRET_LABEL = "webhook-secret";

export const PROJECT_WEBHOOKS_MIGRATION = `
  CREATE TABLE webhook (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    disabled_cause TEXT,
    sealed_secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_until_ms INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE listeners_version (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL
  ) STRICT;
`;

type Row = Record<string, SqlStorageValue> & {
  seq: number;
  id: string;
  url: string;
  events: string;
  disabled_cause: string | null;
  previous_until_ms: number;
  failures: number;
  dropped: number;
  created_at_ms: number;
};

interface Secrets {
  readonly current: Uint8Array;
  /** Null: none that still signs. */
  readonly previous: Uint8Array | null;
}

const VIEW_COLUMNS = "seq, id, url, events, disabled_cause, previous_until_ms, failures, dropped, created_at_ms";

/**
 * The endpoints of a project, and their secrets, sealed under the master key: each has a row among the project's sealed
 * things, written in the commit that stores what is sealed.
 */
export class ProjectWebhooks {
  readonly #sql: SqlStorage;
  readonly #sealed: ProjectSealed;
  readonly #deps: Deps;

  constructor(sql: SqlStorage, sealed: ProjectSealed, deps: Deps) {
    this.#sql = sql;
    this.#sealed = sealed;
    this.#deps = deps;
  }

  /** A new secret, and the same sealed for this endpoint. */
  async makeSecret(projectId: string, id: string): Promise<{ secret: Uint8Array; sealed: Uint8Array }> {
    const secret = new Uint8Array(this.#deps.randomBytes(SECRET_BYTES));
    const sealed = await sealBytes(secret, this.#masterKeys(), contextOf(projectId, id), this.#deps.randomBytes);
    return { secret, sealed };
  }

  /** Within a commit. A repeat of the same id changes nothing; `full` at the limit. */
  insert({ id, url, events }: NewWebhook, sealed: Uint8Array, nowMs: number): "made" | "known" | "full" {
    if (this.view(id) !== null) return "known";
    if (this.#count() >= MAX_WEBHOOKS) return "full";
    this.#sql.exec(
      "INSERT INTO webhook (id, url, events, sealed_secret, created_at_ms) VALUES (?, ?, ?, ?, ?)",
      id,
      url,
      events.join(" "),
      sealed,
      nowMs,
    );
    this.#sealed.recordSealing({ kind: "webhook", name: id }, masterKeyVersionOf(sealed));
    this.#raiseSubscriptionVersion();
    return "made";
  }

  /** Null: no such webhook. */
  view(id: string): WebhookView | null {
    const [row] = this.#sql.exec<Row>(`SELECT ${VIEW_COLUMNS} FROM webhook WHERE id = ?`, id).toArray();
    return row === undefined ? null : this.#viewOf(row);
  }

  /** In the order of their creation. */
  list({ limit, cursor }: PageRequest): Page<WebhookView> {
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${VIEW_COLUMNS} FROM webhook WHERE seq > ? ORDER BY seq LIMIT ?`,
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => this.#viewOf(row));
  }

  /** Those that are sent to. */
  enabled(): readonly WebhookView[] {
    return this.#sql
      .exec<Row>(`SELECT ${VIEW_COLUMNS} FROM webhook WHERE disabled_cause IS NULL ORDER BY seq`)
      .toArray()
      .map((row) => this.#viewOf(row));
  }

  /** Within a commit. */
  update(id: string, { url, events, enabled }: WebhookPatch): void {
    if (url !== undefined) this.#sql.exec("UPDATE webhook SET url = ?, failures = 0 WHERE id = ?", url, id);
    if (events !== undefined) this.#sql.exec("UPDATE webhook SET events = ? WHERE id = ?", events.join(" "), id);
    if (enabled === true) this.#sql.exec("UPDATE webhook SET disabled_cause = NULL, failures = 0 WHERE id = ?", id);
    if (enabled === false) this.disable(id, "operator");
    this.#raiseSubscriptionVersion();
  }

  /** Within a commit. One that is disabled already keeps its cause. */
  disable(id: string, cause: DisabledCause): void {
    this.#sql.exec("UPDATE webhook SET disabled_cause = ? WHERE id = ? AND disabled_cause IS NULL", cause, id);
    this.#raiseSubscriptionVersion();
  }

  /** Within a commit. */
  remove(id: string): void {
    this.#sql.exec("DELETE FROM webhook WHERE id = ?", id);
    this.#sealed.forget(id);
    this.#raiseSubscriptionVersion();
  }

  /** Within a commit: the secret so far signs for a day more, and one that it had replaced does not any longer. */
  replaceSecret(id: string, sealed: Uint8Array, nowMs: number): void {
    this.#sql.exec(
      `UPDATE webhook SET previous_secret = sealed_secret, previous_until_ms = ?, sealed_secret = ? WHERE id = ?`,
      nowMs + PREVIOUS_SECRET_MS,
      sealed,
      id,
    );
    this.#sealed.recordSealing({ kind: "webhook", name: id }, masterKeyVersionOf(sealed));
  }

  /** Within a commit: an attempt has ended. */
  countFailure(id: string, failed: boolean): void {
    if (failed) this.#sql.exec("UPDATE webhook SET failures = failures + 1 WHERE id = ?", id);
    else this.#sql.exec("UPDATE webhook SET failures = 0 WHERE id = ? AND failures > 0", id);
  }

  /** Within a commit. */
  countDropped(id: string, events: number): void {
    this.#sql.exec("UPDATE webhook SET dropped = dropped + ? WHERE id = ?", events, id);
  }

  /**
   * What signs a message, the current secret first.
   *
   * @throws UnopenableSealError where the master key version is not configured.
   */
  async secrets(projectId: string, id: string): Promise<readonly Uint8Array[]> {
    const stored = this.#secrets(id);
    if (stored === null) return [];
    const { current, previous } = stored;
    const sealed = previous === null ? [current] : [current, previous];
    const context = contextOf(projectId, id);
    return Promise.all(sealed.map((one) => openBytes(one, this.#masterKeys(), context)));
  }

  /** Whether an endpoint's secret opens. Null: it is gone, or its secret is under another master key version. */
  async opensUnder(projectId: string, id: string, masterKeyVersion: number): Promise<boolean | null> {
    const current = this.#secrets(id)?.current ?? null;
    if (current === null || masterKeyVersionOf(current) !== masterKeyVersion) return null;
    return openBytes(current, this.#masterKeys(), contextOf(projectId, id)).then(() => true, notOpened);
  }

  /**
   * Seals an endpoint's secrets under the current master key, both in one commit. A repeat changes nothing.
   *
   * @returns the master key version that they are under from now on, also of an endpoint that is gone. Throws where one
   * does not open; then they are as they were.
   */
  async reseal(projectId: string, id: string): Promise<number> {
    const masterKeys = this.#masterKeys();
    const stored = this.#secrets(id);
    if (stored === null) return masterKeys.current;
    const context = contextOf(projectId, id);
    const anew = async (sealed: Uint8Array) => {
      if (masterKeyVersionOf(sealed) === masterKeys.current) return sealed;
      const secret = await openBytes(sealed, masterKeys, context);
      return sealBytes(secret, masterKeys, context, this.#deps.randomBytes);
    };
    const current = await anew(stored.current);
    const previous = stored.previous === null ? null : await anew(stored.previous);
    // Not over what a rotation has stored meanwhile: then this is tried again.
    const written = this.#sql
      .exec(
        "UPDATE webhook SET sealed_secret = ?, previous_secret = ? WHERE id = ? AND sealed_secret = ? RETURNING 1",
        current,
        previous,
        id,
        stored.current,
      )
      .toArray();
    if (written.length === 0 && this.view(id) !== null) throw new Error("the secret was replaced meanwhile");
    return masterKeys.current;
  }

  /** What funds have to know: which events any endpoint that is enabled wants. */
  subscriptions(): EventSubscriptions {
    const types = new Set(this.enabled().flatMap(({ events }) => events));
    const [row] = this.#sql.exec<{ version: number }>("SELECT version FROM listeners_version").toArray();
    return { version: row?.version ?? 0, types: [...types] };
  }

  #raiseSubscriptionVersion(): void {
    this.#sql.exec(
      `INSERT INTO listeners_version (only_row, version) VALUES (1, 1)
       ON CONFLICT (only_row) DO UPDATE SET version = version + 1`,
    );
  }

  #secrets(id: string): Secrets | null {
    const [row] = this.#sql
      .exec<{ sealed_secret: ArrayBuffer; previous_secret: ArrayBuffer | null; previous_until_ms: number }>(
        "SELECT sealed_secret, previous_secret, previous_until_ms FROM webhook WHERE id = ?",
        id,
      )
      .toArray();
    if (row === undefined) return null;
    const signs = row.previous_until_ms > this.#deps.clock.nowMs();
    return {
      current: new Uint8Array(row.sealed_secret),
      previous: row.previous_secret !== null && signs ? new Uint8Array(row.previous_secret) : null,
    };
  }

  #viewOf(row: Row): WebhookView {
    return {
      id: row.id,
      url: row.url,
      events: parseTypes(row.events),
      disabledCause: row.disabled_cause === null ? null : row.disabled_cause === "gone" ? "gone" : "operator",
      failures: row.failures,
      dropped: row.dropped,
      previousSecretUntilMs: row.previous_until_ms > this.#deps.clock.nowMs() ? row.previous_until_ms : null,
      createdAtMs: row.created_at_ms,
    };
  }

  #count(): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM webhook").one().count;
  }

  #masterKeys(): VersionedSecrets {
    return serviceSecrets(this.#deps).masterKeys;
  }
}

/** A sealed secret that is put under another endpoint, or another project, does not open. */
function contextOf(projectId: string, id: string): SealContext {
  return { label: SECRET_LABEL, boundTo: concatBytes(lengthPrefixed(projectId), lengthPrefixed(id)) };
}
