import type { AccessKeyObject } from "./access-key.ts";
import type { DirectoryObject } from "./directory.ts";
import type { FundObject } from "./fund.ts";
import type { FundArchiveObject } from "./fund-archive.ts";
import type { ProjectObject } from "./project.ts";
import type { SessionObject } from "./session.ts";
import type { WalletObject } from "./wallet.ts";
import type { WebhookInboxObject } from "./webhook-inbox.ts";
import type { WorkflowUserObject } from "./workflow-user.ts";

/**
 * The methods of an object's class. They may return at once the values that callers await. Interfaces are written by
 * hand, because the platform's stub type loses discriminated unions and `unknown`.
 */
export type ObjectMethods<Interface> = {
  readonly [Method in keyof Interface]: Interface[Method] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result | Promise<Result>
    : never;
};

/** The namespace of a class of objects. It makes a stub from a name. */
export interface ObjectNamespace<Interface> {
  getByName(name: string): Interface;
}

/** The bindings of wrangler.toml. Variables and secrets are read by `parseConfig` only. */
export interface Env {
  readonly DIRECTORY: ObjectNamespace<DirectoryObject>;
  readonly PROJECT: ObjectNamespace<ProjectObject>;
  readonly ACCESS_KEY: ObjectNamespace<AccessKeyObject>;
  readonly FUND: ObjectNamespace<FundObject>;
  readonly FUND_ARCHIVE: ObjectNamespace<FundArchiveObject>;
  readonly WALLET: ObjectNamespace<WalletObject>;
  readonly SESSION: ObjectNamespace<SessionObject>;
  readonly WEBHOOK_INBOX: ObjectNamespace<WebhookInboxObject>;
  readonly WORKFLOW_USER: ObjectNamespace<WorkflowUserObject>;
  /** Absent if the bundle runs without Cloudflare. */
  readonly KV?: KVNamespace;
  /** The route of webhooks, if they have their own: self-hosted, a network without private addresses. */
  readonly WEBHOOK_NETWORK?: Fetcher;
  /** The files of the example's page. The commands bind them if the example is on; a deployment has none. */
  readonly EXAMPLE_PAGE?: Fetcher;
}
