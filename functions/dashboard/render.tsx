import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../shared/http/app.ts";
import type { Problem } from "../../shared/http/problem.ts";
import { PRELOADS } from "./assets.ts";
import { EntryPage, type EntryState } from "./entry/page.tsx";
import { losesSession } from "./entry/session.ts";
import { Bare, Layout } from "./layout.tsx";
import { ProblemPage } from "./problem.tsx";
import type { Markup, Reply, Visit } from "./visit.ts";

async function html(
  c: Context<AppEnv>,
  markup: Markup,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return c.html(`<!doctype html>${await markup}`, status as ContentfulStatusCode, { link: PRELOADS, ...headers });
}

const FAULT_TITLE = "Something failed";
/** The titles of refusals, by their status. */
const TITLES: Readonly<Partial<Record<Problem["status"], string>>> = {
  403: "Not allowed",
  404: "Not found",
  500: FAULT_TITLE,
};

/** Shows a page in the layout. */
export function showPage(c: Context<AppEnv>, visit: Visit, reply: Extract<Reply, { kind: "page" }>): Promise<Response> {
  const { title, body, status = 200 } = reply;
  return html(
    c,
    <Layout visit={visit} title={title}>
      {body}
    </Layout>,
    status,
  );
}

/** Shows a refusal in the layout. */
export function showProblem(c: Context<AppEnv>, visit: Visit, problem: Problem): Promise<Response> {
  const title = TITLES[problem.status] ?? "Not done";
  return html(
    c,
    <Layout visit={visit} title={title}>
      <ProblemPage title={title} problem={problem} requestId={c.var.requestId} />
    </Layout>,
    problem.status,
    problem.retryAfterSeconds === undefined ? {} : { "retry-after": String(problem.retryAfterSeconds) },
  );
}

/** Shows a page to a visitor without a session. */
export function showEntry(
  c: Context<AppEnv>,
  state: EntryState,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const title = "Log in";
  return html(
    c,
    <Bare title={title}>
      <EntryPage state={state} losesSession={losesSession(c.req.raw)} />
    </Bare>,
    status,
    headers,
  );
}

/** Shows a fault, to whomever. */
export function showFault(c: Context<AppEnv>, problem: Problem): Promise<Response> {
  return html(
    c,
    <Bare title={FAULT_TITLE}>
      <ProblemPage title={FAULT_TITLE} problem={problem} requestId={c.var.requestId} />
    </Bare>,
    problem.status,
  );
}
