import * as z from "zod";
import type { AdminAccess } from "./admin.ts";
import { expectAnswer, http } from "./http.ts";

const DASHBOARD_PATH = "/dashboard";

const linkSchema = z.object({ path: z.string().startsWith(`${DASHBOARD_PATH}/`) });

/** Returns the URL of the dashboard. */
export function dashboardUrl({ serviceUrl }: Pick<AdminAccess, "serviceUrl">): string {
  return serviceUrl + DASHBOARD_PATH;
}

/** Makes a link that logs its visitor in to the dashboard, once and within ten minutes. @throws UnexpectedAnswer */
export async function makeDashboardLink({ serviceUrl, adminToken }: AdminAccess): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const answered = await http(`${serviceUrl}${DASHBOARD_PATH}/link`, { method: "POST", headers, redirect: "error" });
  const { path } = expectAnswer(`POST ${DASHBOARD_PATH}/link`, answered, linkSchema);
  return serviceUrl + path;
}
