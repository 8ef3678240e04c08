import { auditPages } from "./audit/handler.tsx";
import { explainPages } from "./explain/handler.tsx";
import { fundPages } from "./fund/handler.tsx";
import { keyPages } from "./keys/handler.tsx";
import { nodePages } from "./nodes/handler.tsx";
import { overviewPages } from "./overview/handler.tsx";
import { rowPages } from "./rows/handler.tsx";
import { settingsPages } from "./settings/handler.tsx";
import { startPages } from "./start/handler.tsx";
import { tokenPages } from "./tokens/handler.tsx";
import type { DashboardPage } from "./visit.ts";
import { walletPages } from "./wallets/handler.tsx";
import { webhookPages } from "./webhooks/handler.tsx";

/** All pages of the dashboard, in the order in which a path is looked up. */
export const pages: readonly DashboardPage[] = [
  ...overviewPages,
  ...startPages,
  ...fundPages,
  ...rowPages,
  ...keyPages,
  ...explainPages,
  ...walletPages,
  ...webhookPages,
  ...nodePages,
  ...auditPages,
  ...tokenPages,
  ...settingsPages,
];
