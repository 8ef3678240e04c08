import type { RouteName } from "./answers.ts";
import { DASHBOARD, pathTo } from "./paths.ts";

/** A part of the dashboard, in the order of the navigation. A role that may not read it does not see it. */
export interface Section {
  readonly label: string;
  readonly path: string;
  /** Further places of its pages. */
  readonly others?: readonly string[];
  readonly needs: readonly RouteName[];
}

/** The parts of the dashboard. */
export const sections: readonly Section[] = [
  { label: "Overview", path: DASHBOARD, needs: ["GET /projects"] },
  { label: "Funds", path: pathTo("funds"), others: [pathTo("start")], needs: ["GET /projects/:id/funds"] },
  { label: "Keys", path: pathTo("keys"), others: [pathTo("new-key")], needs: ["GET /projects/:id/keys"] },
  { label: "Explain", path: pathTo("explain"), needs: ["GET /transactions/:id"] },
  { label: "Wallets", path: pathTo("wallets"), needs: ["GET /projects/:id/wallets"] },
  {
    label: "Webhooks",
    path: pathTo("webhooks"),
    others: [pathTo("new-webhook"), pathTo("projects")],
    needs: ["GET /projects/:id/webhooks"],
  },
  { label: "Nodes", path: pathTo("nodes"), needs: ["GET /nodes"] },
  { label: "Audit", path: pathTo("audit"), needs: ["GET /audit"] },
  { label: "Tokens", path: pathTo("tokens"), needs: ["GET /tokens"] },
  { label: "Settings", path: pathTo("settings"), needs: ["GET /projects"] },
];
