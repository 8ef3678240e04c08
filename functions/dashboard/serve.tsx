import { Buffer } from "node:buffer";
import type { Context } from "hono";
import type { AppEnv } from "../../shared/http/app.ts";
import type { Answers, RouteName } from "./answers.ts";
import { enterPath, UNSENT_PATH } from "./entry/entry.ts";
import { readForm } from "./entry/form.ts";
import type { Admitted } from "./entry/session.ts";
import type { CallInput, DashboardGround } from "./ground.ts";
import { pages } from "./pages.ts";
import { DASHBOARD } from "./paths.ts";
import { showPage, showProblem } from "./render.tsx";
import { SECRET_TITLE, SecretPage, secretInUrl } from "./secret.tsx";
import { type DashboardPage, Refused, type Visit } from "./visit.ts";

const KEY_BYTES = 16;

/** Returns the parts of a path that a pattern names. Null if the path is another. */
function match(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decoded(text);
    else if (part !== text) return null;
  }
  return params;
}

/** Text that is no encoding names nothing, and is found nowhere. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function visitOf(
  c: Context<AppEnv>,
  ground: DashboardGround,
  { session, operator }: Admitted,
  params: Readonly<Record<string, string>>,
  form: URLSearchParams,
): Visit {
  const caller = { env: c.env, operator, headers: c.req.raw.headers };
  return {
    env: c.env,
    operator,
    ground,
    csrf: session.csrf,
    nowMs: ground.clock.nowMs(),
    origin: new URL(c.req.url).origin,
    path: c.req.path,
    params,
    query: c.req.query(),
    form,
    may: (name) => ground.mayCall(operator, name),
    maySend: (name, field) => ground.maySend(operator, name, field),
    call: async <Name extends RouteName>(name: Name, input: CallInput = {}) => {
      try {
        // `Answers` has the type of each route's own schema of results.
        const answered = await ground.call(caller, name, input);
        return answered.ok ? { ok: true, value: answered.value as Answers[Name] } : answered;
      } catch (error) {
        const stack = error instanceof Error ? error.stack : undefined;
        ground.log("fault", { requestId: c.var.requestId, path: name, error: String(error), stack });
        return { ok: false, error: ground.problemOfFault(error, name.split(" ")[0] ?? "") };
      }
    },
    newKey: () => Buffer.from(ground.randomBytes(KEY_BYTES)).toString("base64url"),
  };
}

function allowed(page: DashboardPage, visit: Visit): boolean {
  return page.needs.every((name) => visit.may(name));
}

/** Answers with a page. Nobody without a session learns which pages there are. */
export async function answerPage(
  c: Context<AppEnv>,
  ground: DashboardGround,
  admitted: Admitted | null,
): Promise<Response> {
  const path = c.req.path.slice(DASHBOARD.length) || "/";
  const secret = secretInUrl(c.req.url);
  if (admitted === null)
    return c.redirect(c.req.method === "POST" ? UNSENT_PATH : enterPath(secret === null ? c.req.url : null), 303);
  const found = pages.flatMap((page) => {
    const params = match(page.path, path);
    return params === null ? [] : [{ page, params }];
  });
  const here = found.find(({ page }) => page.method === c.req.method);
  const form = await readForm(c, ground, admitted.session);
  const visit = visitOf(c, ground, admitted, here?.params ?? {}, form.ok ? form.value : new URLSearchParams());
  if (secret !== null) {
    const body = <SecretPage secret={secret} wasInUrl={true} />;
    return showPage(c, { ...visit, query: {} }, { kind: "page", title: SECRET_TITLE, body, status: 400 });
  }
  if (here === undefined)
    return showProblem(c, visit, { status: 404, detail: "There is no such page: check the URL." });
  if (!form.ok) return showProblem(c, visit, form.error);
  if (!allowed(here.page, visit))
    return showProblem(c, visit, { status: 403, detail: `Your role, ${visit.operator.role}, may not do this.` });
  try {
    const reply = await here.page.respond(visit);
    return reply.kind === "go" ? c.redirect(reply.to, 303) : showPage(c, visit, reply);
  } catch (error) {
    if (error instanceof Refused) return showProblem(c, visit, error.problem);
    throw error;
  }
}
