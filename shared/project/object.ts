import type { AuditFilter } from "../audit/filter.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type {
  AuditEntry,
  NewProject,
  ProjectObject,
  ProjectPatch,
  ProjectResource,
  ProjectView,
  ResourceKind,
} from "../bindings/project.ts";
import type { WalletView } from "../bindings/wallet.ts";
import { migrate } from "../durable/migrations.ts";
import type { HandOver, ServiceEvent } from "../observe/events.ts";
import type { FilteredRequest, PageRequest } from "../paging.ts";
import { runAlarm } from "./alarm.ts";
import { type AssembledProject, assembleProject } from "./assemble.ts";
import { addResource, createProject, requireSameProject } from "./creation.ts";
import { claimCreation } from "./creation-claims.ts";
import type { DeliveryFilter, WalletFilter } from "./filters.ts";
import { projectMetrics } from "./metrics.ts";
import { RefusingProject } from "./refusing-object.ts";
import { migrations } from "./schema.ts";
import { announceSessionEpoch } from "./session-epoch.ts";
import type { ProjectTransfer } from "./transfer/members.ts";
import type { AdmissionTerms, NewWebhook, SealedObject, WalletEntry, WebhookPatch } from "./views.ts";

/**
 * The Durable Object of one project: settings, funds and keys, wallets, webhooks and their deliveries, and the audit
 * log. Funds and keys are added after their own objects exist. So a crash in between leaves an unlisted object, never
 * a listed one that does not exist.
 */
export class Project extends RefusingProject implements ObjectMethods<ProjectObject> {
  readonly #parts: AssembledProject;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, migrations);
    this.#parts = assembleProject(ctx, env);
    if (this.#parts.transfer.isOpen) this.#parts.due.rearm();
  }

