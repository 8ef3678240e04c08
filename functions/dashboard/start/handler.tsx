import type { Problem } from "../../../shared/http/problem.ts";
import { type Chain, chainOf, type Network } from "../../../shared/network-names.ts";
import type { Result } from "../../../shared/result.ts";
import type { Fund, Project } from "../answers.ts";
import { keysOf } from "../fund/open.ts";
import { amountFault, atomsOfText } from "../parts/amount-text.ts";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, type Reply, required, type Visit } from "../visit.ts";
import { StartPage } from "./page.tsx";

interface Place {
  readonly project: string | null;
  readonly fund: string | null;
}

const startPath = ({ project, fund }: Place) => withQuery(pathTo("start"), { project, fund });

/** Returns the networks that have a node. Those of development come first, because their coins have no value. */
function networksOf({ ground }: Visit): readonly Network[] {
  const worth = (network: Network) => ["LOCALNET", "DEVNET", "TESTNET", "MAINNET"].indexOf(network.split("_")[1] ?? "");
  const all = Object.entries(ground.config.nodes) as [Network, readonly string[]][];
  return all.flatMap(([network, urls]) => (urls.length > 0 ? [network] : [])).toSorted((a, b) => worth(a) - worth(b));
}

async function projectOf(visit: Visit, id: string | null): Promise<Project | null> {
  return id === null ? null : required(await visit.call("GET /projects/:id", { id }));
}

async function fundOf(visit: Visit, id: string | null): Promise<Fund | null> {
  return id === null ? null : required(await visit.call("GET /funds/:id", { id }));
}

/** Continues the setup of a project that has no fund yet. */
async function unfinished(visit: Visit): Promise<string | null> {
  const listed = required(await visit.call("GET /projects", { query: { limit: "2" } }));
  const [only, more] = listed.items;
  if (only === undefined || more !== undefined) return null;
  const funds = await visit.call("GET /projects/:id/funds", { id: only.id, query: { limit: "1" } });
  return funds.ok && funds.value.items.length === 0 ? only.id : null;
}

async function show(
  visit: Visit,
  place: Place,
  { problem = null, secret = null }: { readonly problem?: Problem | null; readonly secret?: string | null } = {},
): Promise<Reply> {
  const [project, fund] = await Promise.all([projectOf(visit, place.project), fundOf(visit, place.fund)]);
  const keys = fund === null ? [] : await keysOf(visit, fund);
  const listed = fund && (await visit.call("GET /funds/:id/sponsorships", { id: fund.id, query: { limit: "1" } }));
  const seen = listed?.ok ? (listed.value.items[0] ?? null) : null;
  const networks = networksOf(visit);
  const body = <StartPage {...{ visit, project, fund, keys, secret, seen, networks, problem }} />;
  return page("First run", body, problem?.status ?? 200);
}

async function start(visit: Visit): Promise<Reply> {
  const { project = null, fund = null } = visit.query;
  return show(visit, { project: project ?? (await unfinished(visit)), fund });
}

const sent = ({ form }: Visit): Place => ({ project: form.get("project"), fund: form.get("fund") });

async function makeProject(visit: Visit): Promise<Reply> {
  const { form } = visit;
  const body = { name: form.get("name") ?? "" };
  const made = await visit.call("POST /projects", { body, idempotencyKey: form.get("once") });
  if (!made.ok) return show(visit, { project: null, fund: null }, { problem: made.error });
  return go(startPath({ project: made.value.id, fund: null }));
}

/** Reads an amount of a form in coins, as base units. No text is null. An amount that is none is a problem of `path`. */
function amountOf({ form }: Visit, chain: Chain, name: string, path: string): Result<string | null, Problem> {
  const text = (form.get(name) ?? "").trim();
  const atoms = text === "" ? null : atomsOfText(chain, text);
  if (text === "" || atoms !== null) return { ok: true, value: atoms?.toString() ?? null };
  const errors = [{ path, message: amountFault(chain) }];
  return { ok: false, error: { status: 400, detail: "Nothing is made yet. Mend the field below.", errors } };
}

async function makeFund(visit: Visit): Promise<Reply> {
  const { form } = visit;
  const place = { ...sent(visit), fund: null };
  const network = form.get("network") ?? "";
  // The API refuses a network that has no node here.
  const known = networksOf(visit).find((each) => each === network);
  const low = amountOf(visit, chainOf(known ?? "SUI_LOCALNET"), "lowBalance", "lowBalance");
  if (!low.ok) return show(visit, place, { problem: low.error });
  const body = { name: form.get("name") ?? "", network, lowBalance: low.value };
  const id = place.project ?? "";
  const made = await visit.call("POST /projects/:id/funds", { id, body, idempotencyKey: form.get("once") });
  if (!made.ok) return show(visit, place, { problem: made.error });
  return go(startPath({ project: place.project, fund: made.value.id }));
}

/** The page that answers is the only one that shows the key. */
async function makeKey(visit: Visit): Promise<Reply> {
  const { form } = visit;
  const place = sent(visit);
  const fund = await fundOf(visit, place.fund);
  if (fund === null) return go(startPath(place));
  const perDay = amountOf(visit, chainOf(fund.network), "perDay", "policy.maxSpendPerDay");
  if (!perDay.ok) return show(visit, place, { problem: perDay.error });
  const body = {
    name: form.get("name") ?? "",
    network: fund.network,
    rights: ["gas"],
    fundId: fund.id,
    policy: { maxSpendPerDay: perDay.value },
  };
  const id = fund.projectId;
  const made = await visit.call("POST /projects/:id/keys", { id, body, idempotencyKey: form.get("once") });
  if (!made.ok) return show(visit, place, { problem: made.error });
  return show(visit, place, { secret: made.value.key });
}

async function refresh(visit: Visit): Promise<Reply> {
  const place = sent(visit);
  required(await visit.call("POST /funds/:id/refresh", { id: place.fund ?? "" }));
  return go(startPath(place));
}

/** The pages of the first run. */
export const startPages: readonly DashboardPage[] = [
  { method: "GET", path: "/start", needs: ["GET /projects", "POST /projects"], respond: start },
  { method: "POST", path: "/start/project", needs: ["POST /projects"], respond: makeProject },
  { method: "POST", path: "/start/fund", needs: ["POST /projects/:id/funds"], respond: makeFund },
  { method: "POST", path: "/start/key", needs: ["POST /projects/:id/keys"], respond: makeKey },
  { method: "POST", path: "/start/refresh", needs: ["POST /funds/:id/refresh"], respond: refresh },
];
