import { type OperatorRole, operatorRoles } from "../../../../shared/bindings/operator.ts";
import type { Route } from "../route/route.ts";

/**
 * The least role that may call each route. The viewer reads. The operator changes everything but keys, the secrets of
 * existing webhooks, exports and money that leaves. The owner may do all. A route without a row stops the service at its
 * start.
 */
export const leastRoles: Readonly<Record<string, OperatorRole>> = {
  "GET /projects": "viewer",
  "POST /projects": "operator",
  "GET /projects/:id": "viewer",
  "PATCH /projects/:id": "operator",
  "GET /projects/:id/wallets": "viewer",
  "GET /projects/:id/audit": "viewer",
  "GET /projects/:id/audit/head": "viewer",
  "POST /projects/:id/revoke-sessions": "operator",

  // A moved project takes its keys and its money along.
  "POST /projects/:id/transfer": "owner",
  "GET /projects/:id/transfer": "viewer",
  "DELETE /projects/:id/transfer": "owner",
  "GET /projects/:id/transfer/frames": "owner",
  "POST /projects/:id/transfer/frames": "owner",

  "POST /projects/:id/funds": "operator",
  "GET /projects/:id/funds": "viewer",
  "GET /funds/:id": "viewer",
  "PATCH /funds/:id": "operator",
  "GET /funds/:id/sponsorships": "viewer",
  "GET /funds/:id/sponsorships/sum": "viewer",
  "GET /funds/:id/ledger": "viewer",
  "GET /funds/:id/ledger/sum": "viewer",
  "GET /funds/:id/spend": "viewer",
  "GET /funds/:id/refusals": "viewer",
  "GET /funds/:id/refusals/sum": "viewer",
  "GET /funds/:id/refusal-counts": "viewer",
  "GET /funds/:id/refusal-counts/sum": "viewer",
  "GET /funds/:id/coins": "viewer",
  "GET /funds/:id/unusable": "viewer",
  "POST /funds/:id/refresh": "operator",
  "POST /funds/:id/reconcile": "operator",
  "POST /funds/:id/deposit-address": "operator",
  "POST /funds/:id/revoke": "operator",
  "POST /funds/:id/recover": "operator",
  "POST /funds/:id/force-close": "operator",
  "POST /funds/:id/drop-coin": "operator",
  "POST /funds/:id/withdraw": "owner",

  "POST /projects/:id/keys": "owner",
  "GET /projects/:id/keys": "viewer",
  "GET /keys/:id": "viewer",
  "GET /keys/:id/refusal-counts": "viewer",
  "PATCH /keys/:id": "owner",
  // The call only removes rights, and a leaked key cannot wait for the owner.
  "POST /keys/:id/revoke": "operator",

  // The answer shows a secret, which signs for the operator's own receiver alone.
  "POST /projects/:id/webhooks": "operator",
  "GET /projects/:id/webhooks": "viewer",
  "GET /projects/:id/webhooks/:partId": "viewer",
  // Another URL receives genuine events of this project, as a webhook of the operator's own does. It shows no secret.
  "PATCH /projects/:id/webhooks/:partId": "operator",
  "DELETE /projects/:id/webhooks/:partId": "operator",
  // The holder of this secret can send forged events to the receiver.
  "POST /projects/:id/webhooks/:partId/rotate-secret": "owner",
  "GET /projects/:id/webhooks/:partId/deliveries": "viewer",
  "POST /projects/:id/webhooks/:partId/resend": "operator",

  "GET /nodes": "viewer",
  "GET /metrics": "viewer",
  "GET /transactions/:id": "viewer",
  "GET /transactions": "viewer",

  "GET /master-key": "owner",
  "POST /master-key/rewrap": "owner",

  "GET /audit": "viewer",
  "GET /audit/head": "viewer",
  "GET /tokens": "owner",
  "POST /tokens": "owner",
  "DELETE /tokens/:id": "owner",
};

/** Fields of a body that only the owner may send, of routes that others may call. */
export const ownerFields: Readonly<Record<string, readonly string[]>> = {
  // An export hands out the keys of wallets.
  "PATCH /projects/:id": ["exportEnabled"],
  // The call ends the confirmation of single withdrawals.
  "POST /funds/:id/recover": ["withdrawals"],
};

/** A row of the table: the least role, and the fields for the owner alone. */
export interface Permission {
  readonly leastRole: OperatorRole;
  readonly ownerFields: readonly string[];
}

/** Returns the row of a route. @throws if it has none. */
export function permissionOf({ method, path }: Pick<Route, "method" | "path">): Permission {
  const name = `${method} ${path}`;
  const leastRole = leastRoles[name];
  if (leastRole === undefined) throw new Error(`${name} has no row in operators/permissions.ts: add one`);
  return { leastRole, ownerFields: ownerFields[name] ?? [] };
}

/** Returns whether a role may do what needs at least another one. */
export function reaches(role: OperatorRole, leastRole: OperatorRole): boolean {
  return operatorRoles.indexOf(role) <= operatorRoles.indexOf(leastRole);
}

/** Returns the fields of a body that this role may not send. */
export function fieldsBeyond(role: OperatorRole, permission: Permission, body: unknown): readonly string[] {
  if (role === "owner" || typeof body !== "object" || body === null) return [];
  return permission.ownerFields.filter((field) => Object.hasOwn(body, field));
}
