import type { Token } from "../answers.ts";
import { pathTo, withQuery } from "../paths.ts";
import { type DashboardPage, go, page, Refused, type Reply, required, type Visit } from "../visit.ts";
import { DeletePage, SINCE_FIELD, TERMS, type TokensData, TokensPage } from "./page.tsx";

const DAY_MS = 86_400_000;
/** More than there can be. */
const ALL = "200";

async function tokensOf(visit: Visit): Promise<readonly Token[]> {
  return required(await visit.call("GET /tokens", { query: { limit: ALL } })).items;
}

async function show(visit: Visit, { problem, secret }: Pick<TokensData, "problem" | "secret">): Promise<Reply> {
  const body = <TokensPage visit={visit} tokens={await tokensOf(visit)} problem={problem} secret={secret} />;
  return page("Tokens", body, problem?.status ?? 200);
}

/** Returns the time of the form's page. The service's own time if the form names none, or one to come. */
function sinceOf(text: string | null, nowMs: number): number {
  const sinceMs = /^\d{1,15}$/.test(text ?? "") ? Number(text) : nowMs;
  return Math.min(sinceMs, nowMs);
}

/** The page that answers is the only one that shows the token. */
async function create(visit: Visit): Promise<Reply> {
  const { form, nowMs } = visit;
  const days = TERMS.find(({ value }) => value === form.get("days"))?.value ?? "1";
  const expiresAt = new Date(sinceOf(form.get(SINCE_FIELD), nowMs) + Number(days) * DAY_MS).toISOString();
  const body = { name: form.get("name") ?? "", role: form.get("role") ?? "", expiresAt };
  const made = await visit.call("POST /tokens", { body, idempotencyKey: form.get("once") });
  if (!made.ok) return show(visit, { problem: made.error, secret: null });
  return show(visit, { problem: null, secret: { name: made.value.name, text: made.value.token } });
}

async function ask(visit: Visit): Promise<Reply> {
  const token = (await tokensOf(visit)).find(({ id }) => id === visit.params.id);
  if (token === undefined) throw new Refused({ status: 404, detail: "There is no such token now." });
  return page("Delete a token", <DeletePage visit={visit} token={token} />);
}

async function remove(visit: Visit): Promise<Reply> {
  required(await visit.call("DELETE /tokens/:id", { id: visit.params.id ?? "" }));
  return go(withQuery(pathTo("tokens"), { done: "deleted" }));
}

/** The pages of operators' tokens. */
export const tokenPages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/tokens",
    needs: ["GET /tokens"],
    respond: (visit) => show(visit, { problem: null, secret: null }),
  },
  { method: "POST", path: "/tokens", needs: ["GET /tokens", "POST /tokens"], respond: create },
  { method: "GET", path: "/tokens/:id/delete", needs: ["GET /tokens", "DELETE /tokens/:id"], respond: ask },
  { method: "POST", path: "/tokens/:id/delete", needs: ["DELETE /tokens/:id"], respond: remove },
];
