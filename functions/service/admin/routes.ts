import { fundOperations } from "./fund-operations.ts";
import { fundRoutes } from "./funds.ts";
import { keyRoutes } from "./keys.ts";
import { masterKeyRoutes } from "./master-key.ts";
import { projectRoutes } from "./projects.ts";
import type { Route } from "./route.ts";
import { unusableRoute } from "./unusable.ts";
import { webhookRoutes } from "./webhooks.ts";

/** All of the admin API. The app and the OpenAPI document are both made from it. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...fundRoutes,
  unusableRoute,
  ...fundOperations,
  ...keyRoutes,
  ...webhookRoutes,
  ...masterKeyRoutes,
];
