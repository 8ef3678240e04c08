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

/** What a key has spent in the last seven days. */
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

/** Returns the first of the last seven days, today included. */
export function weekFrom(nowMs: number): string {
  return new Date(nowMs - (WEEK_DAYS - 1) * DAY_MS).toISOString().slice(0, DAY_CHARACTERS);
}

/** Reads which keys have spent most this week. Amounts of two chains cannot be compared, so each fund has its own. */
export async function spendByKey(visit: Visit, projects: readonly ProjectFunds[]): Promise<readonly KeySpend[]> {
  const query = { by: "key", from: weekFrom(visit.nowMs), limit: MOST };
  const lists = await Promise.all(
    projects
      .filter(({ funds }) => funds.length > 0)
      .slice(0, DETAILED_FUNDS)
      .map(async ({ project, funds }) => {
        const [keys, ...spends] = await Promise.all([
          visit.call("GET /projects/:id/keys", { id: project.id, query: { limit: OBJECTS } }),
          ...funds.slice(0, DETAILED_FUNDS).map((fund) => visit.call("GET /funds/:id/spend", { id: fund.id, query })),
        ]);
        const names = new Map(keys.ok ? keys.value.items.map(({ id, name }) => [id, name]) : []);
        return spends.flatMap((spend, index) => {
          const fund = funds[index];
          if (!spend.ok || fund === undefined) return [];
          return spend.value.items.map((row) => {
            const name = names.get(row.name) ?? row.name;
            return { fund, keyId: row.name, name, project: project.name, row };
          });
        });
      }),
  );
  return lists.flat();
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
