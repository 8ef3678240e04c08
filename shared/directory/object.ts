import { DurableObject } from "cloudflare:workers";
import type { AuditFilter } from "../audit/filter.ts";
import { AuditLog } from "../audit/log.ts";
import { createDeps, type Deps } from "../bindings/deps.ts";
import type { DirectoryObject } from "../bindings/directory.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { NewOperatorToken } from "../bindings/operator.ts";
import type { AuditEntry } from "../bindings/project.ts";
import type { SecretCheck, SecretsVerdict } from "../crypto/key-check.ts";
import { migrate } from "../durable/migrations.ts";
import type { ServiceEvent } from "../observe/events.ts";
import { type FilteredRequest, type Page, type PageRequest, pageOf } from "../paging.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import { inTime } from "../timing.ts";
import { DashboardEntries, type DashboardLink } from "./dashboard-entries.ts";
import { MasterKeyProofs } from "./master-key-proofs.ts";
import type { NewerSchema } from "./newer-state.ts";
import { NewestSchemas } from "./newest-schemas.ts";
import { NodeChecks } from "./node-checks.ts";
import type { NodeView, UncheckedNode } from "./node-health.ts";
import { OperatorTokens } from "./operator-tokens.ts";
import { raiseInProjects } from "./raise-in-projects.ts";
import { type Notice, noticesBy, type Unready, unreadyBy } from "./readiness.ts";
import { RoundAlarm } from "./round-alarm.ts";
import { migrations } from "./schema.ts";
import { SecretChecks } from "./secret-checks.ts";
import { type ServiceReport, ServiceReports } from "./service-report.ts";
import { StorageTrial } from "./storage-trial.ts";

const PROJECTS_PER_PAGE = 40;
/** The longest wait of a question for a check of the endpoints. The check continues. */
const CHECK_AWAITED_MS = 5_000;

/**
 * Keeps the list of projects, the tokens of operators, the check values of the secrets, and the newest schema of each
 * class of objects. Keeps the results of checks of the nodes and of every project, too. A project is listed after it
 * exists. So a crash in between leaves an unlisted project, never a listed one that does not exist.
 */
