import { expect, test } from "vitest";
import { openApiDocument } from "../../../../functions/service/admin/route/openapi.ts";
import { routes } from "../../../../functions/service/admin/routes.ts";
import { type Answered, fakeService, run } from "../../../support/command-line.ts";

const NOW_MS = 1_700_000_000_000;
const PROJECT = `prj_${"0".repeat(20)}`;
const closed = { allow: ["0x2::a::*"], deny: null };
const noList = { allow: null, deny: null };
const policy = {
  moveTargets: closed,
  senders: noList,
  orderless: false,
  maxGasBudget: "1",
  maxStorageCost: null,
  maxInFlightCount: 1,
  maxInFlightAmount: null,
  maxSpendPerDay: "1",
  maxSpendPerSenderPerDay: null,
  maxAbandonCostPerDay: "1",
};
const fund = {
  id: "fund_1",
  name: "gas",
  low: false,
  lowBalance: "1",
  runwayDays: null,
  pausedCause: null,
  unconverted: null,
  recovery: null,
  storage: null,
  policy,
};
const key = {
  id: "key_1",
  name: "app",
  network: "SUI_LOCALNET",
  status: "active",
  rights: ["gas"],
  fundId: "fund_1",
  policy,
};
const webhook = { id: "whk_1", url: "https://a.example", enabled: true, disabledCause: null, failures: 0, dropped: 0 };
const node = { network: "SUI_LOCALNET", endpoint: "a", state: "healthy", inUse: true, cause: null, lagMs: 0 };
const masterKey = { current: 1, remaining: 0, failing: 0, unopenable: 0, wrong: [], undecided: [] };
const document = openApiDocument(routes, "/admin/v1");

type Parts = Readonly<Record<string, Answered | readonly object[]>>;

const well: Parts = {
  "/health": { body: { status: "ok" } },
  "/ready": { body: { status: "ready" } },
  "/admin/v1/openapi.json": { body: document },
  "/admin/v1/projects": [{ id: PROJECT }],
  [`/admin/v1/projects/${PROJECT}/funds`]: [fund],
  [`/admin/v1/projects/${PROJECT}/keys`]: [key],
  [`/admin/v1/projects/${PROJECT}/webhooks`]: [webhook],
  "/admin/v1/master-key": { body: masterKey },
  "/admin/v1/nodes": [node],
  "/admin/v1/tokens": [],
};

async function doctor(changed: Parts, dateMs = NOW_MS) {
  const parts = { ...well, ...changed };
  const { env } = await fakeService(({ url, headers }) => {
    const part = parts[url.split("?")[0] ?? ""] ?? { status: 404 };
    const date = { date: new Date(dateMs).toUTCString() };
    if (!Array.isArray(part)) return { ...part, headers: date };
    const isLines = headers.accept?.includes("ndjson");
    return {
      headers: date,
      body: isLines ? part.map((item) => `${JSON.stringify(item)}\n`).join("") : { items: part, nextCursor: null },
    };
  });
  return run(["doctor"], { env });
}

test("a deployment without a fault ends as 0, with one line for each part", async () => {
  const { code, out } = await doctor({});
  expect(out.split("\n").filter((line) => line !== "" && !line.startsWith("ok "))).toEqual([]);
  expect([code, out.trim().split("\n").length]).toEqual([0, 12]);
  for (const part of ["funds", "policies", "webhooks"]) expect(out).toMatch(new RegExp(`^ok +${part} +1 `, "m"));
  expect(out).toMatch(/^ok +tokens +0 tokens,/m);
});

const inProject = (name: string, item: object): Parts => ({ [`/admin/v1/projects/${PROJECT}/${name}`]: [item] });
const open = { ...policy, moveTargets: noList };

