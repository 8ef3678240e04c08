import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { createDeps, type Deps } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type {
  AnnouncedEpoch,
  AuditEntry,
  AuditRow,
  NewProject,
  ProjectObject,
  ProjectPatch,
  ProjectResource,
  ProjectView,
  ResourceKind,
} from "../bindings/project.ts";
import type { WalletView } from "../bindings/wallet.ts";
import type { SealedProof } from "../crypto/key-check.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import { composeEvent } from "../durable/outbox.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { type Network, networkSchema } from "../networks.ts";
import type { HandOver, RaisedEvent, ServiceEvent } from "../observe/events.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { type ProjectDerivation, secretDerivations } from "../wallet/derivation.ts";
import { WebhookSender } from "../webhooks/deliver.ts";
import { secretText } from "../webhooks/sign.ts";
import {
  DELIVERIES_WAITING_MIGRATION,
  PROJECT_DELIVERIES_MIGRATION,
  PRUNE_INTERVAL_MS,
  ProjectDeliveries,
} from "./deliveries.ts";
import type { MasterKeyUsage } from "./master-key-usage.ts";
import { PROJECT_SEALED_MIGRATION, ProjectSealed } from "./sealed.ts";
import type {
  AdmissionTerms,
  DeliveryView,
  NewWebhook,
  SealedObject,
  WalletEntry,
  WalletRow,
  WebhookPatch,
  WebhookView,
} from "./views.ts";
import {
  MISSING_TOLD_MIGRATION,
  PENDING_MS,
  PROJECT_WALLETS_MIGRATION,
  ProjectWallets,
  QUOTA_TOLD_MIGRATION,
  WALLET_CLAIM_MIGRATION,
} from "./wallets.ts";
import { PROJECT_WEBHOOKS_MIGRATION, ProjectWebhooks } from "./webhooks.ts";

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
  `CREATE TABLE creation (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL
  ) STRICT`,
  PROJECT_WALLETS_MIGRATION + PROJECT_SEALED_MIGRATION + DUE_TABLE_MIGRATION,
  WALLET_CLAIM_MIGRATION,
  PROJECT_WEBHOOKS_MIGRATION + PROJECT_DELIVERIES_MIGRATION + QUOTA_TOLD_MIGRATION,
  `${MISSING_TOLD_MIGRATION};${DELIVERIES_WAITING_MIGRATION}`,
];

const rowSchema = z.object({
  project_id: z.string(),
  name: z.string(),
  secret_derivation: z.enum(secretDerivations),
  wallets_per_month: z.number().nullable(),
  export_enabled: z.number(),
  session_epoch: z.number(),
  created_at_ms: z.number(),
});

/** Of the 1,000 calls that one request may make on Workers. */
const KEYS_PER_ANNOUNCEMENT = 100;
/** Funds that one alarm, or one request, tells which events are wanted. */
const FUNDS_PER_ANNOUNCEMENT = 40;
/** Of a part of the alarm's work that failed. */
const RETRY_MS = 15_000;

/**
 * One project: its settings, which funds and keys belong to it, and the log of every change an operator makes. Funds
 * and keys are added after their own objects exist: a crash in between leaves an object that nobody was told of, never
 * a listed one that does not exist.
 */
