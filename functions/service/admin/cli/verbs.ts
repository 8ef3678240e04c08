import {
  closeCost,
  deleteTokenCost,
  deleteWebhookCost,
  disableKeyCost,
  dropCoinCost,
  forceCloseCost,
  pauseFundCost,
  recoverCost,
  reopenCost,
  revokeFundCost,
  revokeKeyCost,
  revokeSessionsCost,
  rewrapCost,
  rotateSecretCost,
  withdrawCost,
} from "./costs.ts";
import type { Danger } from "./danger.ts";
import { type Follow, followReconciliation, followRecovery, followRewrap } from "./follow.ts";
import {
  fundCreated,
  fundRevoked,
  keyCreated,
  keyRevoked,
  type Note,
  projectClosed,
  projectReopened,
  secretMade,
  sessionsRevoked,
  tokenCreated,
  tokenDeleted,
  webhookDeleted,
} from "./notes.ts";

/** The words of a route on the command line. */
export interface Verb {
  /** A noun and a verb, or one word. Two routes may share a name: one needs a word that the other lacks. */
  readonly name: string;
  /** The columns of its table, in their order. Absent for all fields of an item. */
  readonly columns?: readonly string[];
  /** The cost of the call, for the question before it. Absent if it is harmless. */
  readonly danger?: Danger;
  /** The sentence after its answer. Absent if the answer is enough. */
  readonly note?: Note;
  /** Follows its long work to the end. Absent if the answer is the end. */
  readonly follow?: Follow;
  /** True if a command of its own calls the route, with more than one call. */
  readonly hasOwnCommand?: true;
  /** True if a left-out project means all of them. Otherwise it means the only one. */
  readonly isOfAllProjects?: true;
}

/** A verb with a part of the body filled in. */
export interface Preset {
  readonly name: string;
  /** The route, as in `verbs`. */
  readonly route: string;
  readonly summary: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly danger?: Danger;
}

