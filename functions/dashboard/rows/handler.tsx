import type { Fund } from "../answers.ts";
import { type DashboardPage, page, required, type Visit } from "../visit.ts";
import { filledIn } from "./filters.tsx";
import { REFUSAL_FILTERS, RefusalsPage } from "./refusals-page.tsx";
import { SPONSORSHIP_FILTERS, SponsorshipsPage } from "./sponsorships-page.tsx";

const PAGE_ROWS = "50";
const ROWS = "200";
const WEEK_DAYS = 7;
const DAY_MS = 86_400_000;
/** A page names no more keys. Others are shown by their ids. */
const MAX_NAMES = 10;

async function fundOf(visit: Visit): Promise<Fund> {
  return required(await visit.call("GET /funds/:id", { id: visit.params.id ?? "" }));
}

/** Reads the names of the keys of a page of rows. */
async function keyNames(visit: Visit, rows: readonly { readonly keyId: string }[]) {
  const ids = [...new Set(rows.map(({ keyId }) => keyId))].filter((id) => id !== "").slice(0, MAX_NAMES);
  const names = new Map<string, string>();
  await Promise.all(
    ids.map(async (id) => {
      const answered = await visit.call("GET /keys/:id", { id });
      if (answered.ok) names.set(id, answered.value.name);
    }),
  );
  return names;
}

/** Returns the query that a person has filled in, and the query of the page. */
function queriesOf(visit: Visit, fields: readonly { readonly name: string }[]) {
  const query = filledIn(
    visit.query,
    fields.map(({ name }) => name),
  );
  const { cursor } = visit.query;
  const asked: Record<string, string> = { ...query, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) };
  return { query, asked, isFirst: cursor === undefined };
}

async function sponsorships(visit: Visit) {
  const fund = await fundOf(visit);
  const { query, asked, isFirst } = queriesOf(visit, SPONSORSHIP_FILTERS);
  const answered = await visit.call("GET /funds/:id/sponsorships", { id: fund.id, query: asked });
  const items = answered.ok ? answered.value.items : [];
  const props = {
    fund,
    items,
    nextCursor: answered.ok ? answered.value.nextCursor : null,
    query,
    isFirst,
    problem: answered.ok ? null : answered.error,
    names: await keyNames(visit, items),
    nowMs: visit.nowMs,
  };
  return page(
    `Sponsorships of ${fund.name}`,
    <SponsorshipsPage {...props} />,
    answered.ok ? 200 : answered.error.status,
  );
}

async function refusals(visit: Visit) {
  const fund = await fundOf(visit);
  const { query, asked, isFirst } = queriesOf(visit, REFUSAL_FILTERS);
  const from = new Date(visit.nowMs - (WEEK_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const [answered, counts] = await Promise.all([
    visit.call("GET /funds/:id/refusals", { id: fund.id, query: asked }),
    isFirst ? visit.call("GET /funds/:id/refusal-counts", { id: fund.id, query: { from, limit: ROWS } }) : null,
  ]);
  const items = answered.ok ? answered.value.items : [];
  const props = {
    fund,
    items,
    nextCursor: answered.ok ? answered.value.nextCursor : null,
    counts: counts?.ok ? counts.value.items : null,
    query,
    isFirst,
    problem: answered.ok ? null : answered.error,
    names: await keyNames(visit, items),
    nowMs: visit.nowMs,
  };
  return page(`Refusals of ${fund.name}`, <RefusalsPage {...props} />, answered.ok ? 200 : answered.error.status);
}

/** The pages of a fund's rows. */
export const rowPages: readonly DashboardPage[] = [
  { method: "GET", path: "/funds/:id/sponsorships", needs: ["GET /funds/:id/sponsorships"], respond: sponsorships },
  { method: "GET", path: "/funds/:id/refusals", needs: ["GET /funds/:id/refusals"], respond: refusals },
];
