import { accountRoutes } from "./accounts.ts";
import { encodeRoutes } from "./encode-submission.ts";
import { eventRoutes } from "./events.ts";
import { generalRoutes } from "./general.ts";
import type { Routes } from "./route.ts";
import { simulationRoutes } from "./simulate.ts";
import { transactionRoutes } from "./transactions.ts";
import { viewRoutes } from "./view.ts";

export const ROUTES: Routes = {
  ...generalRoutes,
  ...accountRoutes,
  ...eventRoutes,
  ...transactionRoutes,
  ...encodeRoutes,
  ...simulationRoutes,
  ...viewRoutes,
};

/** The indexer, which is not part of the REST API. */
export const GRAPHQL = "POST /graphql";

/** What can be counted and made to fail. */
export const APTOS_METHODS: ReadonlySet<string> = new Set([...Object.keys(ROUTES), GRAPHQL]);
