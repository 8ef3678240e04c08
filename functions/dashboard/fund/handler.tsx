import type { RouteName } from "../answers.ts";
import { allFunds, weekFrom } from "../gather.ts";
import type { CallInput } from "../ground.ts";
import type { DoneWord } from "../parts/done.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, required, type Visit } from "../visit.ts";
import { FundsPage } from "./list-page.tsx";
import { managePages } from "./manage.tsx";
import { fundOf, keysOf } from "./open.ts";
import { FundPage } from "./page.tsx";
import { policyPages } from "./policy.tsx";
import { fundRowPages } from "./rows.tsx";
import { unusablePages } from "./unusable.tsx";
import { withdrawPages } from "./withdraw.tsx";

const LAST = "8";
const MOST = "10";

async function funds(visit: Visit): Promise<Reply> {
  const all = await allFunds(visit);
  return page("Funds", <FundsPage all={all} mayCreate={visit.may("POST /projects/:id/funds")} />);
}

async function fundPage(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { id } = fund;
  const from = weekFrom(visit.nowMs);
  const spend = (query: Readonly<Record<string, string>>) => visit.call("GET /funds/:id/spend", { id, query });
  const [days, byKey, byTarget, keys, sponsorships] = await Promise.all([
    spend({ limit: "200" }),
    spend({ by: "key", from, limit: MOST }),
    spend({ by: "target", from, limit: MOST }),
    keysOf(visit, fund),
    visit.call("GET /funds/:id/sponsorships", { id, query: { limit: LAST } }),
  ]);
  return page(
    fund.name,
    <FundPage
      visit={visit}
      fund={fund}
      days={days.ok ? days.value : null}
      byKey={byKey.ok ? byKey.value : null}
      byTarget={byTarget.ok ? byTarget.value : null}
      keys={keys}
      sponsorships={sponsorships.ok ? sponsorships.value.items : null}
    />,
  );
}

/** Makes the page of a button: it makes one call, and goes back to the fund. */
function button(part: string, name: RouteName, done: DoneWord, input: CallInput = {}): DashboardPage {
  return {
    method: "POST",
    path: `/funds/:id/${part}`,
    needs: [name],
    respond: async (visit) => {
      const id = visit.params.id ?? "";
      required(await visit.call(name, { id, ...input }));
      return go(withQuery(pathTo("funds", id), { done }));
    },
  };
}

/** The pages of funds. */
export const fundPages: readonly DashboardPage[] = [
  { method: "GET", path: "/funds", needs: ["GET /projects", "GET /projects/:id/funds"], respond: funds },
  { method: "GET", path: "/funds/:id", needs: ["GET /funds/:id"], respond: fundPage },
  button("refresh", "POST /funds/:id/refresh", "read"),
  button("deposit-address", "POST /funds/:id/deposit-address", "address"),
  button("pause", "PATCH /funds/:id", "paused", { body: { paused: true } }),
  button("open", "PATCH /funds/:id", "opened", { body: { paused: false } }),
  ...withdrawPages,
  ...managePages,
  ...policyPages,
  ...fundRowPages,
  ...unusablePages,
];
