import { pathTo } from "../paths.ts";
import { type DashboardPage, go, page, type Visit } from "../visit.ts";
import { type Found, find } from "./find.ts";
import { AskPage, ExplainPage } from "./page.tsx";
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

async function explain(visit: Visit) {
  const text = visit.query.q ?? "";
  const question = questionOf(text);
  if (question.kind === "empty") return page("Explain", <AskPage />);
  if (question.kind === "page") return go(pathTo(question.part, question.id));
  const found = await find(visit, question);
  const names = await namesOf(visit, found);
  return page("Explain", <ExplainPage text={text.trim()} found={found} names={names} nowMs={visit.nowMs} />);
}

/** The page with one search box for everything that happened. */
export const explainPages: readonly DashboardPage[] = [
  { method: "GET", path: "/explain", needs: ["GET /transactions/:id", "GET /transactions"], respond: explain },
];
