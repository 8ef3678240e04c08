import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../shared/cli/root.ts";
import { spreadOf } from "../report/comparison.ts";
import { verdict } from "../report/goals.ts";
import { layOut, range } from "../report/table.ts";
import { type Round, type Route, route, runRound, runRounds, sponsorRoute } from "../route.ts";
import { AgingFund } from "../years-fund.ts";
import { type Look, looksAt } from "./looks.ts";
import { downloadTable } from "./pages.ts";

/** `LISTS=10000 npm run bench -- lists` makes a smaller month. */
const TOTAL = Number(process.env.LISTS ?? 100_000);
const DAYS = 30;
const DAY_MS = 86_400_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CALLS_A_ROUND = 4;
/** The CPU of the object that a call may take, ms. The measured figure includes that of the Worker. */
const LIMIT_MS = 200;
const SPONSOR = { callers: 16, requests: Number(process.env.BENCH_REQUESTS ?? 500) };
/** An operator's page makes so many calls a second. */
const LOOKS_A_SECOND = 4;
const MICROS_PER_MS = 1_000;

/** The three ways in which sponsoring is measured, in turn. */
const COMPANIES = ["alone", "beside looks", "beside a download"] as const;
type Company = (typeof COMPANIES)[number];
/** A round to warm up, and those that count. */
const COINS = SPONSOR.requests * COMPANIES.length * (ROUNDS + 1) + SPONSOR.callers;

async function makeMonth(): Promise<{ readonly fund: AgingFund; readonly endMs: number }> {
  console.log(`${COINS} coins, ${TOTAL} sponsorships in ${DAYS} days`);
  const terms = { coins: COINS, retentionDays: 90, executedEvery: 50, keys: 10, senders: 2_000, refused: 20 };
  const fund = await AgingFund.start(terms);
  try {
    for (let day = 0; day < DAYS; day += 1) {
      const { drivenMs } = await fund.round(day * DAY_MS, Math.ceil(TOTAL / DAYS));
      console.log(`day ${day + 1}: ${fund.digests.length} sponsorships, ${drivenMs} ms CPU`);
    }
    return { fund, endMs: Date.now() + (DAYS - 1) * DAY_MS };
  } catch (error) {
    await fund.stop();
    throw error;
  }
}

function lookRoute({ hosted }: AgingFund, { name, path, expected, accept }: Look): Route {
  const { headers, ...base } = route(name, hosted.service, path, null);
  const authorization = `Bearer ${hosted.adminToken}`;
  return { ...base, expected, headers: { ...headers, authorization, ...(accept && { accept }) } };
}

/** Splits the looks into single calls of the fund's object, and downloads of whole lists. */
function splitLooks(fund: AgingFund, looks: readonly Look[]) {
  const routed = looks.map((look) => ({ ...look, route: lookRoute(fund, look) }));
  return {
    single: routed.flatMap(({ rows, route }) => (rows === undefined ? [route] : [])),
    downloads: routed.flatMap(({ rows, route }) => (rows === undefined ? [] : [{ rows, route }])),
  };
}

/** Measures each look alone. */
async function lookTable(routes: readonly Route[]): Promise<string> {
  await runRounds(routes, { callers: 1, requests: CALLS_A_ROUND, rounds: ROUNDS }, (round) =>
    console.log(`looks: round ${round} of ${ROUNDS}`),
  );
  const rows = routes.map(({ name, rounds }) => {
    const cpuMs = spreadOf(rounds.map(({ cpuMicros }) => cpuMicros / MICROS_PER_MS));
    const p50Ms = spreadOf(rounds.map((round) => round.p50Ms)).median;
    return [name, cpuMs.median.toFixed(1), range(cpuMs, 1), p50Ms.toFixed(1), verdict(cpuMs.median <= LIMIT_MS)];
  });
  return layOut([["", "CPU ms", "min–max", "p50 ms", `${LIMIT_MS} ms`], ...rows]);
}

