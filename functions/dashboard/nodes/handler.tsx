import { type DashboardPage, page, required } from "../visit.ts";
import { NodesPage } from "./page.tsx";

/** The page of the nodes. */
export const nodePages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/nodes",
    needs: ["GET /nodes"],
    respond: async (visit) => {
      const { items } = required(await visit.call("GET /nodes"));
      return page("Nodes", <NodesPage nodes={items} nowMs={visit.nowMs} />);
    },
  },
];
