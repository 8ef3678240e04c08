import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import * as z from "zod";
import { chargedToFund } from "../../shared/cli/client/admin.ts";
import { runMainJob } from "../../shared/cli/story/main-job.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { advance, chainUrl, gas, harness, newFund, newKey, scheduled, serviceUrl, sui } from "./harness.ts";

test("the main job runs against the deployable bundle, and the fund pays exactly what the chain charged", async () => {
  const fund = await newFund();
  const { key } = await newKey(fund);
  const user = new Ed25519Keypair();
  const report = await runMainJob(
    { serviceUrl, chainUrl, key, user, demoPackage: DEMO_PACKAGE, badgeName: "harness" },
    () => {},
  );
  expect(report).toMatchObject({ status: "COMPLETE", executedSuccessfully: true });
  expect(await chargedToFund(harness, fund.fundId, report.digest)).toBe(report.chargedMist);
  expect(report.after.inFlight).toBe(0n);
});

test("advancing moves the clocks of service and chain together, and both keep their state", async () => {
  const { key } = await newKey(await newFund());
  const before = await gas(key, "gas_getFund", []);
  const aheadMs = await advance(7_200_000);
  expect(aheadMs).toBeGreaterThanOrEqual(7_200_000);
  expect((await gas(key, "gas_getFund", [])).body).toEqual(before.body);
  const { response } = await sui.ledgerService.getServiceInfo({});
  const chainClockMs = Number(response.timestamp?.seconds) * 1000;
  expect(chainClockMs).toBeGreaterThan(Date.now() + 7_100_000);
  const user = new Ed25519Keypair();
  let expiresAt = "";
  await runMainJob(
    { serviceUrl, chainUrl, key, user, demoPackage: DEMO_PACKAGE, badgeName: "later" },
    (label, text) => {
      if (label === "sponsored") expiresAt = z.string().parse(/until (\S+),/.exec(text)?.[1]);
    },
  );
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + aheadMs);
});

test("every cron of the configuration runs", async () => {
  expect(harness.crons.length).toBeGreaterThan(0);
  for (const cron of harness.crons) await scheduled(cron);
});
