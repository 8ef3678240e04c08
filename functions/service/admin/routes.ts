import { coinsRoute } from "./funds/coins.ts";
import { forceCloseRoutes } from "./funds/force-close.ts";
import { fundListRoutes } from "./funds/lists.ts";
import { fundOperations } from "./funds/operations.ts";
import { recoveryRoutes } from "./funds/recovery.ts";
import { refusalRoutes } from "./funds/refusals.ts";
import { fundRoutes } from "./funds/routes.ts";
import { spendRoute } from "./funds/spend.ts";
import { sumRoutes } from "./funds/sums.ts";
import { unusableRoute } from "./funds/unusable.ts";
import { keyRoutes } from "./keys/routes.ts";
import { masterKeyRoutes } from "./master-key.ts";
import { metricsRoute } from "./metrics/route.ts";
import { nodesRoute } from "./nodes.ts";
import { tokenRoutes } from "./operators/routes.ts";
import { auditRoutes } from "./projects/audit.ts";
import { projectRoutes } from "./projects/routes.ts";
import { transferRoutes } from "./projects/transfer.ts";
import type { Route } from "./route/route.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** All routes of the admin API. The app and the OpenAPI document are both made from them. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...auditRoutes,
  ...transferRoutes,
  ...fundRoutes,
  ...fundListRoutes,
  ...sumRoutes,
  coinsRoute,
  unusableRoute,
  spendRoute,
  ...refusalRoutes,
  ...transactionRoutes,
  ...fundOperations,
  ...recoveryRoutes,
  ...forceCloseRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...masterKeyRoutes,
  ...tokenRoutes,
  nodesRoute,
  metricsRoute,
];
