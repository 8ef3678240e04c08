import type { Problem } from "../../../shared/http/problem.ts";
import type { Project } from "../answers.ts";
import { projectsOf } from "../gather.ts";
import { numberOr } from "../parts/policy-form.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { filledIn } from "../rows/filters.tsx";
import { type DashboardPage, go, page, type Reply, required, type Visit } from "../visit.ts";
import { type MadeThisMonth, WALLET_FILTERS, WalletsPage } from "./page.tsx";

const PAGE_ROWS = "50";
const ROWS = "200";
/** A page counts no more wallets of a month. The service itself counts all for its quota. */
const MAX_PAGES = 5;

/** Counts the wallets of this month. Null if the project does not answer. */
async function madeThisMonth(visit: Visit, id: string): Promise<MadeThisMonth | null> {
  const from = `${new Date(visit.nowMs).toISOString().slice(0, 7)}-01`;
  let count = 0;
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query: Record<string, string> = { from, limit: ROWS, ...(cursor !== null && { cursor }) };
    const answered: Awaited<ReturnType<typeof visit.call<"GET /projects/:id/wallets">>> = await visit.call(
      "GET /projects/:id/wallets",
      { id, query },
    );
    if (!answered.ok) return null;
    count += answered.value.items.length;
    cursor = answered.value.nextCursor;
    if (cursor === null) return { count, isAll: true };
  }
  return { count, isAll: false };
}

/** Returns the project that the query names, or else the first one. Null without a project. @throws Refused */
async function projectOf(visit: Visit, projects: readonly Project[]): Promise<Project | null> {
  const { project: id } = visit.query;
  if (id === undefined) return projects[0] ?? null;
  return projects.find((each) => each.id === id) ?? required(await visit.call("GET /projects/:id", { id }));
}

async function showWallets(visit: Visit, problem: Problem | null): Promise<Reply> {
  const { items: projects } = await projectsOf(visit);
  const project = await projectOf(visit, projects);
  if (project === null)
    return page(
      "Wallets",
      <section class="panel narrow">
        <h1>Wallets</h1>
        <p class="empty">Wallets belong to a project, and there is none yet.</p>
      </section>,
    );
  const query = filledIn(
    visit.query,
    WALLET_FILTERS.map(({ name }) => name),
  );
  const { cursor } = visit.query;
  const asked = { ...query, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) };
  const [listed, made] = await Promise.all([
    visit.call("GET /projects/:id/wallets", { id: project.id, query: asked }),
    madeThisMonth(visit, project.id),
  ]);
  const props = {
    visit,
    project,
    projects,
    items: listed.ok ? listed.value.items : [],
    nextCursor: listed.ok ? listed.value.nextCursor : null,
    query,
    isFirst: cursor === undefined,
    listProblem: listed.ok ? null : listed.error,
    problem,
    made,
  };
  const status = problem?.status ?? (listed.ok ? 200 : listed.error.status);
  return page(`Wallets of ${project.name}`, <WalletsPage {...props} />, status);
}

async function changeQuota(visit: Visit): Promise<Reply> {
  const id = visit.query.project ?? "";
  const text = (visit.form.get("walletsPerMonth") ?? "").trim();
  const body = { walletsPerMonth: text === "" ? null : numberOr(text) };
  const answered = await visit.call("PATCH /projects/:id", { id, body });
  return answered.ok
    ? go(withQuery(pathTo("wallets"), { project: id, done: "saved" }))
    : showWallets(visit, answered.error);
}

/** The pages of wallets. */
export const walletPages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/wallets",
    needs: ["GET /projects", "GET /projects/:id/wallets"],
    respond: (visit) => showWallets(visit, null),
  },
  { method: "POST", path: "/wallets", needs: ["PATCH /projects/:id"], respond: changeQuota },
];