/** Looks at the fund until it is stopped, one call after the other. Returns the number of calls. */
function lookOn(routes: readonly Route[], perSecond: number | null) {
  let isStopped = false;
  const run = async () => {
    let calls = 0;
    const startedAt = performance.now();
    while (!isStopped) {
      const next = routes[calls % routes.length];
      if (next === undefined) break;
      const response = await fetch(next.url, { headers: next.headers });
      const text = await response.text();
      if (!text.includes(next.expected)) throw new Error(`${next.url} answered ${text.slice(0, 500)}`);
      calls += 1;
      const dueMs = perSecond === null ? 0 : startedAt + (calls * 1_000) / perSecond - performance.now();
      if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    }
    return calls;
  };
  const done = run();
  return {
    async stop() {
      isStopped = true;
      return done;
    },
  };
}

/** Sponsors alone and beside readers, in turn. */
async function sponsorTable(fund: AgingFund, single: readonly Route[], downloads: readonly Route[]): Promise<string> {
  const sponsor = await sponsorRoute("sponsor", fund.hosted.service, fund.key);
  const measured: Record<Company, { round: Round; calls: number }[]> = {
    alone: [],
    "beside looks": [],
    "beside a download": [],
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    // The order turns, so that no company always has the coins of the round before it.
    for (const company of round % 2 === 0 ? COMPANIES : COMPANIES.toReversed()) {
      const beside = { alone: [], "beside looks": single, "beside a download": downloads }[company];
      const reader = lookOn(beside, company === "beside looks" ? LOOKS_A_SECOND : null);
      const figures = await runRound(sponsor, SPONSOR.callers, SPONSOR.requests);
      const calls = await reader.stop();
      if (round > 0) measured[company].push({ round: figures, calls });
    }
    console.log(`sponsoring: round ${round} of ${ROUNDS}`);
  }
  const rows = COMPANIES.map((company) => {
    const rounds = measured[company];
    const against = measured.alone;
    const rate = spreadOf(rounds.map(({ round }) => round.requestsPerSecond));
    const cpu = spreadOf(rounds.map(({ round }) => round.cpuMicros));
    const ratio = (pick: (round: Round, alone: Round) => number) =>
      spreadOf(rounds.flatMap(({ round }, at) => (against[at] ? [pick(round, against[at].round)] : [])));
    const rateRatio = ratio((round, alone) => round.requestsPerSecond / alone.requestsPerSecond);
    // Objects share one thread, so its CPU bounds the rate.
    const cpuRatio = ratio((round, alone) => alone.cpuMicros / round.cpuMicros);
    return [
      `sponsor ${company}`,
      rate.median.toFixed(0),
      rateRatio.median.toFixed(2),
      range(rateRatio, 2),
      cpu.median.toFixed(0),
      cpuRatio.median.toFixed(2),
      range(cpuRatio, 2),
    ];
  });
  return layOut([["", "requests/s", "of alone", "min–max", "CPU µs", "rate by CPU", "min–max"], ...rows]);
}

/**
 * A month of one fund: the CPU of each list, sum and metric, and the rate of sponsoring beside somebody who reads them.
 * The clock moves by a day after each round.
 */
export async function benchLists(): Promise<void> {
  const { fund, endMs } = await makeMonth();
  try {
    const { single, downloads } = splitLooks(fund, looksAt(fund, endMs));
    const looked = [await lookTable(single), await downloadTable(downloads, LIMIT_MS)];
    const wholeLists = downloads.map(({ route }) => route);
    const tables = [...looked, await sponsorTable(fund, single, wholeLists)].join("\n\n");
    const folder = join(root, "dist/bench");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "lists.txt"), `${tables}\n`);
    console.log(`\n${tables}\n\nwritten to dist/bench: lists.txt`);
  } finally {
    await fund.stop();
  }
}
