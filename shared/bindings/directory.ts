import type { SecretCheck, SecretsVerdict } from "../crypto/key-check.ts";
import type { NewerSchema } from "../directory/newer-state.ts";
import type { ServiceEvent } from "../observe/events.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import type { AuditEntry } from "./project.ts";

/** There is one, of this name. */
export const DIRECTORY_NAME = "directory";

/** The `Directory` object, as its callers see it. */
export interface DirectoryObject {
  /**
   * Which objects a newer build may have brought to a schema that this one does not know. They refuse to start by
   * themselves; this tells it before one of them is asked.
   */
  newerSchemas(): Promise<readonly NewerSchema[]>;

  /**
   * Tells whether storage takes what is written. A row is written as it is, so that nothing changes.
   *
   * @throws where it does not, and the runtime has found that out by itself.
   */
  canStore(): Promise<boolean>;

  add(projectId: string): Promise<void>;

  /** Ids in the order of creation. */
  projects(page: PageRequest): Promise<Page<string>>;

  /**
   * Compares secrets with those of their first use, which is written down then. Of a master key that is not written down
   * yet, but has sealed something, what it has sealed must open. Where one is wrong, nothing is written down. The other
   * secrets are, once every master key is: whoever brings a wrong one may bring wrong others too.
   *
   * @param checks with all master keys of the caller.
   * @returns those that are others, of which every project hears once a day, and those that are not written down.
   */
  compareSecrets(checks: readonly SecretCheck[]): Promise<SecretsVerdict>;

  /** Of every secret that has been used. */
  secretChecks(): Promise<readonly SecretCheck[]>;

  /** An event that concerns every project. It goes on after the call. */
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
}