export class Project extends DurableObject<Env> implements ObjectMethods<ProjectObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #sealed: ProjectSealed;
  readonly #wallets: ProjectWallets;
  readonly #webhooks: ProjectWebhooks;
  readonly #deliveries: ProjectDeliveries;
  readonly #sender: WebhookSender;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), {
      announce: RETRY_MS,
      prune: PRUNE_INTERVAL_MS,
      wallet: PENDING_MS,
    });
    const { sql } = ctx.storage;
    this.#sealed = new ProjectSealed(sql, this.#due, env, this.#deps, (id) => this.#resealWebhook(id));
    this.#webhooks = new ProjectWebhooks(sql, this.#sealed, this.#deps);
    const parts = { storage: ctx.storage, sql, due: this.#due, webhooks: this.#webhooks, deps: this.#deps };
    this.#deliveries = new ProjectDeliveries({
      ...parts,
      audit: (action, target, detail) => this.#append({ action, target, detailJson: JSON.stringify(detail) }),
    });
    this.#sender = new WebhookSender({
      ...parts,
      deliveries: this.#deliveries,
      projectId: () => this.#existing().projectId,
      disableGone: (webhookId, eventId) => this.#disableGone(webhookId, eventId),
      waitUntil: (work) => ctx.waitUntil(work),
    });
    this.#wallets = new ProjectWallets(sql, this.#due, this.#sealed, env, (event) => this.#raise(event));
    this.#due.rearm();
  }

  async claimCreation(id: string, fingerprint: string): Promise<boolean> {
    this.ctx.storage.sql.exec(
      "INSERT INTO creation (id, fingerprint) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
      id,
      fingerprint,
    );
    const row = this.ctx.storage.sql
      .exec<{ fingerprint: string }>("SELECT fingerprint FROM creation WHERE id = ?", id)
      .one();
    return row.fingerprint === fingerprint;
  }

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

  async view(): Promise<ProjectView | null> {
    return this.#view();
  }

  async update(patch: ProjectPatch, entry: AuditEntry): Promise<ProjectView | null> {
    const current = this.#view();
    if (current === null) return null;
    const { name, walletsPerMonth, exportEnabled } = { ...current, ...patch };
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec(
        "UPDATE project SET name = ?, wallets_per_month = ?, export_enabled = ?",
        name,
        walletsPerMonth,
        Number(exportEnabled),
      );
      this.#append(entry);
    });
    return this.#existing();
  }

  async addResource(member: ProjectResource, entry: AuditEntry): Promise<{ readonly sessionEpoch: number }> {
    const { sessionEpoch } = this.#existing();
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
      if (added.length > 0 && member.kind === "fund" && this.#webhooks.subscriptions().types.length > 0)
        this.#due.set("announce", member.id, this.#deps.clock.nowMs());
    });
    // Before its address is known, and so before anything can happen in it.
    if (member.kind === "fund") await this.#announce();
    return { sessionEpoch };
  }

  async fundNetwork(fundId: string): Promise<Network | null> {
    const [row] = this.ctx.storage.sql
      .exec("SELECT network FROM member WHERE kind = 'fund' AND id = ?", fundId)
      .toArray();
    return row === undefined ? null : networkSchema.parse(row.network);
  }

  async resources(kind: ResourceKind, { limit, cursor }: PageRequest): Promise<Page<string> | null> {
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

  async derivationTerms(): Promise<ProjectDerivation | null> {
    const view = this.#view();
    if (view === null) return null;
    const { salt } = this.ctx.storage.sql.exec<{ salt: ArrayBuffer }>("SELECT salt FROM project").one();
    return { derivation: view.secretDerivation, salt: new Uint8Array(salt) };
  }

  async exportSalt(): Promise<Outcome<Uint8Array>> {
    const { exportEnabled } = this.#existing();
    const terms = await this.derivationTerms();
    return exportEnabled && terms !== null ? done(terms.salt) : exportDisabled();
  }

  async recordExport(entry: AuditEntry): Promise<Outcome<null>> {
    if (!this.#existing().exportEnabled) return exportDisabled();
    this.#append(entry);
    return done(null);
  }

  async admitWallet(entry: WalletEntry, terms: Omit<AdmissionTerms, "perMonth">): Promise<Outcome<null>> {
    const { walletsPerMonth: perMonth } = this.#existing();
    return this.ctx.storage.transactionSync(() =>
      this.#wallets.admit(entry, { ...terms, perMonth }, this.#deps.clock.nowMs()),
    );
  }

  async confirmWallet(view: WalletView): Promise<Outcome<null>> {
    return this.ctx.storage.transactionSync(() => this.#wallets.confirm(view, this.#deps.clock.nowMs()));
  }

  async missesWallet(name: string): Promise<boolean> {
    return this.ctx.storage.transactionSync(() => this.#wallets.misses(name, this.#deps.clock.nowMs()));
  }

  async recordSealing(object: SealedObject, masterKeyVersion: number): Promise<void> {
    this.#sealed.recordSealing(object, masterKeyVersion);
  }

  async masterKeyUsage(): Promise<readonly MasterKeyUsage[]> {
    return this.#sealed.countByVersion();
  }

  async proveMasterKey(masterKeyVersion: number): Promise<SealedProof> {
    const { projectId } = this.#existing();
    return this.#sealed.prove(masterKeyVersion, (id) => this.#webhooks.opensUnder(projectId, id, masterKeyVersion));
  }

  async raiseForService(event: ServiceEvent): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#raise(event));
  }

  async startReseal(entry: AuditEntry): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      if (this.#sealed.startReseal(this.#deps.clock.nowMs())) this.#append(entry);
    });
  }

  async wallets(page: PageRequest): Promise<Page<WalletRow> | null> {
    return this.#view() === null ? null : this.#wallets.list(page);
  }

  async raiseSessionEpoch(entry: AuditEntry): Promise<boolean> {
    if (this.#view() === null) return false;
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec("UPDATE project SET session_epoch = session_epoch + 1");
      this.#append(entry);
    });
    return true;
  }

  async announceSessionEpoch(cursor: string | null): Promise<AnnouncedEpoch> {
    const { sessionEpoch } = this.#existing();
    const page = await this.resources("key", { limit: KEYS_PER_ANNOUNCEMENT, cursor });
    const told = await Promise.allSettled(
      (page?.items ?? []).map((id) => this.env.ACCESS_KEY.getByName(id).acknowledgeSessionEpoch(sessionEpoch)),
    );
    const unreachable = told.filter(({ status }) => status === "rejected").length;
    return { keys: told.length, unreachable: unreachable, nextCursor: page?.nextCursor ?? null };
  }

  async createWebhook(
    webhook: NewWebhook,
    entry: AuditEntry,
  ): Promise<{ readonly view: WebhookView; readonly secret: string | null } | "full" | null> {
    const { id } = webhook;
    const project = this.#view();
    if (project === null) return null;
    await requireRightKeys(this.env, this.#deps);
    const { secret, sealed } = await this.#webhooks.makeSecret(project.projectId, id);
    const made = this.ctx.storage.transactionSync(() => {
      const inserted = this.#webhooks.insert(webhook, sealed, this.#deps.clock.nowMs());
      if (inserted !== "made") return inserted;
      this.#append(entry);
      this.#announceToAll();
      return inserted;
    });
    if (made === "full") return "full";
    await this.#announce();
    const view = this.#webhooks.view(id);
    if (view === null) throw new Error("the webhook was deleted while it was made");
    return { view, secret: made === "made" ? secretText(secret) : null };
  }

  async webhooks(page: PageRequest): Promise<Page<WebhookView> | null> {
    return this.#view() === null ? null : this.#webhooks.list(page);
  }

  async webhook(id: string): Promise<WebhookView | null> {
    return this.#webhooks.view(id);
  }

  async updateWebhook(id: string, patch: WebhookPatch, entry: AuditEntry): Promise<WebhookView | null> {
    if (this.#webhooks.view(id) === null) return null;
    this.ctx.storage.transactionSync(() => {
      this.#webhooks.update(id, patch);
      this.#append(entry);
      this.#announceToAll();
      this.#due.set("deliver", "", this.#deps.clock.nowMs(), "by_then");
    });
    await this.#announce();
    return this.#webhooks.view(id);
  }

  async deleteWebhook(id: string, entry: AuditEntry): Promise<WebhookView | null> {
    const view = this.#webhooks.view(id);
    if (view === null) return null;
    this.ctx.storage.transactionSync(() => {
      this.#webhooks.remove(id);
      this.#deliveries.forget(id);
      this.#append(entry);
      this.#announceToAll();
    });
    await this.#announce();
    return view;
  }

  async rotateWebhookSecret(id: string, entry: AuditEntry): Promise<string | null> {
    if (this.#webhooks.view(id) === null) return null;
    await requireRightKeys(this.env, this.#deps);
    const { secret, sealed } = await this.#webhooks.makeSecret(this.#existing().projectId, id);
    return this.ctx.storage.transactionSync(() => {
      if (this.#webhooks.view(id) === null) return null;
      this.#webhooks.replaceSecret(id, sealed, this.#deps.clock.nowMs());
      this.#append(entry);
      return secretText(secret);
    });
  }

  async deliveries(webhookId: string, page: PageRequest): Promise<Page<DeliveryView> | null> {
    return this.#webhooks.view(webhookId) === null ? null : this.#deliveries.list(webhookId, page);
  }

  async resendDelivery(webhookId: string, eventId: string, entry: AuditEntry): Promise<DeliveryView | null> {
    return this.ctx.storage.transactionSync(() => {
      const resent = this.#deliveries.resend(webhookId, eventId, this.#deps.clock.nowMs());
      if (resent !== null) this.#append(entry);
      return resent;
    });
  }

  async takeEvents({ source, events, dropped }: HandOver): Promise<void> {
    // Nobody can have asked for events of a project that was never created.
    if (this.#view() === null) return;
    this.ctx.storage.transactionSync(() => this.#deliveries.take(source, events, dropped, this.#deps.clock.nowMs()));
  }

  /** An event of the project's own, in the commit of its fact. */
  #raise(event: RaisedEvent): void {
    if (!this.#webhooks.subscriptions().types.includes(event.type)) return;
    const nowMs = this.#deps.clock.nowMs();
    this.#deliveries.add([composeEvent(event, nowMs, this.#deps.randomBytes)], nowMs);
  }

  async #resealWebhook(id: string): Promise<number> {
    await requireRightKeys(this.env, this.#deps);
    return this.#webhooks.reseal(this.#existing().projectId, id);
  }

  /** Within a commit. */
  #disableGone(webhookId: string, eventId: string): void {
    this.#webhooks.disable(webhookId, "gone");
    this.#append({
      action: "webhook.disabled",
      target: webhookId,
      detailJson: JSON.stringify({ status: 410, eventId }),
    });
    this.#announceToAll();
  }

  /** Within a commit: every fund has to hear which events are wanted from now on. */
  #announceToAll(): void {
    this.ctx.storage.sql.exec(
      `INSERT INTO due (kind, reference, at_ms) SELECT 'announce', id, ? FROM member WHERE kind = 'fund'
       ON CONFLICT (kind, reference) DO UPDATE SET at_ms = excluded.at_ms`,
      this.#deps.clock.nowMs(),
    );
    this.#due.rearm();
  }

  /** Tells funds that have not heard yet. One that does not answer is told later, by the alarm. */
  async #announce(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const due = this.#due.listDue("announce", nowMs, FUNDS_PER_ANNOUNCEMENT);
    if (due.length === 0) return;
    const listeners = this.#webhooks.subscriptions();
    await Promise.all(
      due.map(async ({ reference: fundId }) => {
        try {
          await this.env.FUND.getByName(fundId).setSubscribedEvents(listeners);
          const isNews = this.#webhooks.subscriptions().version === listeners.version;
          this.#due.set("announce", fundId, isNews ? null : this.#deps.clock.nowMs());
        } catch (error) {
          this.#deps.log("project.announce_failed", { fund: fundId, error: String(error) });
          this.#due.set("announce", fundId, this.#deps.clock.nowMs() + RETRY_MS);
        }
      }),
    );
  }

  override async alarm(): Promise<void> {
    this.#due.beginAlarm();
    try {
      await this.#guarded("deliver", () => this.#sender.runDue());
      await this.#guarded("announce", () => this.#announce());
      await this.#guarded("prune", (nowMs) => this.#deliveries.prune(nowMs));
      await this.#guarded("wallet", (nowMs) => this.#wallets.resolvePending(nowMs));
      await this.#guarded("reseal", (nowMs) => this.#sealed.runDue(nowMs));
    } finally {
      this.#due.endAlarm(this.#deps.clock.nowMs());
    }
  }

  /** A part that fails is logged and tried again; it never stops the others. */
  async #guarded(
    kind: "deliver" | "announce" | "prune" | "wallet" | "reseal",
    work: (nowMs: number) => void | Promise<void>,
  ): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    try {
      await work(nowMs);
    } catch (error) {
      this.#deps.log("project.alarm_failed", { project: this.ctx.id.name ?? null, kind, error: String(error) });
      this.#due.postpone(kind, nowMs, nowMs + RETRY_MS);
    }
  }

  async record(entry: AuditEntry): Promise<void> {
    this.#existing();
    this.#append(entry);
  }

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
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
    const [row] = this.ctx.storage.sql.exec("SELECT * FROM project").toArray();
    if (row === undefined) return null;
    const { project_id, secret_derivation, wallets_per_month, created_at_ms, name, ...rest } = rowSchema.parse(row);
    return {
      projectId: project_id,
      name,
      secretDerivation: secret_derivation,
      walletsPerMonth: wallets_per_month,
      exportEnabled: rest.export_enabled !== 0,
      sessionEpoch: rest.session_epoch,
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

function exportDisabled() {
  return refuse("export_disabled", "the operator has not switched exports on for this project");
}
