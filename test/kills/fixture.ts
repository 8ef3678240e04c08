import { SuiGrpcClient } from "@mysten/sui/grpc";
import { expect } from "vitest";
import * as z from "zod";
import { createKey } from "../../shared/cli/client/admin.ts";
import { createFundInProject, deposit, type ProjectFund, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import type { Variables } from "../../shared/cli/platform.ts";
import { createSuiGasClient, type SuiGasClient } from "../../shared/client/gas-client.ts";
import { fundOnDisk } from "../harness/disk.ts";
import type { SelfHosted } from "../harness/self-hosted.ts";
import { raiseLimits } from "../support/limits.ts";
import { sleep } from "../support/random.ts";
import type { Books } from "./books.ts";

/** After the hour, and the time in which a fund waits for late users and for company. */
export const AFTER_THE_HOUR_MS = 3_600_000 + 60_000;
/** What is open after its hour is looked up this often. */
const LONGEST_SLEEP_MS = 15_000;
/** So long without a sign of it, and the fund has nothing left to do. */
const QUIET_MS = 5_000;
const PATIENCE_MS = 120_000;
const POLL_MS = 500;

/** Variables of a process whose clock is so far ahead. */
export function clockAhead(ms: number): Variables {
  return { STAGE: "test", CLOCK_OFFSET_MS: String(ms) };
}

/** An access key of a fund that no limit stands in the way of. */
export async function newGas(
  access: ServiceAccess,
  fund: ProjectFund,
  name: string,
): Promise<{ keyId: string; gas: SuiGasClient }> {
  const terms = { name, rights: ["gas"], fundId: fund.fundId, limits: { qps: 10_000, cups: 1_000 } };
  const { id: keyId, key } = await createKey(access, fund.projectId, terms);
  await raiseLimits(access, { ...fund, keyId });
  return { keyId, gas: createSuiGasClient({ baseUrl: access.serviceUrl, accessKey: key }) };
}

/** A fund that owns these coins, and who can tell what becomes of them. `fields` go to the admin API as they are. */
export async function openBooks(
  access: ServiceAccess,
  name: string,
  depositsMist: readonly bigint[],
  fields: object = {},
): Promise<Books> {
  const fund = await createFundInProject(access, name, fields);
  await deposit(access, fund, depositsMist);
  const { gas } = await newGas(access, fund, name);
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${access.chainUrl}/sui` });
  return { access, fund, gas, sui };
}

const callsSchema = z.record(z.string(), z.int());

/** Waits, without a call to the service, until it has asked the chain for a while only what finds deposits. */
export async function untilSettled({ chainUrl }: SelfHosted): Promise<void> {
  const counted = async () => {
    const answer = await http(`${chainUrl}/control/calls`);
    const calls = Object.entries(expectAnswer("the chain's call counts", answer, callsSchema));
    const working = calls.filter(([method]) => /Batch|Execute|Simulate|\/transactions/.test(method));
    return working.reduce((sum, [, count]) => sum + count, 0);
  };
  await sleep(LONGEST_SLEEP_MS);
  const deadline = Date.now() + PATIENCE_MS;
  for (let last = await counted(), since = Date.now(); Date.now() - since < QUIET_MS; await sleep(POLL_MS)) {
    const now = await counted();
    if (now === last) continue;
    [last, since] = [now, Date.now()];
    if (since > deadline) throw new Error("the fund never comes to rest");
  }
}

/** What stays due in a fund that has come to rest: to look for deposits, and to drop the answers that it has kept. */
const DUE_AT_REST = ["answers", "scan"];

/** Checks that nothing of the one fund is open, and that every coin is ready to be lent. */
export async function checkNothingIsStuck({ service, serviceState }: SelfHosted): Promise<void> {
  await service.kill();
  const { coins, due, pendingOwn } = await fundOnDisk(serviceState);
  expect(Object.keys(coins), "every coin is free").toEqual(["free"]);
  const open = due.filter((kind) => !DUE_AT_REST.includes(kind));
  expect({ open, pendingOwn }).toEqual({ open: [], pendingOwn: 0 });
  await service.restart();
}
