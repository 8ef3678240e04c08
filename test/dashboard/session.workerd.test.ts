import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { OperatorAdmission } from "../../functions/service/admin/operators/admission.ts";
import { authenticate } from "../../functions/service/admin/operators/authenticate.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { utf8 } from "../../shared/bytes.ts";
import { sealBytes } from "../../shared/crypto/sealing.ts";
import { dumpRows } from "../storage/dump.ts";
import { adminToken, authorization } from "../support/admin-access.ts";
import { Browser, dashboardApp, FROM_PAGE, hiddenFields, ORIGIN } from "../support/dashboard.ts";
import { makeToken } from "../support/operators.ts";

const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const HOUR_MS = 3_600_000;

const isIn = async (browser: Browser) => (await browser.get("/dashboard/nodes")).status === 200;

test("a token logs in for a session, whose cookie no script, other site or plain connection gets", async () => {
  const browser = new Browser();
  const answered = await browser.post("/dashboard/login", { token: adminToken });
  expect(answered.status).toBe(303);
  expect(answered.headers.get("location")).toBe("/dashboard");
  const cookie = answered.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^__Secure-gasworks_dashboard=[0-9A-Za-z_-]+;/);
  for (const word of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/dashboard", "Max-Age=43200"])
    expect(cookie).toContain(word);
  expect(await isIn(browser)).toBe(true);
  expect(await isIn(new Browser())).toBe(false);
});

/** Sends a form of the log-in, which a browser has opened at `origin`, by a proxy that calls the service at `url`. */
async function sendFrom(origin: string, url = origin, path = "/dashboard/login", app = dashboardApp()) {
  const headers = { ...FROM_PAGE, origin };
  const body = new URLSearchParams({ token: adminToken }).toString();
  return app.request(`${url}${path}`, { method: "POST", headers, body }, env);
}

test("only a form from loopback gets a cookie without Secure, whatever host a proxy names", async () => {
  for (const origin of ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"]) {
    const cookie = (await sendFrom(origin)).headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^gasworks_dashboard=/);
    expect(cookie).not.toContain("Secure");
  }
  const proxied = await sendFrom("https://admin.example", "http://localhost:8787");
  const cookie = proxied.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^__Secure-gasworks_dashboard=.*; Secure/);
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  expect((await dashboardApp().request("http://localhost:8787/dashboard/nodes", { headers }, env)).status).toBe(200);
});

test("a log-in over plain HTTP from elsewhere is refused with what to do, and uses no link up", async () => {
  const app = dashboardApp();
  const { path } = linkSchema.parse(await (await makeLink(app)).json());
  for (const url of ["http://10.0.0.5:8787", "http://localhost:8787"])
    for (const at of ["/dashboard/login", path]) {
      const refused = await sendFrom("http://10.0.0.5:8787", url, at, app);
      expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
      expect(await refused.text()).toMatch(/open this page over https, or by an SSH tunnel/);
    }
  expect((await new Browser(app).post(path, {})).status).toBe(303);
});

test("the log-in says what to do if the browser drops the session over plain HTTP, and only then", async () => {
  const app = dashboardApp();
  const page = async (origin: string, headers: HeadersInit = {}) =>
    (await app.request(`${origin}/dashboard/login`, { headers }, env)).text();
  const code = "A".repeat(43);
  const link = await app.request(`http://gasworks.example/dashboard/enter/${code}`, {}, env);
  for (const html of [await page("http://gasworks.example"), await page("http://10.0.0.7:8787"), await link.text()])
    expect(html).toMatch(
      /browser drops the session: open this page over https, or by an SSH tunnel at\s+http:\/\/localhost/,
    );
  for (const origin of [
    "https://gasworks.example",
    "http://localhost:8787",
    "http://127.0.0.1:8787",
    "http://[::1]:8787",
  ])
    expect(await page(origin), origin).not.toContain("plain HTTP");
  expect(await page("http://gasworks.example", { "sec-fetch-site": "none" })).not.toContain("plain HTTP");
});

test("a session that a visitor brings along is never the one after the log-in", async () => {
  const attacker = await new Browser().logIn(adminToken);
  const victim = new Browser();
  victim.cookie = attacker.cookie;
  await victim.logIn(adminToken);
  expect(victim.cookie).not.toBe(attacker.cookie);
  const csrfOf = async (browser: Browser) =>
    hiddenFields(await (await browser.get("/dashboard/nodes")).text(), "/dashboard/logout").csrf;
  expect(await csrfOf(victim)).not.toBe(await csrfOf(attacker));
});