  async claimCreation(id: string, fingerprint: string) {
    return claimCreation(this.#parts.sql, id, fingerprint);
  }

  async create(project: NewProject, entry: AuditEntry) {
    const existing = this.#view();
    if (existing === null) this.#commit(() => createProject(this.#parts, project, entry));
    else requireSameProject(existing, project);
    return this.#existing();
  }

  async view() {
    return this.#view();
  }

  async update(patch: ProjectPatch, entry: AuditEntry) {
    const current = this.#view();
    if (current === null) return null;
    this.#commit(() => {
      this.#parts.settings.update(current, patch);
      this.#parts.audit.append(entry);
    });
    return this.#existing();
  }

  async addResource(resource: ProjectResource, entry: AuditEntry): Promise<{ readonly sessionEpoch: number }> {
    const { sessionEpoch } = this.#existing();
    this.#commit(() => addResource(this.#parts, resource, entry));
    // The fund gets its subscriptions before its address is known, and so before its first event.
    if (resource.kind === "fund") await this.#parts.subscriptions.publish();
    return { sessionEpoch };
  }

  async fundNetwork(fundId: string) {
    return this.#parts.resources.fundNetwork(fundId);
  }

  async resources(kind: ResourceKind, page: PageRequest) {
    return this.#view() === null ? null : this.#parts.resources.list(kind, page);
  }

  async derivationTerms() {
    this.#rearm();
    return this.#parts.settings.derivation();
  }

  async exportSalt() {
    this.#rearm();
    return this.#parts.settings.exportSalt();
  }

  async recordExport(entry: AuditEntry) {
    return this.#commit(() => {
      const allowed = this.#parts.settings.checkExport();
      if (allowed.ok) this.#parts.audit.append(entry);
      return allowed;
    });
  }

  async admitWallet(entry: WalletEntry, terms: Omit<AdmissionTerms, "perMonth">) {
    this.#rearm();
    const { commits, settings, wallets } = this.#parts;
    return commits.together((nowMs) => wallets.admit(entry, { ...terms, perMonth: settings.walletsPerMonth() }, nowMs));
  }

  async confirmWallet(view: WalletView) {
    const listed = await this.#parts.commits.together((nowMs) => this.#parts.wallets.confirm(view, nowMs));
    // The wallet calls again after a fault. A refusal ends its calls.
    if (!listed.ok && listed.error.reason !== "corrupt_record") throw new Error(listed.error.details);
    return listed;
  }

  async missesWallet(name: string) {
    return this.#commit((nowMs) => this.#parts.wallets.misses(name, nowMs));
  }

  async recordSealing(object: SealedObject, masterKeyVersion: number) {
    this.#commit(() => this.#parts.sealed.recordSealing(object, masterKeyVersion));
  }

  async masterKeyUsage() {
    return this.#parts.sealed.countByVersion();
  }

  async proveMasterKey(masterKeyVersion: number) {
    const { projectId } = this.#existing();
    return this.#parts.sealed.prove(masterKeyVersion, (id) =>
      this.#parts.secrets.opensUnder(projectId, id, masterKeyVersion),
    );
  }

  async metrics() {
    return this.#view() === null ? null : projectMetrics(this.#parts);
  }

  async raiseForService(event: ServiceEvent) {
    this.#commit(() => this.#parts.deliveries.raise(event));
  }

  async startReseal(entry: AuditEntry) {
    // A closed project keeps its keys, and must not stop the re-seal of others.
    if (!this.#parts.transfer.isOpen) return;
    this.#commit((nowMs) => {
      if (this.#parts.sealed.startReseal(nowMs)) this.#parts.audit.append(entry);
    });
  }

  async wallets(page: FilteredRequest<WalletFilter>) {
    return this.#view() === null ? null : this.#parts.wallets.list(page);
  }

  async raiseSessionEpoch(entry: AuditEntry) {
    if (this.#view() === null) return false;
    this.#commit(() => {
      this.#parts.settings.raiseSessionEpoch();
      this.#parts.audit.append(entry);
    });
    return true;
  }

  async announceSessionEpoch(cursor: string | null) {
    const { sessionEpoch } = this.#existing();
    return announceSessionEpoch(this.#parts, this.#parts.resources, sessionEpoch, cursor);
  }

  async createWebhook(webhook: NewWebhook, entry: AuditEntry) {
    const project = this.#viewOfOpen();
    return project === null ? null : this.#parts.changes.create(project.projectId, webhook, entry);
  }

  async webhooks(page: PageRequest) {
    return this.#view() === null ? null : this.#parts.webhooks.list(page);
  }

  async webhook(id: string) {
    return this.#parts.webhooks.view(id);
  }

  updateWebhook(id: string, patch: WebhookPatch, entry: AuditEntry) {
    this.#parts.transfer.requireOpen();
    return this.#parts.changes.update(id, patch, entry);
  }

  deleteWebhook(id: string, entry: AuditEntry) {
    this.#parts.transfer.requireOpen();
    return this.#parts.changes.delete(id, entry);
  }

  async rotateWebhookSecret(id: string, entry: AuditEntry, shownUntilMs?: number | null) {
    const project = this.#viewOfOpen();
    if (project === null || this.#parts.webhooks.view(id) === null) return null;
    return this.#parts.changes.rotateSecret(project.projectId, id, entry, shownUntilMs);
  }

  async deliveries(webhookId: string, page: FilteredRequest<DeliveryFilter>) {
    return this.#parts.webhooks.view(webhookId) === null ? null : this.#parts.deliveries.list(webhookId, page);
  }

  async resendDelivery(webhookId: string, eventId: string, entry: AuditEntry) {
    return this.#commit((nowMs) => this.#parts.deliveries.resend(webhookId, eventId, entry, nowMs));
  }

  async takeEvents({ source, events, dropped }: HandOver) {
    // A project that was never created has no webhooks.
    if (this.#view() === null) return;
    this.#commit((nowMs) => this.#parts.deliveries.take(source, events, dropped, nowMs));
  }

  async record(entry: AuditEntry) {
    this.#existing();
    this.#commit(() => this.#parts.audit.append(entry));
  }

  async audit(page: FilteredRequest<AuditFilter>) {
    return this.#view() === null ? null : this.#parts.audit.list(page);
  }

  async auditHead() {
    return this.#parts.audit.head();
  }

  projectTransfer(): ProjectTransfer {
    return this.#parts.moving;
  }

  override async alarm(): Promise<void> {
    if (this.#parts.transfer.isOpen) await runAlarm(this.#parts, this.ctx.id.name ?? null);
  }

  #commit<T>(change: (nowMs: number) => T): T {
    return this.#parts.commits.alone(change);
  }

  #view(): ProjectView | null {
    this.#rearm();
    return this.#parts.settings.view();
  }

  #viewOfOpen(): ProjectView | null {
    this.#parts.transfer.requireOpen();
    return this.#view();
  }

  #existing(): ProjectView {
    this.#rearm();
    return this.#parts.settings.existing();
  }

  #rearm(): void {
    if (this.#parts.transfer.isOpen) this.#parts.due.rearmIfOverdue(this.#parts.deps.clock.nowMs());
  }
}
