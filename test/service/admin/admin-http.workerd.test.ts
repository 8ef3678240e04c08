import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { problemFor as refusedByObject } from "../../../functions/service/admin/route/route.ts";
import { routes } from "../../../functions/service/admin/routes.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { problemResponse } from "../../../shared/http/problem.ts";
import { authorization, adminToken as token } from "../../support/admin-access.ts";
import { readCsv } from "../../support/read-csv.ts";

const adminApp = createAdminApp(createDeps(env));

const json = { authorization, "content-type": "application/json" };
const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().min(1),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).optional(),
});

async function refused(path: string, init: RequestInit): Promise<z.infer<typeof problemSchema> & { headers: Headers }> {
  const response = await adminApp.request(path, init, env);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const problem = problemSchema.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return { ...problem, headers: response.headers };
}

function post(body: string, headers: Record<string, string> = json): RequestInit {
  return { method: "POST", headers, body };
}

test("without the right token every route, known or not, is 401 and says how to authenticate", async () => {
  const wrong = ["", token, `Basic ${token}`, "Bearer", `Bearer ${token}x`, `Bearer ${token.slice(1)}`, "Bearer x"];
  for (const header of wrong)
    for (const path of ["/projects", "/openapi.json", "/nowhere"]) {
      const problem = await refused(path, header === "" ? {} : { headers: { authorization: header } });
      expect(problem).toMatchObject({ status: 401 });
      expect(problem.headers.get("www-authenticate")).toMatch(/^Bearer /);
    }
  expect((await adminApp.request("/projects", { headers: { authorization: `bearer ${token}` } }, env)).status).toBe(
    200,
  );
});

test("wrong tokens of one source are slowed, and neither the right one nor another source is", async () => {
  const deps = createDeps(env);
  const atMs = deps.clock.nowMs();
  const app = createAdminApp({ ...deps, clock: { ...deps.clock, nowMs: () => atMs } });
  const send = async (bearer: string, source: string) =>
    app.request("/projects", { headers: { authorization: `Bearer ${bearer}`, "cf-connecting-ip": source } }, env);
  const answers = [];
  for (let tries = 0; tries < 12; tries++) answers.push(await send(`${token}x`, "192.0.2.1"));
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(answers.at(-1)?.headers.get("retry-after")).toBe("1");
  expect((await send(`${token}x`, "192.0.2.2")).status).toBe(401);
  expect((await send(token, "192.0.2.1")).status).toBe(200);
});

test("a request with an Origin is 403, even with the right token, and no answer allows another origin", async () => {
  const problem = await refused("/projects", { headers: { authorization, origin: "https://app.example" } });
  expect(problem.status).toBe(403);
  expect([...problem.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("an unknown path is 404; a known one with another method is 405 with Allow", async () => {
  expect(await refused("/nowhere", { headers: { authorization } })).toMatchObject({ status: 404 });
  expect(await refused("/projects/a/b/c", { headers: { authorization } })).toMatchObject({ status: 404 });
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    for (const method of ["PUT", "OPTIONS"]) {
      const problem = await refused(path, { method, headers: { authorization } });
      expect(problem.status).toBe(405);
      expect(problem.headers.get("allow")).toBe(methods.join(", "));
    }
  }
  const document = await refused("/openapi.json", { method: "POST", headers: { authorization } });
  expect(document.headers.get("allow")).toBe("GET");
});

test("a body of another content type is 415, one of more than 64 KiB is 413, one that is not JSON is 400", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
    expect(await refused("/projects", post('{"name":"x"}', { authorization, "content-type": type }))).toMatchObject({
      status: 415,
    });
  const big = JSON.stringify({ name: "x".repeat(64 * 1024) });
  expect(await refused("/projects", post(big))).toMatchObject({ status: 413 });
  const stream = new Blob([big]).stream();
  expect(await refused("/projects", { method: "POST", headers: json, body: stream })).toMatchObject({ status: 413 });
  for (const body of ["", "{", "name=x"]) expect(await refused("/projects", post(body))).toMatchObject({ status: 400 });
  const charset = { authorization, "content-type": "application/json; charset=utf-8" };
  expect((await adminApp.request("/projects", post('{"name":"x"}', charset), env)).status).toBe(201);
});

test("a body that breaks off is 400, and one that nobody asked for is read and thrown away", async () => {
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"name":'));
      controller.error(new TypeError("the connection was lost"));
    },
  });
  expect(await refused("/projects", { method: "POST", headers: json, body: broken })).toMatchObject({ status: 400 });
  const document = await exports.default.fetch(
    new Request("https://service.example/admin/v1/projects?limit=1", { headers: { authorization } }),
  );
  expect(document.status).toBe(200);
  for (const path of ["/master-key/rewrap", "/funds/fund_00000000000000000000/refresh"]) {
    const stream = new Blob(["x".repeat(100)]).stream();
    const response = await adminApp.request(path, { method: "POST", headers: { authorization }, body: stream }, env);
    expect(response.status, path).toBeLessThan(500);
  }
});

