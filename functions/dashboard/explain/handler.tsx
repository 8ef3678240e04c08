import { secretIn } from "../../../shared/secret-forms.ts";
import { pathTo } from "../paths.ts";
import { SECRET_TITLE, SecretPage } from "../secret.tsx";
import { type DashboardPage, go, page, type Reply, type Visit } from "../visit.ts";
import { type Found, find } from "./find.ts";
import { AskPage, ExplainPage, explainPath } from "./page.tsx";
import { questionOf } from "./question.ts";

/** Reads the names of the funds and keys of an answer. An id without a name is shown itself. */
async function namesOf(visit: Visit, { answer, isOfSender }: Found): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  if (answer === null || isOfSender) return names;
  for (const { fundId, sponsorships, refusals } of answer.stories.slice(0, 2)) {
    const fund = await visit.call("GET /funds/:id", { id: fundId });
    if (fund.ok) names.set(fundId, fund.value.name);
    const [keyId] = [...sponsorships, ...refusals].map((each) => each.keyId);
    if (keyId === undefined || keyId === "") continue;
    const key = await visit.call("GET /keys/:id", { id: keyId });
    if (key.ok) names.set(keyId, key.value.name);
  }
  return names;
}

async function explain(visit: Visit, text: string) {
  const question = questionOf(text);
  if (question.kind === "empty") return page("Explain", <AskPage visit={visit} />);
  if (question.kind === "page") return go(pathTo(question.part, question.id));
  const found = await find(visit, question);
  const names = await namesOf(visit, found);
  return page("Explain", <ExplainPage text={text.trim()} found={found} names={names} nowMs={visit.nowMs} />);
}

/**
 * Answers the search box. A digest, a hash and an id get a URL that can be passed on. Any other text may be a secret, so
 * it is answered here, and gets into no URL.
 */
async function ask(visit: Visit): Promise<Reply> {
  const text = visit.form.get("q") ?? "";
  const secret = secretIn(text);
  if (secret !== null) return page(SECRET_TITLE, <SecretPage secret={secret} wasInUrl={false} />, 400);
  const { kind } = questionOf(text);
  return kind === "wallet" || kind === "empty" ? explain(visit, text) : go(explainPath(text.trim()));
}

const path = "/explain";
const needs = ["GET /transactions/:id", "GET /transactions"] as const;

/** The page with one search box for everything that happened. */
export const explainPages: readonly DashboardPage[] = [
  { method: "GET", path, needs, respond: (visit) => explain(visit, visit.query.q ?? "") },
  { method: "POST", path, needs, respond: ask },
];
