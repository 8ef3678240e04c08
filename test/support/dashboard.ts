import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { OperatorAdmission } from "../../functions/service/admin/operators/admission.ts";
import { createDashboardApp, DASHBOARD_PATH } from "../../functions/service/dashboard.ts";
import { createDeps, type Deps } from "../../shared/bindings/deps.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { hiddenFields } from "./hidden-fields.ts";

/** The origin of the dashboard in tests. */
export const ORIGIN = "https://gasworks.example";

/** The headers of a form that a page of the dashboard sends. */
export const FROM_PAGE = {
  "content-type": "application/x-www-form-urlencoded",
  origin: ORIGIN,
  "sec-fetch-site": "same-origin",
};

/** Makes the dashboard, as the service mounts it. */
export function dashboardApp(deps: Deps = createDeps(env), admission = new OperatorAdmission(deps)): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    c.set("requestId", "request-of-test");
    return next();
  });
  app.route(DASHBOARD_PATH, createDashboardApp(deps, admission));
  return app;
}

/** A browser that keeps the cookies of one session. It follows no redirect. */
export class Browser {
  cookie: string | null = null;
  readonly #app: Hono<AppEnv>;

  constructor(app = dashboardApp()) {
    this.#app = app;
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(this.cookie !== null && { cookie: this.cookie }), ...init.headers };
    const response = await this.#app.request(`${ORIGIN}${path}`, { ...init, headers }, env);
    const [set = null] = response.headers.getSetCookie();
    if (set !== null) this.cookie = set.split(";")[0] ?? null;
    return response;
  }

  get(path: string): Promise<Response> {
    return this.send(path);
  }

  /** Sends a form as it is given: without the session's own field. */
  post(path: string, fields: Readonly<Record<string, string>>, headers: HeadersInit = FROM_PAGE): Promise<Response> {
    return this.send(path, { method: "POST", headers, body: new URLSearchParams(fields).toString() });
  }

  /** Sends a form of a page, with the hidden fields that its page has. */
  async submit(page: string, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
    const html = await (await this.get(page)).text();
    return this.post(path, { ...hiddenFields(html, path), ...fields });
  }

  async logIn(token: string): Promise<this> {
    await this.post("/dashboard/login", { token });
    return this;
  }
}

export { hiddenFields };
