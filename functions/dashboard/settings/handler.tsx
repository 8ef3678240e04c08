import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, required } from "../visit.ts";
import { SettingsPage } from "./page.tsx";

/** The page of the service's settings and secrets. */
export const settingsPages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/settings",
    needs: ["GET /projects"],
    respond: async (visit) => {
      const secrets = visit.may("GET /master-key") ? await visit.call("GET /master-key") : null;
      const body = <SettingsPage visit={visit} secrets={secrets} mayReadTokens={visit.may("GET /tokens")} />;
      return page("Settings", body);
    },
  },
  {
    method: "POST",
    path: "/settings/rewrap",
    needs: ["POST /master-key/rewrap"],
    respond: async (visit) => {
      required(await visit.call("POST /master-key/rewrap"));
      return go(withQuery(pathTo("settings"), { done: "rewrap" }));
    },
  },
];