test("a log-out ends the session wherever its cookie was copied to, and no other session", async () => {
  const [browser, other] = [await new Browser().logIn(adminToken), await new Browser().logIn(adminToken)];
  const copied = new Browser();
  copied.cookie = browser.cookie;
  const left = await browser.submit("/dashboard/nodes", "/dashboard/logout");
  expect(left.headers.get("location")).toBe("/dashboard/login?done=out");
  expect(left.headers.get("set-cookie")).toContain("Max-Age=0");
  expect(await isIn(copied)).toBe(false);
  expect(await isIn(other)).toBe(true);
});

test("a session ends after twelve hours, and with its token at once", async () => {
  let nowMs = deps.clock.nowMs();
  const late = { ...deps, clock: { ...deps.clock, nowMs: () => nowMs } };
  const long = await new Browser(dashboardApp(late)).logIn(adminToken);
  nowMs += 12 * HOUR_MS - 1;
  expect(await isIn(long)).toBe(true);
  nowMs += 1;
  expect(await isIn(long)).toBe(false);

  const { id, token } = await makeToken(adminApp, "viewer");
  const browser = await new Browser().logIn(token);
  expect(await isIn(browser)).toBe(true);
  await adminApp.request(`/tokens/${id}`, { method: "DELETE", headers: { authorization } }, env);
  expect(await isIn(browser)).toBe(false);
});

test("a cookie that was changed, sealed for something else or made up opens nothing", async () => {
  const { cookie } = await new Browser().logIn(adminToken);
  const [name = "", value = ""] = cookie?.split("=") ?? [];
  const flipped = value.slice(0, -4) + (value.endsWith("AAAA") ? "BBBB" : "AAAA");
  for (const text of [flipped, value.slice(0, 40), "", "A".repeat(5_000), btoa(JSON.stringify({ id: "x" }))]) {
    const browser = new Browser();
    browser.cookie = `${name}=${text}`;
    expect(await isIn(browser), text.slice(0, 50)).toBe(false);
  }
  expect(value).not.toContain(adminToken);
});

test("a session in the form of another build is no session", async () => {
  const { masterKeys, randomBytes } = deps;
  if (masterKeys === null) throw new Error("the tests have master keys");
  const { cookie } = await new Browser().logIn(adminToken);
  const name = cookie?.split("=")[0] ?? "";
  const seal = { label: "dashboard-session", boundTo: utf8("/dashboard") };
  const sealed = async (form: string) =>
    Buffer.from(await sealBytes(utf8(form), masterKeys, seal, randomBytes)).toString("base64url");
  const expiresAtMs = deps.clock.nowMs() + HOUR_MS;
  for (const form of ["text", "null", "{}", JSON.stringify({ expiresAtMs, secretHash: "AA", token: {} })]) {
    const browser = new Browser();
    browser.cookie = `${name}=${await sealed(form)}`;
    expect((await browser.get("/dashboard/nodes")).headers.get("location"), form).toMatch(/^\/dashboard\/login/);
  }
});

test("wrong tokens are counted together with those of the API, and the right one always passes", async () => {
  const admission = new OperatorAdmission(deps);
  const browser = new Browser(dashboardApp(deps, admission));
  const app = createAdminApp(deps, authenticate(deps, admission));
  const api = (token: string) => app.request("/projects", { headers: { authorization: `Bearer ${token}` } }, env);
  for (let round = 0; round < 5; round += 1) {
    expect((await api("wrong")).status).toBe(401);
    expect((await browser.post("/dashboard/login", { token: "wrong" })).status).toBe(401);
  }
  const slowed = await browser.post("/dashboard/login", { token: "wrong" });
  expect(slowed.status).toBe(429);
  expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await api("wrong")).status).toBe(429);
  expect((await browser.post("/dashboard/login", { token: adminToken })).status).toBe(303);
});

const linkSchema = z.object({ path: z.string(), expiresAt: z.iso.datetime() });

async function makeLink(app = dashboardApp(), bearer = adminToken) {
  const headers = { authorization: `Bearer ${bearer}` };
  return app.request(`${ORIGIN}/dashboard/link`, { method: "POST", headers }, env);
}

