import { expect, test } from "vitest";
import { clearUpstreamCalls, SIMULATE, upstreamCalls } from "./chain-control.ts";
import { BUDGET, fundWithKey, newUser, prepare, sponsor } from "./gas.ts";
import { mintKind } from "./transactions.ts";

/** What this and every other fund on the service does by itself: scan, settle, refresh chain facts. */
const BACKGROUND = new Set([
  "StateService/GetBalance",
  "StateService/ListOwnedObjects",
  "LedgerService/GetServiceInfo",
  "LedgerService/GetEpoch",
  "LedgerService/BatchGetTransactions",
  "LedgerService/BatchGetObjects",
]);
/** Of the Aptos node, which funds of other tests ask: its methods are named like `GET /`. */
const OF_APTOS = /^(GET|POST) /;
const MAX_WINDOWS = 15;
const QUIET_MS = 200;
const MAX_QUIET_TRIES = 50;

/** A fund that splits coins asks what a sponsorship asks, but always after a scan: waits until none is under way. */
async function untilQuiet(): Promise<void> {
  for (let tries = 0; tries < MAX_QUIET_TRIES; tries++) {
    await clearUpstreamCalls();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    if (Object.keys(await upstreamCalls()).length === 0) return;
  }
  throw new Error("the chain is never quiet");
}

/**
 * Counts every upstream call during an action, in a window in which no fund did anything by itself. More dry runs than
 * the action may make are never excused by what else went on.
 */
async function callsDuring(action: () => Promise<unknown>, dryRuns: number): Promise<Readonly<Record<string, number>>> {
  for (let window = 0; window < MAX_WINDOWS; window++) {
    await untilQuiet();
    await action();
    const calls = await upstreamCalls();
    expect(calls[SIMULATE] ?? 0).toBeLessThanOrEqual(dryRuns);
    if (!Object.keys(calls).some((method) => BACKGROUND.has(method) || OF_APTOS.test(method))) return calls;
  }
  throw new Error(`something else went on in each of ${MAX_WINDOWS} windows`);
}

test.each([
  ["a sponsorship", sponsor],
  ["a preparation", prepare],
] as const)(
  "with fresh chain facts %s asks no node when it has a budget, and once when it has none",
  async (_, lend) => {
    const fund = await fundWithKey(2 * MAX_WINDOWS);
    const sender = newUser().toSuiAddress();
    const kind = await mintKind();
    // Fetches the chain facts.
    await lend(fund.key, kind, sender, BUDGET);
    const lendWith = (budget: string | null) => () => lend(fund.key, kind, newUser().toSuiAddress(), budget);
    expect(await callsDuring(lendWith(BUDGET), 0)).toEqual({});
    expect(await callsDuring(lendWith(null), 1)).toEqual({ [SIMULATE]: 1 });
  },
);
