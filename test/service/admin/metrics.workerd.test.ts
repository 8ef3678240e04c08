import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createServiceApp } from "../../../functions/service/app.ts";
import { hashKeySecret, KEY_SECRET_BYTES } from "../../../shared/access/key-format.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { utcDay } from "../../../shared/fund/ledger/usage.ts";
import { tierOf } from "../../../shared/fund/sui/refill-plan.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy-defaults.ts";
import { authorization } from "../../support/admin-access.ts";
import { onDisk } from "../../support/fund-books.ts";
import { makeToken } from "../../support/operators.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import {
  BUDGET_MIST,
  crash,
  executeOnChain,
  KEY_ID,
  liveFor,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  sponsorInput,
  stub,
  type TestFund,
  user,
  useStoppedClock,
} from "../../support/sui-fund.ts";
import { newProject } from "../../support/wallets.ts";

const DAY_MS = 86_400_000;
const bindings: Env = env;

useStoppedClock();

/** The service keeps an answer for three seconds. */
const KEPT_MS = 3_000;

function newApp() {
  return createServiceApp(createDeps(env));
}

/** Scrapes a service that has kept no answer. */
async function scrape(path = "/admin/v1/metrics", headers: Record<string, string> = {}, of: Env = bindings) {
  const response = await newApp().request(path, { headers: { authorization, ...headers } }, of);
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

/** Returns the value of each sample whose name and labels hold all of these words. */
function valuesOf(text: string, ...words: readonly string[]): readonly number[] {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#") && words.every((word) => line.includes(word)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
}

async function listedFund(projectId: string): Promise<TestFund> {
  const fund = await newFundWith({ projectId }, SUI_MIST, SUI_MIST);
  const entry = { action: "test", target: fund.id, detailJson: "{}" };
  await bindings.PROJECT.getByName(projectId).addResource(
    { kind: "fund", id: fund.id, network: "SUI_LOCALNET" },
    entry,
  );
  return fund;
}

let keys = 0;

/** Makes a key with the right of wallets alone. */
async function newKeyId(projectId: string): Promise<string> {
  keys += 1;
  const keyId = `key_${"e".repeat(18)}${String(keys).padStart(2, "0")}`;
  await bindings.ACCESS_KEY.getByName(keyId).create({
    keyId,
    projectId,
    name: "app",
    network: "SUI_TESTNET",
    rights: ["wallet"],
    fundId: null,
    limits: { qps: 100, cups: 1_000, sessionsPerSecond: 1 },
    policy: defaultKeyPolicy("sui"),
    secretHash: hashKeySecret(new Uint8Array(KEY_SECRET_BYTES)),
  });
  return keyId;
}

shortTest("the counters of a fund are its own, and go on after a crash", async () => {
  const projectId = await newProject();
  const fund = await listedFund(projectId);
  await executeOnChain(await sponsor(fund, "executed"));
  await liveFor(fund, 10 * SECOND_MS);
  await sponsor(fund, "in flight");
  await crash();
  const { status, type, text } = await scrape();
  expect([status, type]).toEqual([200, "application/openmetrics-text; version=1.0.0; charset=utf-8"]);
  expect(text.endsWith("\n# EOF\n")).toBe(true);
  const of = (name: string, ...labels: readonly string[]) => valuesOf(text, `${name}{`, fund.id, ...labels);
  expect(of("gasworks_fund_sponsorships_ended_total", 'outcome="succeeded"')).toEqual([1]);
  expect(of("gasworks_fund_sponsorships_ended_total", 'outcome="failed"')).toEqual([0]);
  expect(of("gasworks_fund_sponsorships", 'state="signed"')).toEqual([1]);
  expect(of("gasworks_fund_in_flight_atoms")).toEqual([Number(BUDGET_MIST)]);
  const [charged = 0] = of("gasworks_fund_spent_atoms", 'part="charged"');
  expect(charged).toBeGreaterThan(0);
  expect(of("gasworks_fund_runway_seconds"), "a fund's first day shows no rate").toEqual([]);
  expect(of("gasworks_fund_coins").reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(2);
  expect(of("gasworks_fund_settlement_lag_seconds")).toEqual([0]);
  expect(valuesOf(text, "gasworks_node_checks_total", 'network="SUI_LOCALNET"')[0]).toBeGreaterThanOrEqual(1);
  // The lines name each project, so that a failure shows where another one came from.
  const pending = text.split("\n").filter((line) => line.startsWith("gasworks_project_deliveries_pending{"));
  expect(pending).toEqual([`gasworks_project_deliveries_pending{project="${projectId}"} 0`]);
});

longTest("the runway and the tiers of coins are those that the admin API shows", async () => {
  const fund = await listedFund(await newProject());
  await executeOnChain(await sponsor(fund, "executed"));
  await liveFor(fund, 10 * SECOND_MS);
  pass(2 * DAY_MS);
  const { text } = await scrape();
  const view = await stub(fund).view();
  expect(view?.runwayDays).toBeGreaterThan(0);
  const [runway = 0] = valuesOf(text, "gasworks_fund_runway_seconds{", fund.id);
  expect(runway / 86_400).toBeCloseTo(view?.runwayDays ?? 0, 6);
  const owned = await onDisk(fund, (store) => store.ownedCoins());
  const tiers = new Map<string, number>();
  for (const coin of owned) {
    const labels = `state="${coin.state}",tier="${tierOf(coin)}"`;
    tiers.set(labels, (tiers.get(labels) ?? 0) + 1);
  }
  for (const [labels, count] of tiers) expect(valuesOf(text, "fund_coins{", fund.id, labels)).toEqual([count]);
  expect(tiers.size).toBeGreaterThan(1);
});

shortTest("the refusals of a fund are counted by reason", async () => {
  const fund = await listedFund(await newProject());
  const keyPolicy = { ...defaultKeyPolicy("sui"), maxGasBudgetAtoms: BUDGET_MIST - 1n };
  for (const name of ["first", "second"]) await stub(fund).sponsor(await sponsorInput(name, { keyPolicy }));
  const today = utcDay(Date.now());
  await stub(fund).refusalCounts({ fromDay: today, toDay: today, limit: 10, cursor: null });
  const { text } = await scrape();
  expect(valuesOf(text, "gasworks_fund_refusals_total{", fund.id)).toEqual([2]);
  expect(valuesOf(text, "gasworks_fund_refusals_total{", fund.id, 'reason="policy_refused"')).toEqual([2]);
});

longTest("the refusals of a project's keys are counted by reason, and left out unless all keys were read", async () => {
  const projectId = await newProject();
  const [one, other] = [await newKeyId(projectId), await newKeyId(projectId)];
  const secretHash = hashKeySecret(new Uint8Array(KEY_SECRET_BYTES));
  for (const keyId of [one, other]) {
    const member = { kind: "key", id: keyId, network: "SUI_TESTNET" } as const;
    await bindings.PROJECT.getByName(projectId).addResource(member, {
      action: "test",
      target: keyId,
      detailJson: "{}",
    });
    await bindings.ACCESS_KEY.getByName(keyId).admit({ secretHash, chain: "sui", calls: [["gas"], ["gas"]] });
  }
  const of = (text: string, ...labels: readonly string[]) =>
    valuesOf(text, "gasworks_project_key_refusals_total{", projectId, ...labels);
  const { text } = await scrape();
  expect(of(text)).toEqual([4]);
  expect(of(text, 'reason="missing_right"')).toEqual([4]);
  expect(text).not.toContain(one);
  const broken: Env = {
    ...bindings,
    ACCESS_KEY: {
      getByName: (name) => {
        if (name === other) throw new Error("this object is broken");
        return bindings.ACCESS_KEY.getByName(name);
      },
    },
  };
  const { text: without } = await scrape(undefined, {}, broken);
  expect(of(without)).toEqual([]);
  expect(valuesOf(without, "gasworks_scrape_silent_objects", 'kind="key"')).toEqual([1]);
});

longTest("two scrapes at once read each object once, and so does one soon after", async () => {
  const fund = await listedFund(await newProject());
  let reads = 0;
  const of: Env = {
    ...bindings,
    FUND: {
      getByName: (name) => {
        reads += name === fund.id ? 1 : 0;
        return bindings.FUND.getByName(name);
      },
    },
  };
  const app = newApp();
  const ask = () => app.request("/metrics", { headers: { authorization } }, of);
  const texts = await Promise.all([ask(), ask()].map(async (asked) => (await asked).text()));
  expect(texts[0]).toContain(fund.id);
  expect(texts[1]).toBe(texts[0]);
  expect(await (await ask()).text()).toBe(texts[0]);
  expect(reads).toBe(1);
  pass(KEPT_MS);
  await ask();
  expect(reads).toBe(2);
});

shortTest("no label names a sender or a key, and each line is a sample of a metric that was named before", async () => {
  const fund = await listedFund(await newProject());
  await executeOnChain(await sponsor(fund, "executed"));
  await liveFor(fund, 10 * SECOND_MS);
  const { text } = await scrape();
  expect(text).not.toContain(user.toSuiAddress());
  expect(text).not.toContain(KEY_ID);
  let named = "";
  for (const line of text.split("\n").slice(0, -2))
    if (line.startsWith("# TYPE ")) named = line.split(" ")[2] ?? "";
    else if (!line.startsWith("# ")) expect(line).toMatch(new RegExp(`^${named}(_total)?[{ ]`));
});

longTest("an object that fails or hangs is missing, counted, and stops no other", async () => {
  const projectId = await newProject();
  const [fund, broken, hanging] = [
    await listedFund(projectId),
    await listedFund(projectId),
    await listedFund(projectId),
  ];
  const of: Env = {
    ...bindings,
    FUND: {
      getByName: (name) => {
        if (name === broken.id) throw new Error("this object is broken");
        const real = bindings.FUND.getByName(name);
        return name === hanging.id ? { ...real, metrics: () => new Promise(() => {}) } : real;
      },
    },
  };
  const { status, text } = await scrape(undefined, {}, of);
  expect(status).toBe(200);
  expect(valuesOf(text, "gasworks_scrape_silent_objects", 'kind="fund"')).toEqual([2]);
  expect(valuesOf(text, "gasworks_fund_balance_atoms{", fund.id)).toHaveLength(1);
  for (const { id } of [broken, hanging]) expect(valuesOf(text, id)).toEqual([]);
});

shortTest("one project alone can be read, and /metrics takes the same token and no other", async () => {
  const [one, other] = [await newProject(), await newProject()];
  const { text } = await scrape(`/metrics?project=${one}`);
  expect(valuesOf(text, "gasworks_project_webhooks{", one)).toHaveLength(2);
  expect(text).not.toContain(other);
  expect((await scrape("/metrics", { authorization: "Bearer wrong" })).status).toBe(401);
  expect((await scrape("/metrics?project=me")).status).toBe(400);
  const viewer = await makeToken(createAdminApp(createDeps(env)), "viewer");
  expect((await scrape("/metrics", { authorization: `Bearer ${viewer.token}` })).status).toBe(200);
});

longTest("a scraper that takes only the older format gets it", async () => {
  const { type, text } = await scrape("/metrics", { accept: "text/plain;version=0.0.4;q=0.5,*/*;q=0.1" });
  expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).not.toContain("# EOF");
  const prometheus = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  expect((await scrape("/metrics", { accept: prometheus })).type).toMatch(/^application\/openmetrics-text/);
});