test("what is over in a moment is 503 with Retry-After", () => {
  for (const reason of ["sequence_conflict", "storage", "overloaded", "node_unavailable"] as const) {
    const told = refusedByObject({ reason, details: "another withdrawal is under way" });
    const response = told.ok ? null : problemResponse(told.error);
    expect([reason, response?.status, Number(response?.headers.get("retry-after")) > 0]).toEqual([reason, 503, true]);
  }
});

test("a body that does not fit is 400 and names each field, unknown ones too", async () => {
  const body = JSON.stringify({ name: "", walletsPerMonth: -1, exportEnabled: true });
  const problem = await refused("/projects", post(body));
  expect(problem.status).toBe(400);
  expect(problem.errors?.map((error) => error.path).sort()).toEqual(["exportEnabled", "name", "walletsPerMonth"]);
  expect(problem.errors).toContainEqual({
    path: "exportEnabled",
    message: "is not a field of this request: leave it out",
  });
  for (const other of ["null", "[]", '"x"', "7", '{"name":"a\\u0000b"}', `{"name":"${"x".repeat(101)}"}`])
    expect(await refused("/projects", post(other))).toMatchObject({ status: 400 });
});

test("a setting that no rule knows, or that does not fit its rule, is refused, not stored", async () => {
  const created = await adminApp.request("/projects", post('{"name":"x"}'), env);
  const { id } = z.object({ id: z.string() }).parse(await created.json());
  const fund = { name: "f", network: "SUI_TESTNET" };
  const key = { name: "k", network: "SUI_TESTNET", rights: ["wallet"] };
  for (const [path, body] of [
    [`/projects/${id}/funds`, { ...fund, policy: { maxCalls: 1 } }],
    [`/projects/${id}/funds`, { ...fund, mode: "coins" }],
    [`/projects/${id}/funds`, { ...fund, sponsorshipFee: 1 }],
    [`/projects/${id}/funds`, { ...fund, lowBalance: "-1" }],
    [`/projects/${id}/funds`, { ...fund, limits: { retentionDays: 0 } }],
    [`/projects/${id}/funds`, { ...fund, limits: { retentionDays: 3_651 } }],
    [`/projects/${id}/funds`, { ...fund, limits: { fundBytes: 16_777_215 } }],
    [`/projects/${id}/funds`, { ...fund, limits: { fundBytes: 10_737_418_241 } }],
    [`/projects/${id}/funds`, { ...fund, limits: { keyBytes: 1 } }],
    [`/projects/${id}/funds`, { ...fund, network: "NO_TESTNET" }],
    [`/projects/${id}/keys`, { ...key, limits: { qps: 1, cups: 1, perDay: 1 } }],
    [`/projects/${id}/keys`, { ...key, limits: { qps: 0, cups: 1 } }],
    [`/projects/${id}/keys`, { ...key, rights: [] }],
  ] as const)
    expect(await refused(path, post(JSON.stringify(body))), JSON.stringify(body)).toMatchObject({ status: 400 });
});

test("a PATCH that names no field, and a query that does not fit, are 400", async () => {
  const id = "0".repeat(20);
  for (const path of [`/projects/prj_${id}`, `/keys/key_${id}`, `/funds/fund_${id}`])
    expect(await refused(path, { ...post("{}"), method: "PATCH" })).toMatchObject({ status: 400 });
  for (const query of [
    "limit=0",
    "limit=41",
    "limit=x",
    "limit=1.5",
    "limit=",
    "cursor=x",
    "cursor=-1",
    "cursor=",
    "page=2",
  ])
    expect(await refused(`/projects?${query}`, { headers: { authorization } }), query).toMatchObject({ status: 400 });
});

test("the OpenAPI document has an operation for every route and nothing else", async () => {
  const response = await adminApp.request("/openapi.json", { headers: { authorization } }, env);
  const document = z
    .object({ openapi: z.literal("3.1.0"), paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) })
    .parse(await response.json());
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(operations.sort()).toEqual(expected.sort());
  const createKey = document.paths["/projects/{id}/keys"]?.post;
  expect(createKey).toMatchObject({
    parameters: [
      { name: "id", in: "path", required: true },
      { name: "Idempotency-Key", in: "header", required: false },
    ],
    requestBody: { content: { "application/json": { schema: { required: ["name", "network", "rights"] } } } },
    responses: {
      201: { content: { "application/json": { schema: { properties: { key: { type: ["string", "null"] } } } } } },
    },
  });
});

