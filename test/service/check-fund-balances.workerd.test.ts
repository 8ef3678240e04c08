import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { checkFundBalances } from "../../functions/check-fund-balances.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env, ObjectNamespace } from "../../shared/bindings/env.ts";
import type { LogFields } from "../../shared/bindings/ports.ts";
import { type ServiceReport, ServiceReports } from "../../shared/directory/service-report.ts";
import { defaultFundPolicy } from "../../shared/policy/fund-policy-defaults.ts";

const bindings: Env = env;
const entry = { action: "test", target: "test", detailJson: "{}" };

async function projectWithFunds(projectId: string, fundIds: readonly string[]): Promise<void> {
  const project = { projectId, name: projectId, secretDerivation: "hkdf", walletsPerMonth: null } as const;
  await bindings.PROJECT.getByName(projectId).create(project, entry);
  await bindings.DIRECTORY.getByName(DIRECTORY_NAME).add(projectId);
  for (const fundId of fundIds) {
    const network = "SUI_LOCALNET";
    await bindings.FUND.getByName(fundId).create({
      fundId,
      projectId,
      network,
      name: fundId,
      mode: "coin",
      policy: defaultFundPolicy("sui"),
      sponsorshipFeeAtoms: 0n,
      lowBalanceAtoms: null,
    });
    await bindings.PROJECT.getByName(projectId).addResource({ kind: "fund", id: fundId, network }, entry);
  }
}

/** @param first which of the funds is the first. */
async function logOf(check: (env: Env) => Env, first = 0): Promise<readonly { event: string; fields: LogFields }[]> {
  const lines: { event: string; fields: LogFields }[] = [];
  const randomBytes = () => Uint8Array.of(first, 0, 0, 0);
  const deps = {
    ...createDeps(env),
    randomBytes,
    log: (event: string, fields: LogFields = {}) => lines.push({ event, fields }),
  };
  await checkFundBalances(check(bindings), deps);
  return lines;
}

test("the cron logs how every fund of every project stands", async () => {
  await projectWithFunds("prj_1", ["fund_1", "fund_2"]);
  await projectWithFunds("prj_2", ["fund_3"]);
  await bindings.FUND.getByName("fund_3").update({ paused: true });
  const lines = await logOf((real) => real);
  const fields = { network: "SUI_LOCALNET", balanceAtoms: "0", inFlightAtoms: "0", paused: null };
  expect(lines).toEqual([
    { event: "fund.balance", fields: { ...fields, fund: "fund_1", project: "prj_1" } },
    { event: "fund.balance", fields: { ...fields, fund: "fund_2", project: "prj_1" } },
    { event: "fund.balance", fields: { ...fields, fund: "fund_3", project: "prj_2", paused: "operator" } },
  ]);
});

test("a fund that fails, or a whole project, does not keep the others from being checked", async () => {
  await projectWithFunds("prj_1", ["fund_1", "fund_2"]);
  await projectWithFunds("prj_2", ["fund_3"]);
  const failing = <ObjectClass>(objects: ObjectNamespace<ObjectClass>, broken: string) => ({
    getByName: (name: string) => {
      if (name === broken) throw new Error("this object is broken");
      return objects.getByName(name);
    },
  });
  const events = (lines: readonly { event: string; fields: LogFields }[]) =>
    lines.map(({ event, fields }) => `${event} ${fields.fund ?? fields.project}`);
  expect(events(await logOf((real) => ({ ...real, FUND: failing(real.FUND, "fund_1") })))).toEqual([
    "fund.check_failed fund_1",
    "fund.balance fund_2",
    "fund.balance fund_3",
  ]);
  expect(events(await logOf((real) => ({ ...real, PROJECT: failing(real.PROJECT, "prj_1") })))).toEqual([
    "project.check_failed prj_1",
    "fund.balance fund_3",
  ]);
});

test("a run that the platform ends early starves no fund: another one is the first each time", async () => {
  await projectWithFunds("prj_1", ["fund_1", "fund_2"]);
  await projectWithFunds("prj_2", ["fund_3"]);
  const firstOf = async (first: number) => (await logOf((real) => real, first))[0]?.fields.fund;
  expect([await firstOf(0), await firstOf(1), await firstOf(2), await firstOf(3)]).toEqual([
    "fund_1",
    "fund_2",
    "fund_3",
    "fund_1",
  ]);
});

test.each([50, 1_000])("a run that the platform ends after %i calls leaves a report", async (limit) => {
  const fundIds = Array.from({ length: limit }, (_, index) => `fund_${index}`);
  const reports: ServiceReport[] = [];
  let calls = 0;
  const call = async <T>(answer: T): Promise<T> => {
    calls += 1;
    if (calls > limit) throw new Error("Too many subrequests.");
    return answer;
  };
  const check = { fundId: "", projectId: "", network: "SUI_LOCALNET", balanceAtoms: 0n, inFlightAtoms: 0n } as const;
  const counting = {
    DIRECTORY: {
      getByName: () => ({
        projects: () => call({ items: ["prj_1"], nextCursor: null }),
        takeReport: async (report: ServiceReport) => void reports.push(await call(report)),
      }),
    },
    PROJECT: {
      getByName: () => ({
        resources: () => call({ items: fundIds, nextCursor: null }),
        metrics: () => call({ networks: ["SUI_LOCALNET"], storage: { isFull: false }, lateMs: 0 }),
      }),
    },
    FUND: { getByName: () => ({ check: () => call({ ...check, pausedCause: null }) }) },
  };
  await logOf((real) => ({ ...real, ...(counting as unknown as Env) }));
  const networks = ["SUI_LOCALNET"];
  expect(reports.at(-1)).toMatchObject({ networks, projects: 1, unreadable: 0, isCut: true });
  expect(reports.at(-1)?.funds).toBeGreaterThan(limit - 20);
});

test("a network that a cut round has missed stays in use", async () => {
  await runInDurableObject(env.DIRECTORY.getByName("reports"), (_, { storage }) => {
    const reports = new ServiceReports(storage.sql);
    const whole: ServiceReport = { networks: [], projects: 1, funds: 1, unreadable: 0, storageFull: 0, overdue: 0 };
    reports.put({ ...whole, networks: ["SUI_MAINNET"] }, 1);
    reports.put({ ...whole, networks: ["SUI_TESTNET"], isCut: true }, 2);
    expect([...reports.networksInUse()]).toEqual(["SUI_MAINNET", "SUI_TESTNET"]);
    reports.put({ ...whole, networks: ["SUI_TESTNET"] }, 3);
    expect([...reports.networksInUse()]).toEqual(["SUI_TESTNET"]);
  });
});
