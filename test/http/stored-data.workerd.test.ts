import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { routes } from "../../functions/service/admin/routes.ts";
import { createWorkflowsApp } from "../../functions/workflows.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { ADMIN_PATH } from "../../shared/http/problem.ts";
import { storesOf } from "../../shared/http/stored-data.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";

const stores = (method: string, path: string) =>
  storesOf({ method, path: path.replace(/:[a-zA-Z]+/g, "it"), body: "" });

test("what creates by the admin API stores objects, and nothing else of it does", () => {
  for (const { method, path, status } of routes)
    expect([path, stores(method, ADMIN_PATH + path)]).toEqual([path, status === 201 ? "objects" : "little"]);
});

test("a workflow counts as a sponsorship unless it is known to store more or less", () => {
  const deps = createDeps({
    ...env,
    FLOWS_SECRET,
    FLOWS_CALLER_SECRET: "a-caller's-secret-of-enough-length",
    FLOWS_SUI_KEY: "us1_sui_localnet_00",
  });
  const { flows } = deps.config;
  if (flows === null) throw new Error("the workflows are not configured");
  const mounted = createWorkflowsApp(deps, flows, new Hono()).routes.filter(
    ({ method, path }) => !path.endsWith("*") && (method === "POST" || path.startsWith("/webhooks/")),
  );
  const others: Readonly<Record<string, string>> = {
    "/flows/create-wallet-on-chain": "objects",
    "/flows/sign-transaction": "little",
    "/webhooks/:name": "objects",
  };
  const paths = mounted.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([...Object.keys(others), "/flows/sponsor"]));
  for (const path of [...paths, "/flows/of-the-app"])
    expect([path, stores("POST", path)]).toEqual([path, others[path] ?? "promise"]);
});
