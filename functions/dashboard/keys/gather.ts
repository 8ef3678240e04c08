import type { Fund, Key, Project } from "../answers.ts";
import { allFunds, DETAILED_FUNDS } from "../gather.ts";
import type { Visit } from "../visit.ts";
import { type KeyUse, type ListedKey, NO_USE, useByKey } from "./use.ts";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;
const OBJECTS = "40";
const ROWS = "200";
/** The counters of refusals have a row a day and reason. */
const MAX_PAGES = 5;

/** The keys of all projects, and what cannot be shown. */
export interface AllKeys {
  readonly keys: readonly ListedKey[];
  readonly projects: readonly Project[];
  readonly unreadable: readonly string[];
  /** False if there are more keys, or if funds were left out. */
  readonly isWhole: boolean;
}

function firstDay(nowMs: number, days: number): string {
  return new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

async function refusalsOf(visit: Visit, fundId: string, from: string) {
  const counts = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query: Record<string, string> = { from, limit: ROWS, ...(cursor !== null && { cursor }) };
    const answered: Awaited<ReturnType<typeof visit.call<"GET /funds/:id/refusal-counts">>> = await visit.call(
      "GET /funds/:id/refusal-counts",
      { id: fundId, query },
    );
    if (!answered.ok) return null;
    counts.push(...answered.value.items);
    cursor = answered.value.nextCursor;
    if (cursor === null) break;
  }
  return counts;
}

/** Reads what each key of a fund has done since a day. Null if the fund does not answer. */
export async function usesSince(visit: Visit, fundId: string, from: string) {
  const [spend, refusals] = await Promise.all([
    visit.call("GET /funds/:id/spend", { id: fundId, query: { by: "key", from, limit: ROWS } }),
    refusalsOf(visit, fundId, from),
  ]);
  return spend.ok && refusals !== null ? useByKey(spend.value.items, refusals) : null;
}

/** The use of the keys of a fund. Null if it is not known. */
interface FundUses {
  readonly fund: Fund;
  readonly week: ReadonlyMap<string, KeyUse> | null;
  readonly month: ReadonlyMap<string, KeyUse> | null;
}

/** Reads the use of a fund's keys in the last seven and thirty days. */
export async function usesOf(visit: Visit, fund: Fund): Promise<FundUses> {
  const [week, month] = await Promise.all([
    usesSince(visit, fund.id, firstDay(visit.nowMs, WEEK_DAYS)),
    usesSince(visit, fund.id, firstDay(visit.nowMs, MONTH_DAYS)),
  ]);
  return { fund, week, month };
}

/** Joins a key with its fund and its use. */
export function listedKey(key: Key, projectName: string, uses: FundUses | null): ListedKey {
  const of = (known: ReadonlyMap<string, KeyUse> | null | undefined) =>
    known === null || known === undefined ? null : (known.get(key.id) ?? NO_USE);
  return { key, projectName, fund: uses?.fund ?? null, week: of(uses?.week), month: of(uses?.month) };
}

/** Reads the keys of all projects, or of one, with their use. @throws Refused */
export async function allKeys(visit: Visit): Promise<AllKeys> {
  const all = await allFunds(visit);
  const funds = all.projects.flatMap((each) => each.funds);
  const uses = new Map<string, FundUses>();
  for (const each of await Promise.all(funds.slice(0, DETAILED_FUNDS).map((fund) => usesOf(visit, fund))))
    uses.set(each.fund.id, each);
  const unreadable = [...all.unreadable];
  let isWhole = all.isWhole && funds.length <= DETAILED_FUNDS;
  const lists = await Promise.all(
    all.projects.map(async ({ project }) => {
      const answered = await visit.call("GET /projects/:id/keys", { id: project.id, query: { limit: OBJECTS } });
      if (!answered.ok) {
        unreadable.push(project.id);
        return [];
      }
      if (answered.value.nextCursor !== null) isWhole = false;
      unreadable.push(...(answered.value.unreadable ?? []));
      return answered.value.items.map((key) =>
        listedKey(key, project.name, key.fundId === null ? null : (uses.get(key.fundId) ?? null)),
      );
    }),
  );
  return { keys: lists.flat(), projects: all.projects.map(({ project }) => project), unreadable, isWhole };
}
