import type { AuditHead } from "../audit/chain.ts";
import type { AuditFilter } from "../audit/filter.ts";
import type { SecretCheck, SecretsVerdict } from "../crypto/key-check.ts";
import type { DashboardLink } from "../directory/dashboard-entries.ts";
import type { NewerSchema } from "../directory/newer-state.ts";
import type { NodeView, UncheckedNode } from "../directory/node-health.ts";
import type { Notice, Unready } from "../directory/readiness.ts";
import type { ServiceReport } from "../directory/service-report.ts";
import type { ServiceEvent } from "../observe/events.ts";
import type { FilteredPage, FilteredRequest, Page, PageRequest } from "../paging.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import type {
  CreatedOperatorToken,
  NewOperatorToken,
  Operator,
  OperatorCredential,
  OperatorToken,
  RefusedRepeat,
} from "./operator.ts";
import type { AuditEntry, AuditRow } from "./project.ts";

/** There is one, of this name. */
export const DIRECTORY_NAME = "directory";

/** The `Directory` object, as its callers see it. */
export interface DirectoryObject {
  /**
   * Lists the classes of objects whose schema a newer build has raised. Such objects refuse to start. This shows it
   * before one of them is called.
   */
  newerSchemas(): Promise<readonly NewerSchema[]>;

  /**
   * Returns true if storage accepts a write. Writes an existing row unchanged.
   *
   * @throws if it does not, and the runtime has noticed first.
   */
  canStore(): Promise<boolean>;

  /** Lists a project. A repeat changes nothing. */
  add(projectId: string): Promise<void>;

  /** Ids in the order of creation. */
  projects(page: PageRequest): Promise<Page<string>>;

  /**
   * Compares secrets with those of their first use, and records a first use. A master key without a record that has
   * sealed something must open it. If one master key is wrong, nothing is recorded. The other secrets are recorded
   * once every master key is. A wrong master key may come with other wrong secrets.
   *
   * @param checks check values with all master keys of the caller.
   * @returns the wrong ones, of which every project gets an event once a day, and those without a record.
   */
  compareSecrets(checks: readonly SecretCheck[]): Promise<SecretsVerdict>;

  /** Returns the check value of every secret that was used. */
  secretChecks(): Promise<readonly SecretCheck[]>;

  /** Starts to raise an event in every project. It continues after the call. */
  raiseForEveryProject(event: ServiceEvent): Promise<void>;

  /**
   * Counts the sealed objects of a page of projects, by master key version. The directory calls the projects, because a
   * platform may bound the calls of one request.
   */
  masterKeyUsage(page: PageRequest): Promise<Page<MasterKeyUsage>>;

  /**
   * Makes a page of projects re-seal everything under the current master key. A repeat is harmless.
   *
   * @param entry audit row of each project that has something to re-seal.
   * @returns as `masterKeyUsage`, read after the start.
   */
  startReseal(page: PageRequest, entry: AuditEntry): Promise<Page<MasterKeyUsage>>;

  /** Stores a token for the admin API. A repeat with its id stores nothing. Null if there are too many already. */
  createOperatorToken(token: NewOperatorToken, entry: AuditEntry): Promise<CreatedOperatorToken | RefusedRepeat | null>;

  /** Tokens in the order of creation, those that have ended included. */
  operatorTokens(page: PageRequest): Promise<Page<OperatorToken>>;

  /** Deletes a token, which is refused from the next call on. Null if no token has this id. */
  deleteOperatorToken(id: string, entry: AuditEntry): Promise<OperatorToken | null>;

  /** Returns the holder of a token, by the SHA-256 of its secret. Null if it is not there, or has ended. */
  operatorOf(id: string, secretHash: Uint8Array): Promise<Operator | null>;

  /** Stores a link that logs its visitor in to the dashboard once. */
  putDashboardLink(link: DashboardLink): Promise<void>;

  /** Consumes a link. Null if no link has this code, or if it has ended. */
  takeDashboardLink(codeHash: string): Promise<OperatorCredential | null>;

  /** Ends a session of the dashboard before its time. */
  endDashboardSession(sessionId: string, expiresAtMs: number): Promise<void>;

  /** Returns whether a session of the dashboard was logged out. */
  hasDashboardSessionEnded(sessionId: string): Promise<boolean>;

  /** Stores the result of a round over every project and fund, and starts a check of every configured endpoint. */
  takeReport(report: ServiceReport): Promise<void>;

  /**
   * Returns the reasons why the service cannot work. Empty if none is known. Checks the endpoints, unless that was done
   * within seconds. If they hang, answers from the last checks.
   */
  readiness(): Promise<readonly Unready[]>;

  /** Returns notices about the nodes for an operator, while the service works. Starts no check. */
  notices(): Promise<readonly Notice[]>;

  /** Lists every configured endpoint with what its checks have shown. Checks them as `readiness` does. */
  nodes(): Promise<readonly (NodeView | UncheckedNode)[]>;

  /** Lists the changes that belong to no project, newest first. */
  audit(page: FilteredRequest<AuditFilter>): Promise<FilteredPage<AuditRow>>;

  /** Returns the newest row. Null without a row. */
  auditHead(): Promise<AuditHead | null>;
}
