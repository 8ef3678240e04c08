import { coinDigits } from "../../../shared/coin-text.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { amountFault, atomsOfText } from "../parts/amount-text.ts";
import type { DoneWord } from "../parts/done.tsx";
import { changedFields, STALE } from "../parts/originals.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, required, requireSure, type Visit } from "../visit.ts";
import { ManagePage } from "./manage-page.tsx";
import { fundOf } from "./open.ts";
import type { ManageResult } from "./repair.tsx";

const NOTHING: ManageResult = { form: null, problem: null, compared: null };

/** Returns the settings of a fund as a person types them. */
function textsOf({ network, name, lowBalance, sponsorshipFee }: Fund) {
  const text = (atoms: string | null) => (atoms === null ? "" : coinDigits(chainOf(network), BigInt(atoms)));
  return { name, lowBalance: text(lowBalance), sponsorshipFee: text(sponsorshipFee) };
}

function show(visit: Visit, fund: Fund, result: ManageResult): Reply {
  const body = <ManagePage visit={visit} fund={fund} texts={textsOf(fund)} {...result} />;
  return page(`Manage ${fund.name}`, body, result.problem?.status ?? 200);
}

const done = (fund: Fund, word: DoneWord) => go(withQuery(pathTo("funds", fund.id, "manage"), { done: word }));

/** Reads the amounts of a form in coins. A text that is not an amount is refused beside its field. */
function amountsOf(visit: Visit, fund: Fund) {
  const chain = chainOf(fund.network);
  const errors: { path: string; message: string }[] = [];
  const read = (path: string, ifEmpty: string | null) => {
    const text = (visit.form.get(path) ?? "").trim();
    if (text === "") return ifEmpty;
    const atoms = atomsOfText(chain, text);
    if (atoms === null) errors.push({ path, message: amountFault(chain) });
    return atoms?.toString() ?? ifEmpty;
  };
  return { lowBalance: read("lowBalance", null), sponsorshipFee: read("sponsorshipFee", "0"), errors };
}

async function saveSettings(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { errors, ...amounts } = amountsOf(visit, fund);
  const refuse = (problem: Problem) => show(visit, fund, { ...NOTHING, form: "settings", problem });
  const changed = changedFields(visit.form, textsOf(fund));
  if (changed === null)
    return show({ ...visit, form: new URLSearchParams() }, fund, { ...NOTHING, form: "settings", problem: STALE });
  if (errors.length > 0) return refuse({ status: 400, detail: "Nothing was saved. Correct the fields below.", errors });
  const sent = Object.entries({ name: visit.form.get("name") ?? "", ...amounts }).filter(([name]) => changed.has(name));
  if (sent.length === 0) return done(fund, "saved");
  const body = Object.fromEntries(sent);
  const saved = await visit.call("PATCH /funds/:id", { id: fund.id, body });
  return saved.ok ? done(fund, "saved") : refuse(saved.error);
}

async function reconcile(visit: Visit): Promise<Reply> {
  const id = visit.params.id ?? "";
  const compared = required(await visit.call("POST /funds/:id/reconcile", { id }));
  return show(visit, await fundOf(visit), { ...NOTHING, compared });
}

async function recover(visit: Visit): Promise<Reply> {
  requireSure(visit);
  const id = visit.params.id ?? "";
  required(await visit.call("POST /funds/:id/recover", { id, body: {} }));
  return go(withQuery(pathTo("funds", id), { done: "recovering" }));
}

async function forceClose(visit: Visit): Promise<Reply> {
  requireSure(visit);
  const fund = await fundOf(visit);
  const body = { digest: (visit.form.get("digest") ?? "").trim() };
  const closed = await visit.call("POST /funds/:id/force-close", { id: fund.id, body });
  return closed.ok ? done(fund, "closed") : show(visit, fund, { ...NOTHING, form: "close", problem: closed.error });
}

async function dropCoin(visit: Visit): Promise<Reply> {
  requireSure(visit);
  const fund = await fundOf(visit);
  const body = { objectId: (visit.form.get("objectId") ?? "").trim() };
  const dropped = await visit.call("POST /funds/:id/drop-coin", { id: fund.id, body });
  return dropped.ok ? done(fund, "dropped") : show(visit, fund, { ...NOTHING, form: "drop", problem: dropped.error });
}

async function revoke(visit: Visit): Promise<Reply> {
  requireSure(visit);
  const fund = await fundOf(visit);
  required(await visit.call("POST /funds/:id/revoke", { id: fund.id, body: { outstanding: true } }));
  return done(fund, "revoked");
}

async function confirmWithdrawals(visit: Visit): Promise<Reply> {
  requireSure(visit);
  const fund = await fundOf(visit);
  required(await visit.call("POST /funds/:id/recover", { id: fund.id, body: { withdrawals: "confirmed" } }));
  return done(fund, "confirmed");
}

const path = "/funds/:id/manage";

/** The pages on which a fund is changed, checked and repaired. */
export const managePages: readonly DashboardPage[] = [
  {
    method: "GET",
    path,
    needs: ["GET /funds/:id"],
    respond: async (visit) => show(visit, await fundOf(visit), NOTHING),
  },
  { method: "POST", path, needs: ["PATCH /funds/:id"], respond: saveSettings },
  { method: "POST", path: "/funds/:id/reconcile", needs: ["POST /funds/:id/reconcile"], respond: reconcile },
  { method: "POST", path: "/funds/:id/recover", needs: ["POST /funds/:id/recover"], respond: recover },
  { method: "POST", path: "/funds/:id/force-close", needs: ["POST /funds/:id/force-close"], respond: forceClose },
  { method: "POST", path: "/funds/:id/drop-coin", needs: ["POST /funds/:id/drop-coin"], respond: dropCoin },
  { method: "POST", path: "/funds/:id/revoke", needs: ["POST /funds/:id/revoke"], respond: revoke },
  {
    method: "POST",
    path: "/funds/:id/confirm-withdrawals",
    needs: ["POST /funds/:id/recover"],
    respond: confirmWithdrawals,
  },
];