/** The verb of each route of the admin API. A route without a row is a failing test. */
export const verbs: Readonly<Record<string, Verb>> = {
  "GET /projects": { name: "project list", columns: ["id", "name", "walletsPerMonth", "createdAt"] },
  "POST /projects": { name: "project create" },
  "GET /projects/:id": { name: "project show" },
  "PATCH /projects/:id": { name: "project update" },
  "POST /projects/:id/revoke-sessions": {
    name: "project revoke-sessions",
    danger: revokeSessionsCost,
    note: sessionsRevoked,
  },
  "POST /projects/:id/transfer": { name: "project close", danger: closeCost, note: projectClosed },
  "GET /projects/:id/transfer": { name: "project transfer" },
  "DELETE /projects/:id/transfer": { name: "project reopen", danger: reopenCost, note: projectReopened },
  "GET /projects/:id/transfer/frames": { name: "project export", hasOwnCommand: true },
  "POST /projects/:id/transfer/frames": { name: "project import", hasOwnCommand: true },
  "GET /projects/:id/wallets": { name: "wallet list" },

  "POST /projects/:id/funds": { name: "fund create", note: fundCreated },
  "GET /projects/:id/funds": {
    name: "fund list",
    columns: ["id", "name", "network", "available", "pausedCause", "low", "runwayDays", "inFlight"],
    isOfAllProjects: true,
  },
  "GET /funds/:id": { name: "fund show" },
  "PATCH /funds/:id": { name: "fund update" },
  "GET /funds/:id/sponsorships": {
    name: "fund sponsorships",
    columns: ["createdAt", "outcome", "state", "digest", "charged", "sender", "keyId", "gasBudget", "fee"],
  },
  "GET /funds/:id/sponsorships/sum": { name: "fund sponsorships-sum" },
  "GET /funds/:id/ledger": {
    name: "fund ledger",
    columns: ["at", "kind", "reference", "keyId", "balance", "inFlight", "accruedFees"],
  },
  "GET /funds/:id/ledger/sum": { name: "fund ledger-sum" },
  "GET /funds/:id/spend": {
    name: "fund spend",
    columns: ["name", "sponsored", "executed", "failed", "abandoned", "spent", "charged", "maintenance", "fees"],
  },
  "GET /funds/:id/refusals": {
    name: "fund refusals",
    columns: ["at", "reason", "rule", "policy", "method", "keyId", "sender", "requestId", "details"],
  },
  "GET /funds/:id/refusals/sum": { name: "fund refusals-sum" },
  "GET /funds/:id/refusal-counts": { name: "fund refusal-counts" },
  "GET /funds/:id/refusal-counts/sum": { name: "fund refusal-counts-sum" },
  "GET /funds/:id/coins": { name: "fund coins", columns: ["objectId", "balance", "state", "tier", "heldBy"] },
  "GET /funds/:id/unusable": { name: "fund unusable" },
  "POST /funds/:id/refresh": { name: "fund refresh" },
  "POST /funds/:id/reconcile": { name: "fund reconcile", follow: followReconciliation },
  "POST /funds/:id/deposit-address": { name: "fund deposit-address" },
  "POST /funds/:id/revoke": { name: "fund revoke", danger: revokeFundCost, note: fundRevoked },
  "POST /funds/:id/recover": { name: "fund recover", danger: recoverCost, follow: followRecovery },
  "POST /funds/:id/force-close": { name: "fund force-close", danger: forceCloseCost },
  "POST /funds/:id/drop-coin": { name: "fund drop-coin", danger: dropCoinCost },
  "POST /funds/:id/withdraw": { name: "fund withdraw", danger: withdrawCost },

  "POST /projects/:id/keys": { name: "key create", note: keyCreated },
  "GET /projects/:id/keys": {
    name: "key list",
    columns: ["id", "name", "network", "status", "rights", "fundId", "createdAt"],
    isOfAllProjects: true,
  },
  "GET /keys/:id": { name: "key show" },
  "PATCH /keys/:id": { name: "key update" },
  "GET /keys/:id/refusal-counts": { name: "key refusal-counts" },
  "POST /keys/:id/revoke": { name: "key revoke", danger: revokeKeyCost, note: keyRevoked },

  "POST /projects/:id/webhooks": { name: "webhook create", note: secretMade },
  "GET /projects/:id/webhooks": {
    name: "webhook list",
    columns: ["id", "url", "enabled", "failures", "dropped", "disabledCause", "events"],
  },
  "GET /projects/:id/webhooks/:partId": { name: "webhook show" },
  "PATCH /projects/:id/webhooks/:partId": { name: "webhook update" },
  "DELETE /projects/:id/webhooks/:partId": { name: "webhook delete", danger: deleteWebhookCost, note: webhookDeleted },
  "POST /projects/:id/webhooks/:partId/rotate-secret": {
    name: "webhook rotate-secret",
    danger: rotateSecretCost,
    note: secretMade,
  },
  "GET /projects/:id/webhooks/:partId/deliveries": {
    name: "webhook deliveries",
    columns: ["createdAt", "type", "state", "attempts", "lastStatus", "lastError", "nextAttemptAt", "eventId"],
  },
  "POST /projects/:id/webhooks/:partId/resend": { name: "webhook resend" },

  "GET /nodes": {
    name: "node list",
    columns: ["network", "endpoint", "state", "inUse", "latencyMs", "lagMs", "failuresInARow", "checkedAt", "cause"],
  },
  "GET /metrics": { name: "metrics" },
  "GET /transactions/:id": { name: "transaction show" },
  "GET /transactions": { name: "transaction find" },

  "GET /master-key": { name: "master-key show" },
  "POST /master-key/rewrap": { name: "master-key rewrap", danger: rewrapCost, follow: followRewrap },

  "GET /projects/:id/audit": { name: "audit list", columns: ["seq", "at", "actor", "action", "target", "ip"] },
  "GET /audit": { name: "audit list", columns: ["seq", "at", "actor", "action", "target", "ip"] },
  "GET /projects/:id/audit/head": { name: "audit head" },
  "GET /audit/head": { name: "audit head" },

  "GET /tokens": { name: "token list", columns: ["id", "name", "role", "expiresAt", "createdAt"] },
  "POST /tokens": { name: "token create", note: tokenCreated },
  "DELETE /tokens/:id": { name: "token delete", danger: deleteTokenCost, note: tokenDeleted },
};

/** Short names of frequent changes. */
export const presets: readonly Preset[] = [
  {
    name: "fund pause",
    route: "PATCH /funds/:id",
    summary: "Pause a fund, from the next call",
    body: { paused: true },
    danger: pauseFundCost,
  },
  { name: "fund resume", route: "PATCH /funds/:id", summary: "Let a fund sponsor again", body: { paused: false } },
  {
    name: "key disable",
    route: "PATCH /keys/:id",
    summary: "Disable an access key, from the next call",
    body: { status: "disabled" },
    danger: disableKeyCost,
  },
  { name: "key enable", route: "PATCH /keys/:id", summary: "Enable an access key again", body: { status: "active" } },
  {
    name: "webhook disable",
    route: "PATCH /projects/:id/webhooks/:partId",
    summary: "Disable a webhook. Waiting events are sent once it is enabled; later ones are not",
    body: { enabled: false },
  },
  {
    name: "webhook enable",
    route: "PATCH /projects/:id/webhooks/:partId",
    summary: "Enable a webhook, and send its waiting events",
    body: { enabled: true },
  },
];