export class Directory extends DurableObject<Env> implements ObjectMethods<DirectoryObject> {
  readonly #deps: Deps;
  readonly #checks: SecretChecks;
  readonly #proofs: MasterKeyProofs;
  readonly #tokens: OperatorTokens;
  readonly #reports: ServiceReports;
  readonly #rounds: RoundAlarm;
  readonly #nodes: NodeChecks;
  readonly #audit: AuditLog;
  readonly #dashboard: DashboardEntries;
  readonly #schemas: NewestSchemas;
  readonly #trial: StorageTrial;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#checks = new SecretChecks(ctx.storage.sql, this.#deps);
    this.#proofs = new MasterKeyProofs(env, this.#deps, () => this.#everyProject());
    this.#audit = new AuditLog(ctx.storage.sql, this.#deps);
    this.#dashboard = new DashboardEntries(ctx.storage.sql, this.#deps);
    this.#tokens = new OperatorTokens(ctx.storage.sql, this.#deps);
    this.#reports = new ServiceReports(ctx.storage.sql);
    this.#rounds = new RoundAlarm(ctx.storage, env, this.#deps);
    this.#nodes = new NodeChecks(
      ctx.storage.sql,
      this.#deps,
      () => this.#reports.networksInUse(),
      (event) => this.#raiseForEveryProject(event),
    );
    this.#schemas = new NewestSchemas(ctx.storage.sql);
    this.#schemas.record();
    this.#trial = new StorageTrial(ctx, this.#deps);
  }

  async newerSchemas(): Promise<readonly NewerSchema[]> {
    return this.#schemas.newer();
  }

  canStore(): Promise<boolean> {
    return this.#trial.run();
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
    this.#rounds.rearm();
    const verdict = await this.#checks.compare(checks, (version) => this.#proofs.prove(version));
    for (const data of this.#checks.takeUnreported(verdict.wrong))
      void this.raiseForEveryProject({ type: "security.service_secret_mismatch", data });
    return verdict;
  }

  async createOperatorToken(token: NewOperatorToken, entry: AuditEntry) {
    const repeated = this.#tokens.repeated(token);
    if (repeated !== null) return repeated;
    // A deleted token leaves no row. The log keeps its creation for ever.
    if (this.#audit.has(entry.action, token.id)) return "deleted";
    return this.#audited(entry, () => this.#tokens.create(token));
  }

  async operatorTokens(page: PageRequest) {
    return this.#tokens.list(page);
  }

  async deleteOperatorToken(id: string, entry: AuditEntry) {
    return this.#audited(entry, () => this.#tokens.delete(id));
  }

  /** Makes a change and its audit row in one commit. Null changes nothing, and makes no row. */
  #audited<T>(entry: AuditEntry, change: () => T | null): T | null {
    return this.ctx.storage.transactionSync(() => {
      const changed = change();
      if (changed !== null) this.#audit.append(entry);
      return changed;
    });
  }

  async audit(page: FilteredRequest<AuditFilter>) {
    return this.#audit.list(page);
  }

  async auditHead() {
    return this.#audit.head();
  }

  async operatorOf(id: string, secretHash: Uint8Array) {
    return this.#tokens.holder(id, secretHash);
  }

  async putDashboardLink(link: DashboardLink) {
    this.#dashboard.putLink(link);
  }

  async takeDashboardLink(codeHash: string) {
    return this.#dashboard.takeLink(codeHash);
  }

  async endDashboardSession(sessionId: string, expiresAtMs: number) {
    this.#dashboard.endSession(sessionId, expiresAtMs);
  }

  async hasDashboardSessionEnded(sessionId: string) {
    return this.#dashboard.hasEnded(sessionId);
  }

  async secretChecks(): Promise<readonly SecretCheck[]> {
    return this.#checks.list();
  }

  async *#everyProject(): AsyncGenerator<string> {
    let cursor: string | null = null;
    do {
      const page: Page<string> = await this.projects({ limit: PROJECTS_PER_PAGE, cursor });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  async raiseForEveryProject(event: ServiceEvent): Promise<void> {
    this.ctx.waitUntil(this.#raiseForEveryProject(event));
  }

  #raiseForEveryProject(event: ServiceEvent): Promise<void> {
    return raiseInProjects(this.#everyProject(), this.#deps, (projectId) =>
      this.env.PROJECT.getByName(projectId).raiseForService(event),
    );
  }

  masterKeyUsage(page: PageRequest): Promise<Page<MasterKeyUsage>> {
    return this.#masterKeyUsage(page, null);
  }

  startReseal(page: PageRequest, entry: AuditEntry): Promise<Page<MasterKeyUsage>> {
    return this.#masterKeyUsage(page, entry);
  }

  /** @param reseal audit row of a re-seal to start first. Null to count only. */
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

  async takeReport(report: ServiceReport): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      this.#reports.put(report, this.#deps.clock.nowMs());
      this.#rounds.putOff();
    });
    void this.#startCheck();
  }

  override async alarm(): Promise<void> {
    await this.#rounds.run();
  }

  async readiness(): Promise<readonly Unready[]> {
    await this.#checkNodes();
    const rounds = { last: this.#reports.last(), lateMs: this.#rounds.lateMs() };
    return unreadyBy(this.#nodes.list(), rounds, this.#deps.clock.nowMs());
  }

  async notices(): Promise<readonly Notice[]> {
    return noticesBy(this.#nodes.list());
  }

  async nodes(): Promise<readonly (NodeView | UncheckedNode)[]> {
    await this.#checkNodes();
    return this.#nodes.list();
  }

  async #checkNodes(): Promise<void> {
    this.#rounds.rearm();
    await inTime(CHECK_AWAITED_MS, this.#startCheck());
  }

  /** Starts a check of the nodes, and the report that follows it. Resolves with the check. */
  #startCheck(): Promise<void> {
    const check = this.#nodes.check();
    this.ctx.waitUntil(check.then(() => this.#nodes.report()));
    return check;
  }
}
