import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { bodyLimit } from "hono/body-limit";
import { carriesBearer } from "../../../shared/access/bearer.ts";
import { type Deps, serviceSecrets } from "../../../shared/deps.ts";
import { IDEMPOTENCY_HEADER } from "../../../shared/idempotency.ts";
import type { HttpEnv } from "../../http.ts";
import { CSV_TYPE, csvResponse } from "./csv.ts";
import { openApiDocument } from "./openapi.ts";
import { problemResponse } from "./problem.ts";
import { noBody, type Route } from "./route.ts";
import { routes } from "./routes.ts";

export const ADMIN_PATH = "/admin/v1";
const MAX_BODY_BYTES = 64 * 1024;
const DOCUMENT_PATH = "/openapi.json";
const JSON_TYPE = "application/json";

/** Undefined: not JSON. */
async function jsonBody(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}

/** JSON where the caller has no preference. */
function prefersCsv(c: Context): boolean {
  return accepts(c, { header: "Accept", supports: [JSON_TYPE, CSV_TYPE], default: JSON_TYPE }) === CSV_TYPE;
}

async function respond(c: Context<HttpEnv>, deps: Deps, route: Route): Promise<Response> {
  const withBody = route.body !== noBody;
  if (withBody && !/^application\/json[ \t]*(;|$)/i.test(c.req.header("content-type") ?? ""))
    return problemResponse({ status: 415, detail: "send content-type: application/json" });
  const body = withBody ? await jsonBody(c.req.raw) : undefined;
  if (withBody && body === undefined) return problemResponse({ status: 400, detail: "the body is not JSON" });
  const id = c.req.param("id") ?? "";
  const partId = c.req.param("partId") ?? "";
  const idempotencyKey = c.req.header(IDEMPOTENCY_HEADER) ?? null;
  const query = c.req.query();
  const answered = await route.respond({ env: c.env, deps, id, partId, body, query, sentBody: body, idempotencyKey });
  if (!answered.ok) return problemResponse(answered.problem);
  return route.columns !== null && prefersCsv(c)
    ? csvResponse(route.columns, answered.value, c.req.url)
    : c.json(answered.value, route.status);
}

/** The operator's API, to be mounted at `ADMIN_PATH`. */
export function createAdminApp(deps: Deps): Hono<HttpEnv> {
  const { adminToken } = serviceSecrets(deps);
  const app = new Hono<HttpEnv>();

  app.use(async (c, next) => {
    await next();
    // A new key is in an answer, once; no cache on the way may keep it.
    c.res.headers.set("cache-control", "no-store");
  });

  app.use(async (c, next) => {
    if (c.req.header("origin") !== undefined)
      return problemResponse({ status: 403, detail: "the admin API does not answer browsers of other sites" });
    if (!carriesBearer(c.req.raw.headers, adminToken))
      return problemResponse(
        { status: 401, detail: "send Authorization: Bearer <ADMIN_TOKEN>" },
        { "www-authenticate": 'Bearer realm="admin"' },
      );
    return next();
  });

  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => problemResponse({ status: 413, detail: `a body has at most ${MAX_BODY_BYTES} bytes` }),
    }),
  );

  for (const route of routes) app.on(route.method, route.path, (c) => respond(c, deps, route));
  app.get(DOCUMENT_PATH, (c) => c.json(openApiDocument(routes, ADMIN_PATH)));

  for (const path of new Set([...routes.map((route) => route.path), DOCUMENT_PATH])) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allow = (methods.length > 0 ? methods : ["GET"]).join(", ");
    app.all(path, () => problemResponse({ status: 405, detail: `this path answers ${allow}` }, { allow }));
  }
  app.all("*", () => problemResponse({ status: 404, detail: "no such path" }));

  app.onError((error, c) => {
    deps.log("fault", { requestId: c.var.requestId, error: String(error), stack: error.stack });
    return problemResponse({
      status: 500,
      detail: "the service failed; its log has the fault under the x-request-id of this answer",
    });
  });

  return app;
}