test("a one-time link logs in once, after a click, and its code is stored as a hash only", async () => {
  const made = await makeLink();
  expect(made.status).toBe(201);
  const { path } = linkSchema.parse(await made.json());
  const browser = new Browser();
  for (let look = 0; look < 3; look += 1) expect((await browser.get(path)).status).toBe(200);
  const dump = await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) =>
    dumpRows((query) => storage.sql.exec(query).toArray()),
  );
  expect(dump).toContain("INSERT INTO dashboard_link");
  expect(dump).not.toContain(path.split("/").at(-1));
  const foreign = { ...FROM_PAGE, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await browser.post(path, {}, foreign)).status).toBe(403);
  expect((await browser.post(path, {})).status).toBe(303);
  expect(await isIn(browser)).toBe(true);
  expect((await new Browser().post(path, {})).status).toBe(401);
});

test("a link ends after ten minutes, needs a token, and is made for no page", async () => {
  let nowMs = deps.clock.nowMs();
  const app = dashboardApp({ ...deps, clock: { ...deps.clock, nowMs: () => nowMs } });
  const { path, expiresAt } = linkSchema.parse(await (await makeLink(app)).json());
  expect(Date.parse(expiresAt) - nowMs).toBe(600_000);
  nowMs += 600_000;
  expect((await makeLink(app, "wrong")).status).toBe(401);
  const headers = { authorization, origin: ORIGIN };
  const fromPage = await app.request(`${ORIGIN}/dashboard/link`, { method: "POST", headers }, env);
  expect(fromPage.status).toBe(403);
  await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) => {
    storage.sql.exec("UPDATE dashboard_link SET expires_at_ms = ?", deps.clock.nowMs());
  });
  expect((await new Browser(app).post(path, {})).status).toBe(401);
});

test("a token has three links at most, takes no other token's links away, and ends them with itself", async () => {
  const app = dashboardApp();
  const linkOf = async (bearer: string) => linkSchema.parse(await (await makeLink(app, bearer)).json()).path;
  const owners = await linkOf(adminToken);
  const { id, token } = await makeToken(adminApp, "viewer");
  const paths: string[] = [];
  for (let count = 0; count < 25; count += 1) paths.push(await linkOf(token));
  const kept = await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) =>
    storage.sql.exec("SELECT COUNT(*) AS links FROM dashboard_link WHERE token_id = ?", id).one(),
  );
  expect(kept).toEqual({ links: 3 });
  expect((await new Browser(app).post(owners, {})).status).toBe(303);
  const [last = "", before = ""] = paths.toReversed();
  expect((await new Browser(app).post(last, {})).status).toBe(303);
  await adminApp.request(`/tokens/${id}`, { method: "DELETE", headers: { authorization } }, env);
  expect((await new Browser(app).post(before, {})).status).toBe(401);
});

test("wrong tokens for a link, and wrong links, are slowed with Retry-After as those of the log-in are", async () => {
  const nowMs = deps.clock.nowMs();
  const app = dashboardApp({ ...deps, clock: { ...deps.clock, nowMs: () => nowMs } });
  const wrongLink = `/dashboard/enter/${"A".repeat(43)}`;
  for (let count = 0; count < 5; count += 1) {
    expect((await makeLink(app, "wrong")).status).toBe(401);
    expect((await new Browser(app).post(wrongLink, {})).status).toBe(401);
  }
  for (const slowed of [await makeLink(app, "wrong"), await new Browser(app).post(wrongLink, {})])
    expect([slowed.status, slowed.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await makeLink(app)).status).toBe(201);
});

test("a log-in leads to a page of the dashboard only", async () => {
  const browser = new Browser();
  const asked = await browser.get("/dashboard/funds/fund_1?tab=coins");
  expect(asked.headers.get("location")).toBe("/dashboard/login?to=%2Fdashboard%2Ffunds%2Ffund_1%3Ftab%3Dcoins");
  for (const [to, expected] of [
    ["/dashboard/funds?x=1", "/dashboard/funds?x=1"],
    ["https://evil.example/dashboard", "/dashboard"],
    ["//evil.example/dashboard", "/dashboard"],
    ["/dashboard@evil.example", "/dashboard"],
    ["/dashboard/../admin/v1", "/dashboard"],
    ["/dashboard\\..\\x", "/dashboard"],
    ["javascript:alert(1)", "/dashboard"],
  ] as const) {
    const answered = await browser.post("/dashboard/login", { token: adminToken, to });
    expect(answered.headers.get("location"), to).toBe(expected);
  }
});
