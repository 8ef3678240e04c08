import { layOut } from "../report/table.ts";
import { type LaneFigures, type LaneLoad, simulateLanes } from "./lanes.ts";
import { simulateWebhooks, type WebhookFigures, type WebhookLoad } from "./webhooks.ts";

const LANES = [1, 2, 4, 8, 16];
const ENDPOINTS = [1, 4, 16];
const SEED = 20;
const SECONDS = 20;
/** Cloudflare's soft limit of one object is 1,000 requests a second. */
const SERVICE_MS = 1;
/** A creation is two calls of the index. */
const CREATION_MS = 2;
const LOAD_SHARE = 0.7;
const WAY_MS = 5;
const LOSS = 0.001;
const BUDGET = 5;

/** Most sponsorships settle after some seconds. One of fifty is abandoned, and held longer than the run. */
export function sponsorshipHoldMs(random: () => number): number {
  return random() < 0.02 ? Number.POSITIVE_INFINITY : 1_000 - Math.log(1 - random()) * 1_000;
}

/** A fund whose limit has this much room above what is in flight at the end. */
export function fundLoad(lanes: number, room: number): LaneLoad {
  const requestsPerSecond = (LOAD_SHARE * lanes * 1_000) / SERVICE_MS;
  // Settling ones for 2 s each, and abandoned ones of the whole run.
  const inFlight = requestsPerSecond * (0.98 * 2 + 0.02 * SECONDS) * BUDGET;
  return {
    seed: SEED,
    lanes,
    requestsPerSecond,
    seconds: SECONDS,
    serviceMs: SERVICE_MS,
    wayMs: WAY_MS,
    loss: LOSS,
    limit: Math.round(inFlight * room),
    amount: BUDGET,
    holdMs: sponsorshipHoldMs,
  };
}

/** A wallet index whose monthly quota is this part of what is asked for. A wallet keeps its place for ever. */
export function quotaLoad(shards: number, part: number): LaneLoad {
  const requestsPerSecond = (LOAD_SHARE * shards * 1_000) / CREATION_MS;
  return {
    ...fundLoad(shards, 1),
    requestsPerSecond,
    serviceMs: CREATION_MS,
    limit: Math.round(requestsPerSecond * SECONDS * part),
    amount: 1,
    holdMs: () => Number.POSITIVE_INFINITY,
  };
}

/** Endpoints that answer within 100 ms in the mean. */
export function webhookLoad(endpoints: number, senders: WebhookLoad["senders"]): WebhookLoad {
  return { seed: SEED, endpoints, eventsPerSecond: 25, seconds: SECONDS, answerMs: 100, senders };
}

const LANE_COLUMNS = [
  "",
  "answered/s",
  "p50 ms",
  "p99 ms",
  "coordinator calls/1,000",
  "refused",
  "unused then",
  "peak use",
  "busiest",
];

function laneRow(name: string, figures: LaneFigures): readonly string[] {
  const { answeredPerSecond, p50Ms, p99Ms, coordinatorCalls, refused, unusedAtRefusal, peakUse, busiest } = figures;
  return [
    name,
    answeredPerSecond.toFixed(0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    coordinatorCalls.toFixed(1),
    String(refused),
    `${(100 * unusedAtRefusal).toFixed(2)} %`,
    `${(100 * peakUse).toFixed(1)} %`,
    busiest.toFixed(2),
  ];
}

function webhookRow(name: string, { deliveredPerSecond, p50Ms, p99Ms, waiting }: WebhookFigures): readonly string[] {
  return [name, deliveredPerSecond.toFixed(0), p50Ms.toFixed(0), p99Ms.toFixed(0), String(waiting)];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Simulates lanes of a fund, and shards of a wallet index. Each run gives the same tables. */
export function laneTables(): readonly string[] {
  const funds = (room: number) =>
    LANES.map((lanes) => laneRow(counted(lanes, "lane"), simulateLanes(fundLoad(lanes, room))));
  const quotas = LANES.map((shards) => laneRow(counted(shards, "shard"), simulateLanes(quotaLoad(shards, 0.8))));
  return [funds(1.3), funds(0.9), quotas].map((rows) => layOut([LANE_COLUMNS, ...rows]));
}

function webhookTable(): string {
  const rows = ENDPOINTS.flatMap((endpoints) =>
    (["one", "one an endpoint"] as const).map((senders) => {
      const name = `${counted(endpoints, "endpoint")}, ${senders === "one" ? "one sender" : "a sender each"}`;
      return webhookRow(name, simulateWebhooks(webhookLoad(endpoints, senders)));
    }),
  );
  return layOut([["", "delivered/s", "p50 ms", "p99 ms", "waiting"], ...rows]);
}

const TITLES = [
  "a fund whose limits have 30 % of room",
  "a fund whose limits are 10 % too small",
  "a wallet index whose quota ends after 80 % of the creations",
];

/** Prints the figures of a fund, a wallet index and the webhooks in shards. */
export async function benchSharding(): Promise<void> {
  for (const [index, table] of laneTables().entries()) console.log(`\n${TITLES[index]}\n${table}`);
  console.log(`\nwebhooks, 25 events a second an endpoint\n${webhookTable()}`);
}
