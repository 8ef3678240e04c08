import type { AccessKey } from "../access/object.ts";
import type { Directory } from "../directory/object.ts";
import type { Fund } from "../fund/object.ts";
import type { Project } from "../project/object.ts";
import type { Wallet } from "../wallet/object.ts";
import type { Session } from "../wallet/session/object.ts";
import type { WebhookInbox } from "../webhooks/inbox/object.ts";
import type { WorkflowUser } from "../workflow/user/object.ts";

/** The platform's own entry points, which no caller of ours uses. */
type PlatformMethods = "fetch" | "connect" | "alarm" | "webSocketMessage" | "webSocketClose" | "webSocketError";

/**
 * An object as its callers see it: each method, awaited. Narrower than the platform's stub type, which loses
 * discriminated unions and `unknown` on the way; what crosses the call is plain data all the same.
 */
export type ObjectStub<ObjectClass> = {
  readonly [Method in Exclude<keyof ObjectClass, PlatformMethods>]: ObjectClass[Method] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export interface ObjectNamespace<ObjectClass> {
  getByName(name: string): ObjectStub<ObjectClass>;
}

/** The bindings of wrangler.toml. Variables and secrets are read by `parseConfig` only. */
export interface Env {
  readonly DIRECTORY: ObjectNamespace<Directory>;
  readonly PROJECT: ObjectNamespace<Project>;
  readonly ACCESS_KEY: ObjectNamespace<AccessKey>;
  readonly FUND: ObjectNamespace<Fund>;
  readonly WALLET: ObjectNamespace<Wallet>;
  readonly SESSION: ObjectNamespace<Session>;
  readonly WEBHOOK_INBOX: ObjectNamespace<WebhookInbox>;
  readonly WORKFLOW_USER: ObjectNamespace<WorkflowUser>;
  /** Not bound where the bundle runs without Cloudflare. */
  readonly KV?: KVNamespace;
  /** Where webhooks go out, if they have a way of their own: self-hosted, a network without private addresses. */
  readonly WEBHOOK_NETWORK?: Fetcher;
}
