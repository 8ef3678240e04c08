import { AuditLog } from "../audit/log.ts";
import { createDeps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { DueTable } from "../durable/due-table.ts";
import { Transfer } from "../durable/transfer/state.ts";
import { WebhookSender } from "../webhooks/deliver.ts";
import { ProjectCommits } from "./commits.ts";
import { ProjectDeliveries } from "./deliveries.ts";
import { type ProjectParts, RETRY_MS } from "./parts.ts";
import { PRUNE_INTERVAL_MS } from "./pruning.ts";
import { ProjectResources } from "./resources.ts";
import { ProjectSealed } from "./sealed.ts";
import { ProjectSettings } from "./settings.ts";
import { ProjectStorage } from "./storage.ts";
import { FundSubscriptions } from "./subscriptions.ts";
import { ProjectTransfer } from "./transfer/members.ts";
import { PENDING_MS, ProjectWallets } from "./wallets.ts";
import { WebhookChanges } from "./webhook-changes.ts";
import { WebhookSecrets } from "./webhook-secrets.ts";
import { ProjectWebhooks } from "./webhooks.ts";

/** Everything that one project's object owns, one part for each thing. */
export interface AssembledProject extends ProjectParts {
  readonly commits: ProjectCommits;
  readonly settings: ProjectSettings;
  readonly budget: ProjectStorage;
  readonly audit: AuditLog;
  readonly resources: ProjectResources;
  readonly sealed: ProjectSealed;
  readonly wallets: ProjectWallets;
  readonly secrets: WebhookSecrets;
  readonly webhooks: ProjectWebhooks;
  readonly changes: WebhookChanges;
  readonly subscriptions: FundSubscriptions;
  readonly deliveries: ProjectDeliveries;
  readonly sender: WebhookSender;
  readonly moving: ProjectTransfer;
}

/** Makes the parts of an object whose storage has its newest schema. Reads nothing yet. */
export function assembleProject(ctx: DurableObjectState, env: Env): AssembledProject {
  const { storage } = ctx;
  const { sql } = storage;
  const deps = createDeps(env);
  const due = new DueTable(storage, (atMs) => deps.clock.alarmAtMs(atMs), {
    announce: RETRY_MS,
    prune: PRUNE_INTERVAL_MS,
    wallet: PENDING_MS,
  });
  const parts: ProjectParts = { env, deps, storage, sql, due, transfer: new Transfer(storage) };
  const commits = new ProjectCommits(parts, (reason) => ctx.abort(reason));
  const settings = new ProjectSettings(parts);
  const budget = new ProjectStorage(parts);
  const audit = new AuditLog(sql, deps);
  const resources = new ProjectResources(parts);
  const sealed: ProjectSealed = new ProjectSealed(sql, due, env, deps, async (id) => {
    await requireRightKeys(env, deps);
    return secrets.reseal(settings.existing().projectId, id);
  });
  const secrets: WebhookSecrets = new WebhookSecrets(sql, sealed, deps);
  const webhooks = new ProjectWebhooks(sql, secrets, deps);
  const subscriptions = new FundSubscriptions(parts, webhooks);
  const deliveries = new ProjectDeliveries({ ...parts, webhooks, audit, budget });
  const wallets = new ProjectWallets({ ...parts, sealed, budget, raise: (event) => deliveries.raise(event) });
  const moving = new ProjectTransfer({ ...parts, settings, audit, resources });
  const changes = new WebhookChanges({ ...parts, webhooks, secrets, deliveries, subscriptions, audit });
  const sender = new WebhookSender({
    ...parts,
    webhooks,
    secrets,
    deliveries,
    projectId: () => settings.existing().projectId,
    disableGone: (webhookId, eventId) => changes.disableGone(webhookId, eventId),
    waitUntil: (work) => ctx.waitUntil(work),
  });
  return {
    ...parts,
    commits,
    settings,
    budget,
    audit,
    resources,
    sealed,
    wallets,
    secrets,
    webhooks,
    changes,
    subscriptions,
    deliveries,
    sender,
    moving,
  };
}
