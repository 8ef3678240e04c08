import { toBase64 } from "@mysten/sui/utils";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createFundInProject, type ProjectFund } from "../../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../../shared/cli/client/http.ts";
import {
  chainUrl,
  deposit,
  gas,
  harness,
  newKey,
  requestLineOf,
  setServiceVars,
  uniqueName,
} from "../../harness/harness.ts";
import { EXECUTE, SIMULATE } from "../../support/chain-control.ts";
import { BUDGET, COIN_MIST, newUser, prepare, signatureOf, sponsor } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

/** A network on which no other test has a fund, at an endpoint of its own: what is counted there is of this file alone. */
const NETWORK = "SUI_DEVNET";
const ENDPOINT = "counted";
const MAX_WINDOWS = 15;
const CALLS = `${chainUrl}/control/calls?endpoint=${ENDPOINT}`;

/** What the fund does by itself every few seconds: scan, settle, refresh chain facts. */
const BACKGROUND = new Set([
  "StateService/GetBalance",
  "StateService/ListOwnedObjects",
  "LedgerService/GetServiceInfo",
  "LedgerService/GetEpoch",
  "LedgerService/BatchGetTransactions",
  "LedgerService/BatchGetObjects",
]);

/** A fund with coins enough for every window, and an access key for it. */
async function countedFund(): Promise<ProjectFund & { readonly key: string }> {
  const fund = await createFundInProject(harness, uniqueName("fund"), { network: NETWORK });
  await deposit(
    fund,
    Array.from({ length: 2 * MAX_WINDOWS + 1 }, () => COIN_MIST),
  );
  return { ...fund, ...(await newKey(fund, { network: NETWORK })) };
}

beforeAll(() => setServiceVars({ SUI_DEVNET_NODES: `${chainUrl}/sui/${ENDPOINT}` }));

/**
 * Counts every upstream call during an action, in a window in which the fund did nothing by itself. More dry runs than
 * the action may make are never excused by what else went on.
 */
async function callsDuring(action: () => Promise<unknown>, dryRuns: number): Promise<Readonly<Record<string, number>>> {
  for (let window = 0; window < MAX_WINDOWS; window++) {
    await http(CALLS, { method: "DELETE" });
    await action();
    const calls = expectAnswer("the calls", await http(CALLS), z.record(z.string(), z.int()));
    expect(calls[SIMULATE] ?? 0).toBeLessThanOrEqual(dryRuns);
    if (!Object.keys(calls).some((method) => BACKGROUND.has(method))) return calls;
  }
  throw new Error(`something else went on in each of ${MAX_WINDOWS} windows`);
}

test.each([
  ["a sponsorship", sponsor],
  ["a preparation", prepare],
] as const)(
  "with fresh chain facts %s asks no node when it has a budget, and once when it has none",
  async (_, lend) => {
    const { key } = await countedFund();
    const kind = await mintKind();
    // Fetches the chain facts.
    await lend(key, kind, newUser().toSuiAddress(), BUDGET);
    const lendWith = (budget: string | null) => () => lend(key, kind, newUser().toSuiAddress(), budget);
    expect(await callsDuring(lendWith(BUDGET), 0)).toEqual({});
    expect(await callsDuring(lendWith(null), 1)).toEqual({ [SIMULATE]: 1 });
  },
);

test("the log line of a sponsorship and of an execution says how many calls they took", async () => {
  const { key } = await countedFund();
  const kind = await mintKind();
  let line: Readonly<Record<string, unknown>> = {};
  const lend = (budget: string | null) => async () => {
    const params = [toBase64(kind), newUser().toSuiAddress(), budget];
    line = await requestLineOf(await gas(key, "gas_sponsorTransactionBlock", params));
  };
  const execute = async () => {
    const user = newUser();
    const { txBytes, txDigest } = await sponsor(key, kind, user.toSuiAddress(), BUDGET);
    const params = [txDigest, await signatureOf(user, { txBytes })];
    line = await requestLineOf(await gas(key, "gas_executeTransactionBlock", params));
  };
  // Fetches the chain facts.
  await lend(BUDGET)();
  await callsDuring(lend(BUDGET), 0);
  expect(line).toMatchObject({ rpc: "gas_sponsorTransactionBlock", upstreamCalls: 0 });
  await callsDuring(lend(null), 1);
  expect(line).toMatchObject({ rpc: "gas_sponsorTransactionBlock", upstreamCalls: 1 });
  expect(await callsDuring(execute, 0)).toEqual({ [EXECUTE]: 1 });
  expect(line).toMatchObject({ rpc: "gas_executeTransactionBlock", upstreamCalls: 1 });
});
