import type { Context, ErrorHandler, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Deps } from "../../../shared/bindings/deps.ts";
import { done } from "../../../shared/errors.ts";
import { preferredType } from "../../../shared/http/accept.ts";
import { discardBody } from "../../../shared/http/bounded-body.ts";
import { Hono } from "../../../shared/http/hono.ts";
import { isJson } from "../../../shared/http/media-type.ts";
import { isFromPage } from "../../../shared/http/origin.ts";
import { ADMIN_PATH, problemResponse } from "../../../shared/http/problem.ts";
import { IDEMPOTENCY_HEADER } from "../../../shared/idempotency.ts";
import { readRequestText } from "../../../shared/rpc/json.ts";
import { loggedParts } from "../../../shared/rpc/logged.ts";
import { callRoute, type OperatorCall, problemOfFault, roleProblem } from "./call.ts";
import { metricsRoute } from "./metrics/route.ts";
import { type AdminEnv, actorOf, authenticate } from "./operators/authenticate.ts";
import { type Permission, permissionOf } from "./operators/permissions.ts";
import { openApiDocument } from "./route/openapi.ts";
import { type Answer, answer, noBody, problem, type Route } from "./route/route.ts";
import { type TableType, tableOfPage, tableTypes, wholeTable } from "./route/table.ts";
import { routes } from "./routes.ts";

const MAX_BODY_BYTES = 64 * 1024;
const DOCUMENT_PATH = "/openapi.json";
const JSON_TYPE = "application/json";

async function jsonBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Answer<unknown>> {
  const text = await readRequestText(request, maxBytes).catch(() => undefined);
  if (text === undefined) return problem(400, "the body is not complete UTF-8 text: send it again as UTF-8");
  if (text === null) return problem(413, `the body is too long: send at most ${maxBytes} bytes`);
  try {
    return answer<unknown>(JSON.parse(text));
  } catch {
    return problem(400, "the body is not valid JSON: send JSON");
  }
}

/** Returns the kind of table that the caller prefers. Without a preference it gets JSON, which is null. */
function preferredTable(c: Context): TableType | null {
  const type = preferredType(c.req.header("accept") ?? "", [JSON_TYPE, ...tableTypes]);
  return tableTypes.find((known) => known === type) ?? null;
}

/** Records the fund or the key that a path names, for the log. */
function noteResource(c: Context<AdminEnv>, name: string, id: string): void {
  if (name === "fund") c.set("fundId", id);
  if (name === "key") c.set("rpc", { methods: [], keyId: id });
}

async function respond(c: Context<AdminEnv>, deps: Deps, route: Route, permission: Permission): Promise<Response> {
  const { operator } = c.var;
  const refused = roleProblem(operator, permission);
  if (refused !== null) return problemResponse(refused);
  const withBody = route.body !== noBody;
  if (withBody && !isJson(c.req.raw.headers))
    return problemResponse({ status: 415, detail: "send content-type: application/json" });
  if (!withBody) await discardBody(c.req.raw.body);
  const read = withBody ? await jsonBody(c.req.raw, route.maxBodyBytes) : answer<unknown>(undefined);
  if (!read.ok) return problemResponse(read.error);
  const query = c.req.query();
  const type = route.columns === null ? null : preferredTable(c);
  const ofWholeList = type !== null && route.isStreamed && query.limit === undefined && query.cursor === undefined;
  const call: OperatorCall = {
    env: c.env,
    deps,
    operator,
    actor: actorOf(operator, c.req.raw.headers),
    id: c.req.param("id") ?? "",
    partId: c.req.param("partId") ?? "",
    body: read.value,
    query,
    idempotencyKey: c.req.header(IDEMPOTENCY_HEADER) ?? null,
    ofWholeList,
  };
  if (route.resource?.idSchema.safeParse(call.id).success) noteResource(c, route.resource.name, call.id);
  const answered = await callRoute(route, permission, call);
  if (!answered.ok) return problemResponse(answered.error);
  c.set("rpc", { methods: [], keyId: null, ...c.get("rpc"), ...loggedParts([done(answered.value)]) });
  if (route.text !== undefined) return route.text.write(answered.value, c.req.raw.headers);
  if (type === null || route.columns === null) return c.json(answered.value, route.status);
  const table = { type, columns: route.columns };
  if (!ofWholeList) return tableOfPage(table, answered.value, c.req.url);
  const readPage = (cursor: string) => callRoute(route, permission, { ...call, query: { ...query, cursor } });
  const { requestId } = c.var;
  return wholeTable(table, answered.value, readPage, (error) =>
    deps.log("list.cut_off", { requestId, path: route.path, error }),
  );
}

/** An answer may hold a new key, once. No cache on the way may keep it. */
const noStore: MiddlewareHandler = async (c, next) => {
  await next();
  c.res.headers.set("cache-control", "no-store");
};

const refusePages: MiddlewareHandler = async (c, next) => {
  if (isFromPage(c.req.raw.headers))
    return problemResponse({
      status: 403,
      detail: "the admin API does not answer browsers of other sites: call it from a back end",
    });
  return next();
};

/** Answers a fault, and logs it under the id of its request. */
function answerFault({ log }: Deps): ErrorHandler<AdminEnv> {
  return (error, c) => {
    log("fault", { requestId: c.get("requestId"), path: routePath(c), error: String(error), stack: error.stack });
    return problemResponse(problemOfFault(error, c.req.method));
  };
}

/**
 * Creates the app of the metrics alone, to be mounted at their short path.
 *
 * @param authenticated that of the operator's API, so that both count wrong tokens together.
 */
export function createMetricsApp(deps: Deps, authenticated: MiddlewareHandler<AdminEnv>): Hono<AdminEnv> {
  const permission = permissionOf(metricsRoute);
  const app = new Hono<AdminEnv>();
  app.get("/", noStore, refusePages, authenticated, (c) => respond(c, deps, metricsRoute, permission));
  app.onError(answerFault(deps));
  return app;
}

/** Creates the operator's API, to be mounted at `ADMIN_PATH`. */
export function createAdminApp(deps: Deps, authenticated = authenticate(deps)): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>();
  app.use(noStore);
  app.use(refusePages);
  app.use(authenticated);

  for (const route of routes) {
    const permission = permissionOf(route);
    app.on(route.method, route.path, (c) => respond(c, deps, route, permission));
  }
  app.get(DOCUMENT_PATH, (c) => c.json(openApiDocument(routes, ADMIN_PATH)));

  for (const path of new Set([...routes.map((route) => route.path), DOCUMENT_PATH])) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allow = (methods.length > 0 ? methods : ["GET"]).join(", ");
    app.all(path, () => problemResponse({ status: 405, detail: `this path answers ${allow}` }, { allow }));
  }
  app.all("*", () => problemResponse({ status: 404, detail: "no such path: check the URL" }));

  app.onError(answerFault(deps));
  return app;
}