test("every list, and nothing else, is CSV where Accept prefers it, with the fields of its items as columns", async () => {
  const post201 = async (path: string, body: object) => {
    const response = await adminApp.request(path, post(JSON.stringify(body)), env);
    expect(response.status).toBe(201);
    return z.object({ id: z.string() }).parse(await response.json()).id;
  };
  const get = (path: string, accept: string) => adminApp.request(path, { headers: { authorization, accept } }, env);
  const ids: Record<string, string> = {};
  ids.projects = await post201("/projects", { name: "=1+1" });
  ids.funds = await post201(`/projects/${ids.projects}/funds`, { name: "f", network: "SUI_LOCALNET" });
  ids.keys = await post201(`/projects/${ids.projects}/keys`, { name: "k", network: "SUI_TESTNET", rights: ["wallet"] });
  const webhook = { url: "https://hooks.example.com/", events: ["fund.deposit"] };
  const webhookId = await post201(`/projects/${ids.projects}/webhooks`, webhook);
  const pathOf = ({ path }: { path: string }) =>
    path.replace(":id", ids[path.split("/")[1] ?? ""] ?? "").replace(":partId", webhookId);

  for (const route of routes.filter(({ method }) => method === "GET")) {
    const answer = await get(pathOf(route), "text/csv");
    const json = await get(pathOf(route), "text/csv;q=0.5, application/json");
    if (route.text !== undefined) {
      for (const { headers } of [answer, json]) expect(route.text.types).toContain(headers.get("content-type"));
      continue;
    }
    const page = z.object({ items: z.array(z.record(z.string(), z.unknown())) }).safeParse(await json.json());
    const otherwise = json.ok ? /^application\/json/ : /^application\/problem\+json/;
    expect(answer.headers.get("content-type"), route.path).toMatch(page.success ? /^text\/csv;/ : otherwise);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    if (!page.success) continue;
    const [columns = [], ...lines] = readCsv(await answer.text());
    const ofObjects = ["/projects", "/projects/:id/funds", "/projects/:id/keys"].includes(route.path);
    expect(columns.filter((column) => column === "unreadable")).toHaveLength(ofObjects ? 1 : 0);
    const fields = columns.filter((column) => column !== "unreadable").toSorted();
    expect(lines.length).toBe(page.data.items.length);
    for (const item of page.data.items) expect(fields).toEqual(Object.keys(item).toSorted());
  }
  expect(readCsv(await (await get("/projects", "text/csv")).text())[1]?.slice(0, 2)).toEqual([ids.projects, "'=1+1"]);
  for (const accept of ["*/*", "application/json", "text/html"])
    expect((await get("/projects", accept)).headers.get("content-type")).toMatch(/^application\/json/);
  expect((await get("/projects?limit=0", "text/csv")).headers.get("content-type")).toBe("application/problem+json");

  const document = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.any())) })
    .parse(await (await get("/openapi.json", "*/*")).json());
  expect(document.paths["/projects"]?.get.responses[200].content).toHaveProperty(["text/csv"]);
  expect(document.paths["/projects/{id}"]?.get.responses[200].content).not.toHaveProperty(["text/csv"]);
});

test("the pages of a list as CSV are linked, and hold each item once", async () => {
  const names = ["a", "b", "c"];
  for (const name of names) await adminApp.request("/projects", post(JSON.stringify({ name })), env);
  const seen: (string | undefined)[] = [];
  let next: string | undefined = "https://service.example/admin/v1/projects?limit=1";
  for (let page = 0; next !== undefined && page < 10; page++) {
    const response: Response = await exports.default.fetch(next, { headers: { authorization, accept: "text/csv" } });
    const [, line] = readCsv(await response.text());
    seen.push(line?.[1]);
    const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "");
    next = link?.[1] && new URL(link[1], "https://service.example").href;
  }
  expect(seen).toEqual(names);
});

test("in the whole service it answers under /admin/v1, with its own refusals", async () => {
  const created = await exports.default.fetch("https://service.example/admin/v1/projects", post('{"name":"x"}'));
  expect(created.status).toBe(201);
  expect(created.headers.get("cache-control")).toBe("no-store");
  for (const [path, init, status] of [
    ["/admin/v1/projects", {}, 401],
    ["/admin/v1/nowhere", { headers: { authorization } }, 404],
    ["/admin/v1", { headers: { authorization } }, 404],
    ["/admin/v1/projects", { method: "PUT", headers: { authorization } }, 405],
    ["/admin/v1/projects", post("{"), 400],
  ] as const) {
    const response = await exports.default.fetch(`https://service.example${path}`, init);
    expect(response.status, path).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
  }
});
