import type { Fund, Project, RefusalCount, Spend, Webhook } from "./answers.ts";
import { required, type Visit } from "./visit.ts";

/** The limit of a page of objects, as the admin API has it. */
const OBJECTS = "40";
/** A page reads no more funds in detail. The free plan allows 50 subrequests a request. */
export const DETAILED_FUNDS = 12;
const ROWS = "200";

/** A project with its funds, as far as they can be read. */
export interface ProjectFunds {
  readonly project: Project;
  readonly funds: readonly Fund[];
  readonly unreadable: readonly string[];
}

/** Every project with its funds, and whether there are more than one page shows. */
export interface AllFunds {
  readonly projects: readonly ProjectFunds[];
  readonly isWhole: boolean;
  readonly unreadable: readonly string[];
}

/** Reads the projects, the newest last. @throws Refused */
export async function projectsOf(visit: Visit) {
  return required(await visit.call("GET /projects", { query: { limit: OBJECTS } }));
}

/** Reads the funds of every project. A project that does not answer is named. @throws Refused */
export async function allFunds(visit: Visit): Promise<AllFunds> {
  const listed = await projectsOf(visit);
  let isWhole = listed.nextCursor === null;
  const unreadable = [...(listed.unreadable ?? [])];
  const projects = await Promise.all(
    listed.items.map(async (project): Promise<ProjectFunds> => {
      const answered = await visit.call("GET /projects/:id/funds", { id: project.id, query: { limit: OBJECTS } });
      if (!answered.ok) {
        unreadable.push(project.id);
        return { project, funds: [], unreadable: [] };
      }
      if (answered.value.nextCursor !== null) isWhole = false;
      return { project, funds: answered.value.items, unreadable: answered.value.unreadable ?? [] };
    }),
  );
  return { projects, isWhole, unreadable };
}

/** What a fund has done by day, in the last thirty days. Null: it did not answer. */
export interface FundDays {
  readonly fund: Fund;
  readonly spend: Spend | null;
  readonly refusals: readonly RefusalCount[] | null;
}

/** Reads what funds have spent and refused by day. */
export function daysOfFunds(visit: Visit, funds: readonly Fund[]): Promise<readonly FundDays[]> {
  return Promise.all(
    funds.slice(0, DETAILED_FUNDS).map(async (fund): Promise<FundDays> => {
      const [spend, refusals] = await Promise.all([
        visit.call("GET /funds/:id/spend", { id: fund.id, query: { limit: ROWS } }),
        visit.call("GET /funds/:id/refusal-counts", { id: fund.id, query: { limit: ROWS } }),
      ]);
      return {
        fund,
        spend: spend.ok ? spend.value : null,
        refusals: refusals.ok ? refusals.value.items : null,
      };
    }),
  );
}

/** A webhook, and the project that it belongs to. */
export interface ProjectWebhook {
  readonly project: Project;
  readonly webhook: Webhook;
}

/** Reads the webhooks of projects. One that does not answer has none here: `allFunds` names it. */
export async function webhooksOf(visit: Visit, projects: readonly Project[]): Promise<readonly ProjectWebhook[]> {
  const lists = await Promise.all(
    projects.map(async (project) => {
      const answered = await visit.call("GET /projects/:id/webhooks", { id: project.id });
      return answered.ok ? answered.value.items.map((webhook) => ({ project, webhook })) : [];
    }),
  );
  return lists.flat();
}
