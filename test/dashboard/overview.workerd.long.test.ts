import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { adminToken, authorization } from "../support/admin-access.ts";
import { Browser, dashboardApp, ORIGIN } from "../support/dashboard.ts";

const adminApp = createAdminApp(createDeps(env));

async function create(path: string, body: object): Promise<string> {
  const headers = { authorization, "content-type": "application/json" };
  const made = await adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
  return z.looseObject({ id: z.string() }).parse(await made.json()).id;
}

async function newFunds(count: number): Promise<void> {
  const projectId = await create("/projects", { name: "app" });
  for (let index = 0; index < count; index += 1)
    await create(`/projects/${projectId}/funds`, { name: `f${index}`, network: "SUI_LOCALNET" });
}

/** Wraps the objects of a namespace, so that each call of a method is listed. */
function counted<Namespace extends object>(namespace: Namespace, calls: string[]): Namespace {
  const listed = (stub: object) =>
    new Proxy(stub, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== "function") return method;
        return (...values: unknown[]) => {
          calls.push(String(key));
          return Reflect.apply(method, target, values);
        };
      },
    });
  return new Proxy(namespace, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== "function") return method;
      return (...values: unknown[]) => {
        const made: unknown = Reflect.apply(method, target, values);
        return key === "getByName" && made instanceof Object ? listed(made) : made;
      };
    },
  });
}

/** Reads a page, and lists the calls of objects that it costs. */
async function read(path: string) {
  const app = dashboardApp();
  const { cookie } = await new Browser(app).logIn(adminToken);
  const calls: string[] = [];
  const { PROJECT, FUND, DIRECTORY, ACCESS_KEY } = env;
  const wrapped = {
    ...env,
    PROJECT: counted(PROJECT, calls),
    FUND: counted(FUND, calls),
    DIRECTORY: counted(DIRECTORY, calls),
    ACCESS_KEY: counted(ACCESS_KEY, calls),
  };
  const answered = await app.request(`${ORIGIN}${path}`, { headers: { cookie: cookie ?? "" } }, wrapped);
  return { html: await answered.text(), calls: calls.length, sums: calls.filter((name) => /spend/i.test(name)).length };
}

test("an overview of few funds is whole, and its live part reads only what it shows", async () => {
  await newFunds(2);
  const whole = await read("/dashboard");
  expect(whole.html).not.toMatch(/than this page reads|No answer|These figures cover/);
  expect(whole.html).toContain('data-live="/dashboard/live"');
  const live = await read("/dashboard/live");
  expect(live.html).toMatch(/id="live-needs".*id="live-funds"/s);
  expect(live.html).not.toMatch(/Who spent most|<svg/);
  expect([whole.sums, live.sums]).toEqual([4, 2]);
});

test("an overview of many funds stays within its calls, says what it left out, and calls no fund silent", async () => {
  for (let project = 0; project < 3; project += 1) await newFunds(9);
  for (const path of ["/dashboard", "/dashboard/live"]) {
    const { html, calls } = await read(path);
    expect(calls).toBeGreaterThan(20);
    expect(calls).toBeLessThanOrEqual(50);
    expect(html).not.toContain("No answer");
  }
  const { html } = await read("/dashboard");
  expect(html).toMatch(/These figures cover \d+ of \d+ funds|than this page reads/);
  expect(html).not.toContain("No key has spent anything");
});