const faults: readonly (readonly [string, Parts, 8 | 9, RegExp])[] = [
  [
    "a wrong secret in /health",
    { "/health": { status: 503, body: { status: "wrong_secrets", detail: "MASTER_KEYS 1" } } },
    9,
    /fail +service .*MASTER_KEYS 1/,
  ],
  [
    "a key service that fails in /health",
    { "/health": { status: 503, body: { status: "key_service", detail: "MASTER_KEYS version 2: allow kms:Decrypt" } } },
    9,
    /fail +service .*MASTER_KEYS version 2: allow kms:Decrypt[\s\S]*do what \/health says/,
  ],
  [
    "an unready service",
    { "/ready": { status: 503, body: { causes: [{ cause: "nodes", count: 1 }] } } },
    9,
    /fail +ready .*nodes \(1\)/,
  ],
  [
    "a wrong token",
    { "/admin/v1/projects": { status: 401, body: { detail: "wrong token" } } },
    9,
    /fail +token .*wrong token/,
  ],
  [
    "a token of another role",
    { "/admin/v1/tokens": { status: 403, body: {} }, "/admin/v1/master-key": { status: 403, body: {} } },
    8,
    /warn +secrets .*owner/,
  ],
  [
    "a service of another build",
    { "/admin/v1/openapi.json": { body: { paths: { "/new": { get: {} } } } } },
    8,
    /warn +version .*lacks GET \/new/,
  ],
  [
    "another secret",
    { "/admin/v1/master-key": { body: { ...masterKey, wrong: [{ secret: "KEY_PEPPERS", version: 1 }] } } },
    9,
    /fail +secrets +KEY_PEPPERS 1/,
  ],
  [
    "keys under an older secret",
    { "/admin/v1/master-key": { body: { ...masterKey, remaining: 2 } } },
    8,
    /→ gasworks master-key rewrap/,
  ],
  [
    "the only node down",
    { "/admin/v1/nodes": [{ ...node, state: "unhealthy", cause: "late" }] },
    9,
    /fail +nodes .*late/,
  ],
  [
    "one node of two down",
    { "/admin/v1/nodes": [node, { ...node, endpoint: "b", state: "unhealthy" }] },
    8,
    /warn +nodes .*b fails/,
  ],
  ["a node behind", { "/admin/v1/nodes": [{ ...node, lagMs: 60_000 }] }, 8, /60000 ms behind/],
  [
    "a token near its end",
    {
      "/admin/v1/tokens": [
        { id: "adm_1", name: "ci", role: "viewer", expiresAt: new Date(NOW_MS + 86_400_000 * 3.5).toISOString() },
      ],
    },
    8,
    /“ci” \(adm_1\) ends in 3 days/,
  ],
  ["a paused fund", inProject("funds", { ...fund, pausedCause: "chain_reset" }), 9, /is paused: chain_reset/],
  [
    "a fund behind its chain",
    inProject("funds", { ...fund, recovery: { state: "needed" } }),
    9,
    /gasworks fund recover fund_1/,
  ],
  ["a fund that is empty soon", inProject("funds", { ...fund, runwayDays: 3 }), 8, /is empty in 3 days/],
  ["a fund that is empty tomorrow", inProject("funds", { ...fund, runwayDays: 1 }), 9, /is empty in 1 day at/],
  [
    "a fund without a lowBalance",
    inProject("funds", { ...fund, lowBalance: null }),
    8,
    /warn +fund .*no lowBalance set\n +→ gasworks fund update fund_1 --low-balance …, so that fund\.low_balance warns/,
  ],
  [
    "a fund without a limit of the day",
    inProject("funds", { ...fund, policy: { ...policy, maxSpendPerDay: null } }),
    8,
    /may spend all of its money in a day/,
  ],
  [
    "a key for any call of any sender",
    { ...inProject("funds", { ...fund, policy: open }), ...inProject("keys", { ...key, policy: open }) },
    8,
    /sponsors any call of any sender/,
  ],
  ["a fund that cannot be read", inProject("funds", { id: "fund_1", unreadable: "why" }), 9, /fund_1 cannot be read/],
  ["a failing webhook", inProject("webhooks", { ...webhook, failures: 4 }), 8, /has failed 4 times/],
  [
    "a webhook that is gone",
    inProject("webhooks", { ...webhook, enabled: false, disabledCause: "gone" }),
    8,
    /answered 410/,
  ],
];

test.each(faults)("%s is found", async (_, parts, code, text) => {
  const ended = await doctor(parts);
  expect(ended.out).toMatch(text);
  expect(ended.code).toBe(code);
});

test("a clock that differs is found, in both directions", async () => {
  expect((await doctor({}, NOW_MS - 20_000)).out).toMatch(/warn +clock .*(19|20) s behind/);
  expect((await doctor({}, NOW_MS + 200_000)).code).toBe(9);
});

test("a service that is down is one finding", async () => {
  const { code, out } = await run(["doctor"], { env: { GASWORKS_URL: "http://127.0.0.1:9", GASWORKS_TOKEN: "a" } });
  expect([code, out.split("\n").filter((line) => line.startsWith("fail")).length]).toEqual([9, 1]);
});
