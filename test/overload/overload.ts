import { monitorEventLoopDelay } from "node:perf_hooks";
import * as z from "zod";
import { adminCall, createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject, type ProjectFund, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { runLoad } from "../bench/load.ts";
import { sponsorRoute } from "../bench/route.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { raiseLimits } from "../support/limits.ts";
import { type Answer, latency, type Met, sendArrivals } from "./arrivals.ts";

const FUND_MIST = 10_000_000_000_000n;
/** No more than the door gives the runtime at once: nobody waits there. */
const CALLERS = 32;
const PAGE = 200;

export interface Overloaded extends Met {
  readonly fund: ProjectFund;
  readonly capacityPerSecond: number;
  readonly afterwardsPerSecond: number;
  /** What an answer takes where some callers ask again as soon as they have theirs: how slow the machine is just now. */
  readonly atCapacityMs: number;
  readonly granted: readonly Answer[];
  readonly refused: readonly Answer[];
  /** Neither of these. */
  readonly others: readonly Answer[];
  /** Sponsorships that the fund has made while it was overloaded. */
  readonly made: number;
  /** The longest that this process was kept from reading answers. */
  readonly pausedMs: number;
}

export interface OverloadOptions {
  readonly factor: number;
  readonly seconds: number;
  /** For the measure of the capacity. */
  readonly requests: number;
}

/**
 * Asks a service for sponsorships, more often than it can make them, and looks at what became of everybody.
 * Their fund pays from an address balance, so that it never waits for a coin.
 */
export async function overload(access: ServiceAccess, options: OverloadOptions): Promise<Overloaded> {
  const fund = await createFundInProject(access, "overload", { mode: "address_balance" });
  const { fundId, projectId } = fund;
  await faucetIntoBalance(access.chainUrl, fund.depositAddress, FUND_MIST);
  await refreshPast(access, fundId, 0n);
  const limits = { qps: 10_000, cups: 1_000 };
  const { id: keyId, key } = await createKey(access, projectId, { name: "callers", rights: ["gas"], fundId, limits });
  await raiseLimits(access, { fundId, keyId });
  const route = await sponsorRoute("overload", { url: access.serviceUrl, pid: () => 0 }, key);
  // A machine that stood still for seconds has some refused here too.
  const load = { ...route, expected: '"jsonrpc"', callers: CALLERS, requests: options.requests };
  await runLoad(load);
  const before = await runLoad(load);
  const capacityPerSecond = before.requestsPerSecond;
  const madeBefore = await countSponsorships(access, fundId);
  const delays = monitorEventLoopDelay();
  delays.enable();
  const met = await sendArrivals({
    ...route,
    body: route.body ?? "",
    perSecond: options.factor * capacityPerSecond,
    seconds: options.seconds,
    patienceMs: 60_000,
    maxOpen: 8_000,
  });
  delays.disable();
  const granted = met.answers.filter(({ text }) => text.includes('"result"'));
  const refused = met.answers.filter(({ text }) => text.includes('"overloaded"'));
  const made = (await countSponsorships(access, fundId)) - madeBefore;
  const afterwards = await runLoad(load);
  return {
    ...met,
    fund,
    capacityPerSecond,
    afterwardsPerSecond: afterwards.requestsPerSecond,
    atCapacityMs: Math.max(before.p99Ms, afterwards.p99Ms),
    granted,
    refused,
    others: met.answers.filter((answer) => !granted.includes(answer) && !refused.includes(answer)),
    made,
    pausedMs: delays.max / 1_000_000,
  };
}

const pageSchema = z.object({ items: z.array(z.unknown()), nextCursor: z.string().nullable() });

async function countSponsorships(access: ServiceAccess, fundId: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await adminCall(access, "GET", `/funds/${fundId}/sponsorships?limit=${PAGE}${from}`);
    const page: z.output<typeof pageSchema> = expectAnswer("the sponsorships", answer, pageSchema);
    count += page.items.length;
    cursor = page.nextCursor;
  }
  return count;
}

export function describeOverload({ granted, refused, others, ...what }: Overloaded): string {
  const times = (answers: readonly Answer[]) =>
    `${answers.length}, p50 ${latency(answers, 0.5).toFixed(0)} ms, p99 ${latency(answers, 0.99).toFixed(0)} ms`;
  return `capacity ${what.capacityPerSecond.toFixed(0)}/s, afterwards ${what.afterwardsPerSecond.toFixed(0)}/s, p99 there ${what.atCapacityMs.toFixed(0)} ms
granted ${times(granted)}; the fund has made ${what.made}
refused ${times(refused)}
others ${others.length}, left ${what.left}, broken ${what.broken}, turned away before ${what.capped}
this process was paused for up to ${what.pausedMs.toFixed(0)} ms`;
}
