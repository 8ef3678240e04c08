import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createServiceApp } from "../../../functions/service/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { AppEnv } from "../../../shared/http/app.ts";
import { authorization } from "../../support/admin-access.ts";
import { onDisk } from "../../support/fund-books.ts";
import { rounds, shortTest } from "../../support/rounds.ts";
import { newFundOfCoins, prepare, stub, useStoppedClock } from "../../support/sui-fund.ts";
import { newProject } from "../../support/wallets.ts";

useStoppedClock();

const UNKNOWN = "9".repeat(44);
const FUND = `fund_${"1".repeat(20)}`;
const deps = { ...createDeps(env), log: () => {} };
const adminApp = createAdminApp(deps);

const resultSchema = z.object({
  cause: z.string(),
  isOnlyOnChain: z.boolean(),
  isComplete: z.boolean(),
  unreadable: z.array(z.string()),
});

const broken = async () => {
  throw new Error("broken");
};

/** The bindings, with another object behind some. A test puts a failing object there. */
function withBindings(changes: object): object {
  return { ...env, ...changes };
}

async function search(path: string, bindings: object) {
  const response = await adminApp.request(`/transactions${path}`, { headers: { authorization } }, bindings);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return resultSchema.parse(JSON.parse(text));
}

shortTest("one project that does not answer is named, and does not end the search", async () => {
  const bad = await newProject();
  const PROJECT = { getByName: (id: string) => (id === bad ? { resources: broken } : env.PROJECT.getByName(id)) };
  const told = await search(`/${UNKNOWN}`, withBindings({ PROJECT }));
  expect(told.unreadable).toContain(bad);
  expect(told.cause).toContain("It was not found in the ");
});

shortTest("if a fund does not answer, the answer does not deny for all funds", async () => {
  const projectId = await newProject();
  const PROJECT = {
    getByName: (id: string) => ({
      resources: async () => (id === projectId ? { items: [FUND], nextCursor: null } : null),
    }),
  };
  const told = await search(`/${UNKNOWN}`, withBindings({ PROJECT, FUND: { getByName: () => ({ tell: broken }) } }));
  expect(told).toMatchObject({
    cause: "It was not found in the 0 funds read, and there may be others. No node answered.",
    isOnlyOnChain: false,
    unreadable: [FUND],
  });
});

shortTest("one search runs at a time, and the next one may begin once it has ended", async () => {
  const held = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<null>();
  const tell = () => {
    begun.resolve(null);
    return held.promise;
  };
  const of = withBindings({ FUND: { getByName: () => ({ tell }) } });
  const path = `/transactions/${UNKNOWN}?fund=${FUND}`;
  const first = adminApp.request(path, { headers: { authorization } }, of);
  await begun.promise;
  const second = await adminApp.request(path, { headers: { authorization } }, of);
  expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
  held.resolve(null);
  // The fund was never created.
  expect((await first).status).toBe(404);
  expect((await adminApp.request(path, { headers: { authorization } }, of)).status).toBe(404);
});

test("an old sponsorship's ledger is found below any number of newer rows, and an unknown digest reads no ledger", async () => {
  const fund = await newFundOfCoins(1);
  const { digest } = await prepare(fund, "old");
  await onDisk(fund, (_, sql) =>
    sql.exec(
      `INSERT INTO ledger_row (at_ms, kind, reference)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT ? + i, 4, 'other' FROM n`,
      rounds(250_000),
      Date.now() + 5 * 3_600_000,
    ),
  );
  const query = { by: "digest", askNodes: false } as const;
  const story = await stub(fund).tell({ ...query, digest });
  expect(story).toMatchObject({ ledger: [{ kind: "reserve", reference: digest }] });
  expect(await stub(fund).tell({ ...query, digest: "other" })).toMatchObject({ ledger: [] });
});

shortTest("a fault has its request id in the log, at both paths of the metrics", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = (event: string, fields: object = {}) => lines.push({ event, ...fields });
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    c.set("requestId", "request-1");
    return next();
  });
  app.route("/", createServiceApp({ ...deps, log }));
  const directory = { projects: broken, readiness: async () => [], nodes: async () => [] };
  const of = withBindings({ DIRECTORY: { getByName: () => directory } });
  for (const path of ["/metrics", "/admin/v1/metrics"])
    expect((await app.request(path, { headers: { authorization } }, of)).status).toBe(500);
  expect(lines.filter(({ event }) => event === "fault").map(({ requestId }) => requestId)).toEqual([
    "request-1",
    "request-1",
  ]);
});
