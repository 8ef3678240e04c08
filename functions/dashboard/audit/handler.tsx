import { projectsOf } from "../gather.ts";
import { type DashboardPage, page, type Reply, type Visit } from "../visit.ts";
import { AuditPage } from "./page.tsx";

const ROWS = "50";
const FILTERS = ["action", "actor"] as const;

async function audit(visit: Visit): Promise<Reply> {
  const { project: id = "", cursor } = visit.query;
  const filters = FILTERS.flatMap((name) => {
    const text = visit.query[name]?.trim() ?? "";
    return text === "" ? [] : [[name, text] as const];
  });
  const query = { limit: ROWS, ...Object.fromEntries(filters), ...(cursor !== undefined && { cursor }) };
  const [{ items: projects }, listed, head] = await Promise.all([
    projectsOf(visit),
    id === "" ? visit.call("GET /audit", { query }) : visit.call("GET /projects/:id/audit", { id, query }),
    id === "" ? visit.call("GET /audit/head") : visit.call("GET /projects/:id/audit/head", { id }),
  ]);
  const body = (
    <AuditPage
      projects={projects}
      project={projects.find((each) => each.id === id) ?? null}
      rows={listed.ok ? listed.value.items : []}
      nextCursor={listed.ok ? listed.value.nextCursor : null}
      head={head.ok ? head.value : null}
      query={{ ...(id !== "" && { project: id }), ...Object.fromEntries(filters) }}
      problem={listed.ok ? null : listed.error}
    />
  );
  return page("Audit", body, listed.ok ? 200 : listed.error.status);
}

/** The page of the audit logs. */
export const auditPages: readonly DashboardPage[] = [
  { method: "GET", path: "/audit", needs: ["GET /audit", "GET /projects/:id/audit"], respond: audit },
];
