import type { Fund, Project, RefusalCount, Spend, Webhook } from "./answers.ts";
import type { CallBudget } from "./call-budget.ts";
import { required, type Visit } from "./visit.ts";

/** The limit of a page of objects, as the admin API has it. */
const OBJECTS = "40";
/** A page reads no more funds in detail. The free plan allows 50 subrequests a request. */
export const DETAILED_FUNDS = 12;
const ROWS = "200";
/** A page with a budget reads no more projects, so that their funds fit. */
const BUDGETED_PROJECTS = 12;

/** A project with its funds, without those that could not be read. */
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
export async function projectsOf(visit: Visit, limit = OBJECTS) {
  return required(await visit.call("GET /projects", { query: { limit } }));
}

/** Returns how many funds of each project fit. */
function fundsOfEach(budget: CallBudget, projects: number): number {
  return Math.min(Number(OBJECTS), Math.max(1, Math.floor(budget.left / Math.max(1, projects)) - 1));
}

/**
 * Reads the funds of every project. A project that does not answer is named. One whose calls do not fit is left out, and
 * `isWhole` is false. @throws Refused
 */
export async function allFunds(visit: Visit, budget: CallBudget | null = null): Promise<AllFunds> {
  const listed = await projectsOf(visit, budget === null ? OBJECTS : String(BUDGETED_PROJECTS));
  budget?.take([listed], 1 + listed.items.length);
  const limit = budget === null ? Number(OBJECTS) : fundsOfEach(budget, listed.items.length);
  const fitting = budget === null ? listed.items : budget.take(listed.items, 1 + limit);
  let isWhole = listed.nextCursor === null && fitting.length === listed.items.length;
  const unreadable = [...(listed.unreadable ?? [])];
  const projects = await Promise.all(
    fitting.map(async (project): Promise<ProjectFunds> => {
      const query = { limit: String(limit) };
      const answered = await visit.call("GET /projects/:id/funds", { id: project.id, query });
      if (!answered.ok) {
        unreadable.push(project.id);
        return { project, funds: [], unreadable: [] };
      }
      const { items, nextCursor, unreadable: silent = [] } = answered.value;
      if (nextCursor !== null) isWhole = false;
      budget?.giveBack(limit - items.length - silent.length);
      return { project, funds: items, unreadable: silent };
    }),
  );
  return { projects, isWhole, unreadable };
}

/** The work of a fund by day, in the last thirty days. Null if it did not answer, or was not read. */
export interface FundDays {
  readonly fund: Fund;
  readonly spend: Spend | null;
  readonly refusals: readonly RefusalCount[] | null;
}

/** Reads what funds have spent and refused by day. */
export function daysOfFunds(visit: Visit, funds: readonly Fund[]): Promise<readonly FundDays[]> {
  return Promise.all(
    funds.map(async (fund): Promise<FundDays> => {
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

/** The spending of a key in the last seven days. */
export interface KeySpend {
  readonly fund: Fund;
  readonly keyId: string;
  /** The key's name. Its id if the key cannot be read. */
  readonly name: string;
  readonly project: string;
  readonly row: Spend["items"][number];
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const DAY_CHARACTERS = 10;
const MOST = "5";
/** The limit of keys that the overview names. Each name is a call. */
export const SHOWN_SPENDERS = 6;

/** Returns the first of the last seven days, today included. */
export function weekFrom(nowMs: number): string {
  return new Date(nowMs - (WEEK_DAYS - 1) * DAY_MS).toISOString().slice(0, DAY_CHARACTERS);
}

/** Reads which keys have spent most this week. Amounts of two chains cannot be compared, so each chain has its own. */
export async function spendByKey(
  visit: Visit,
  funds: readonly Fund[],
  projects: readonly Project[],
): Promise<readonly KeySpend[]> {
  const query = { by: "key", from: weekFrom(visit.nowMs), limit: MOST };
  const lists = await Promise.all(
    funds.map(async (fund) => {
      const spend = await visit.call("GET /funds/:id/spend", { id: fund.id, query });
      return spend.ok ? spend.value.items.map((row) => ({ fund, row })) : [];
    }),
  );
  const isAptos = (fund: Fund) => Number(fund.network.startsWith("APTOS"));
  const most = lists
    .flat()
    .toSorted((a, b) => isAptos(a.fund) - isAptos(b.fund) || Number(BigInt(b.row.spent) - BigInt(a.row.spent)))
    .slice(0, SHOWN_SPENDERS);
  return Promise.all(
    most.map(async ({ fund, row }) => {
      const key = await visit.call("GET /keys/:id", { id: row.name });
      const project = projects.find(({ id }) => id === fund.projectId)?.name ?? "";
      return { fund, keyId: row.name, name: key.ok ? key.value.name : row.name, project, row };
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
