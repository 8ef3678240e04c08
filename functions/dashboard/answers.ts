import type * as z from "zod";
import type { coinSchema } from "../service/admin/funds/coins.ts";
import type { withdrawalSchema } from "../service/admin/funds/operations.ts";
import type { recoverySchema } from "../service/admin/funds/recovery.ts";
import type { refusalCountSchema, refusedCallSchema } from "../service/admin/funds/refusals.ts";
import type {
  fundSchema,
  ledgerRowSchema,
  reconciliationSchema,
  revokedSchema,
  sponsorshipSchema,
} from "../service/admin/funds/schema.ts";
import type { spendResultSchema } from "../service/admin/funds/spend.ts";
import type { unusableSchema } from "../service/admin/funds/unusable.ts";
import type { masterKeySchema } from "../service/admin/master-key.ts";
import type { nodeSchema } from "../service/admin/nodes.ts";
import type { tokenSchema } from "../service/admin/operators/routes.ts";
import type { auditRowSchema, headSchema } from "../service/admin/projects/audit.ts";
import type { ListPage } from "../service/admin/route/list.ts";
import type { keySchema, projectSchema, walletSchema } from "../service/admin/schemas.ts";
import type { Explained } from "../service/admin/transactions/routes.ts";
import type { deliverySchema, webhookSchema } from "../service/admin/webhooks/schema.ts";

type Shown<Schema extends z.ZodType> = z.input<Schema>;
type Listed<Schema extends z.ZodType> = ListPage<z.input<Schema>>;

/** A fund, as the admin API shows it. */
export type Fund = Shown<typeof fundSchema>;
/** A project, as the admin API shows it. */
export type Project = Shown<typeof projectSchema>;
/** An access key, as the admin API shows it. */
export type Key = Shown<typeof keySchema>;
/** A webhook, as the admin API shows it. */
export type Webhook = Shown<typeof webhookSchema>;
/** A node, as the admin API shows it. */
export type Node = Shown<typeof nodeSchema>;
/** An operator's token, as the admin API shows it. */
export type Token = Shown<typeof tokenSchema>;
/** A sponsorship, as the admin API shows it. */
export type Sponsorship = Shown<typeof sponsorshipSchema>;
/** A row of the ledger, as the admin API shows it. */
export type LedgerRow = Shown<typeof ledgerRowSchema>;
/** A coin, as the admin API shows it. */
export type Coin = Shown<typeof coinSchema>;
/** Equal things at a fund's address that it cannot use, as the admin API shows them. */
export type Unusable = Shown<typeof unusableSchema>;
/** The answer about spending, as the admin API shows it. */
export type Spend = Shown<typeof spendResultSchema>;
/** A counter of refused calls, as the admin API shows it. */
export type RefusalCount = Shown<typeof refusalCountSchema>;
/** A row of an audit log, as the admin API shows it. */
export type AuditRow = Shown<typeof auditRowSchema>;
/** The state of the secrets, as the admin API shows it. */
export type MasterKey = Shown<typeof masterKeySchema>;

/** The answers of the routes that the dashboard calls, by the route's name in the table of permissions. */
export interface Answers {
  "GET /projects": Listed<typeof projectSchema>;
  "POST /projects": Project;
  "GET /projects/:id": Project;
  "PATCH /projects/:id": Project;
  "GET /projects/:id/wallets": Listed<typeof walletSchema>;
  "GET /projects/:id/audit": Listed<typeof auditRowSchema>;
  "GET /projects/:id/audit/head": Shown<typeof headSchema>;
  "POST /projects/:id/revoke-sessions": { readonly keys: number };
  "POST /projects/:id/funds": Fund;
  "GET /projects/:id/funds": Listed<typeof fundSchema>;
  "GET /funds/:id": Fund;
  "PATCH /funds/:id": Fund;
  "GET /funds/:id/sponsorships": Listed<typeof sponsorshipSchema>;
  "GET /funds/:id/ledger": Listed<typeof ledgerRowSchema>;
  "GET /funds/:id/spend": Spend;
  "GET /funds/:id/refusals": Listed<typeof refusedCallSchema>;
  "GET /funds/:id/refusal-counts": Listed<typeof refusalCountSchema>;
  "GET /funds/:id/coins": Listed<typeof coinSchema>;
  "GET /funds/:id/unusable": Listed<typeof unusableSchema>;
  "POST /funds/:id/refresh": Fund;
  "POST /funds/:id/reconcile": Shown<typeof reconciliationSchema>;
  "POST /funds/:id/deposit-address": Fund;
  "POST /funds/:id/revoke": Shown<typeof revokedSchema>;
  "POST /funds/:id/recover": Shown<typeof recoverySchema>;
  "POST /funds/:id/force-close": { readonly digest: string; readonly state: string };
  "POST /funds/:id/drop-coin": { readonly objectId: string; readonly amount: string };
  "POST /funds/:id/withdraw": Shown<typeof withdrawalSchema>;
  "POST /projects/:id/keys": Key & { readonly key: string | null };
  "GET /projects/:id/keys": Listed<typeof keySchema>;
  "GET /keys/:id": Key;
  "PATCH /keys/:id": Key;
  "POST /keys/:id/revoke": Shown<typeof revokedSchema>;
  "POST /projects/:id/webhooks": Webhook & { readonly secret: string | null };
  "GET /projects/:id/webhooks": Listed<typeof webhookSchema>;
  "GET /projects/:id/webhooks/:partId": Webhook;
  "PATCH /projects/:id/webhooks/:partId": Webhook;
  "DELETE /projects/:id/webhooks/:partId": Webhook;
  "POST /projects/:id/webhooks/:partId/rotate-secret": { readonly secret: string };
  "GET /projects/:id/webhooks/:partId/deliveries": Listed<typeof deliverySchema>;
  "POST /projects/:id/webhooks/:partId/resend": Shown<typeof deliverySchema>;
  "GET /nodes": Listed<typeof nodeSchema>;
  "GET /transactions/:id": Explained;
  "GET /transactions": Explained;
  "GET /master-key": MasterKey;
  "POST /master-key/rewrap": MasterKey;
  "GET /audit": Listed<typeof auditRowSchema>;
  "GET /audit/head": Shown<typeof headSchema>;
  "GET /tokens": Listed<typeof tokenSchema>;
  "POST /tokens": Token & { readonly token: string | null };
  "DELETE /tokens/:id": Token;
}

/** The name of a route that the dashboard calls. */
export type RouteName = keyof Answers;
