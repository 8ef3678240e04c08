import { auditPages } from "./audit/handler.tsx";
import { fundPages } from "./fund/handler.tsx";
import { nodePages } from "./nodes/handler.tsx";
import { overviewPages } from "./overview/handler.tsx";
import { settingsPages } from "./settings/handler.tsx";
import { startPages } from "./start/handler.tsx";
import { tokenPages } from "./tokens/handler.tsx";
import type { DashboardPage } from "./visit.ts";

/** All pages of the dashboard, in the order in which a path is looked up. */
export const pages: readonly DashboardPage[] = [
  ...overviewPages,
  ...startPages,
  ...fundPages,
  ...nodePages,
  ...auditPages,
  ...tokenPages,
  ...settingsPages,
];
