import * as z from "zod";
import { batchesOf } from "../../shared/paging.ts";
import { median } from "./load.ts";
import { AgingFund, FEE_MIST, type RoundCpu } from "./years-fund.ts";

/** `YEARS=1000000 npm run bench -- years` drives a million. */
const TOTAL = Number(process.env.YEARS ?? 20_000);
/** Rounds in which the clock stands. A day of retention holds four of them. */
const ROUNDS = Math.min(Math.max(Math.floor(TOTAL / 2_000), 16), 80);
const ROUND_MS = 21_600_000;
const ROUNDS_A_DAY = 4;
/** The first round after the one in which the first rows leave. Rows leave in each round from then on. */
const FIRST_STEADY = ROUNDS_A_DAY + 1;
/** Three days, if the bench has so many. */
const COMPARED_ROUNDS = Math.min(3 * ROUNDS_A_DAY, Math.floor((ROUNDS - FIRST_STEADY) / 2));
/** The last rounds, in which a young fund is driven, too. It has to come to steady rounds itself. */
const YOUNG_ROUNDS = FIRST_STEADY + Math.ceil(COMPARED_ROUNDS / 2);
const STATUS_AT_ONCE = 100;
const STATUS_CALLS_AT_ONCE = 4;
const PAGES_AT_ONCE = 20;
/** Marks at which the sizes are compared, of all sponsorships: 100,000, 300,000 and all of a million. */
const MARKS = [0.1, 0.3, 1];
/** The most that the fund's object may grow from the first mark to any later one. */
const MOST_GROWTH = 1.1;
/** The most CPU of a sponsorship at the end, as a multiple of the start. */
const MOST_CPU = 1.1;
const MIB = 1_048_576;

const statusesSchema = z.array(z.object({ status: z.string(), archived: z.boolean() }));
const listedSchema = z.object({
  cursor: z.string().nullable(),
  digests: z.array(z.string()),
  sums: z.record(z.string(), z.coerce.bigint()),
});

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)}, and not ${String(expected)}`);
}

/** Drives the rounds of the fund, and in the last ones a young fund beside it. */
async function driveRounds(fund: AgingFund, perRound: number) {
  const old: RoundCpu[] = [];
  const markedBytes: number[] = [];
  const young: RoundCpu[] = [];
  let beside: AgingFund | null = null;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      old.push(await fund.round(round * ROUND_MS, perRound));
      const isMark = MARKS.some((mark) => roundOf(mark) === round);
      if (isMark) markedBytes.push((await fund.sizeOf("Fund")).usedBytes);
      console.log(`${isMark ? "*" : " "} ${await roundLine(fund, old.at(-1), perRound)}`);
      if (round < ROUNDS - YOUNG_ROUNDS) continue;
      // The same machine in the same minutes: only the age differs.
      beside ??= await AgingFund.start();
      young.push(await beside.round(young.length * ROUND_MS, perRound));
      console.log(`  young: ${await roundLine(beside, young.at(-1), perRound)}`);
    }
  } finally {
    await beside?.stop();
  }
  return { old, young, markedBytes };
}

/** The round in which so many of all sponsorships are there. No row has left before the steady rounds. */
function roundOf(mark: number): number {
  return Math.max(Math.ceil(mark * ROUNDS) - 1, FIRST_STEADY);
}

async function roundLine(fund: AgingFund, cpu: RoundCpu | undefined, perRound: number): Promise<string> {
  const [stored, archives] = [await fund.sizeOf("Fund"), await fund.sizeOf("FundArchive")];
  const mib = (bytes: number) => (bytes / MIB).toFixed(2);
  return [
    `${fund.digests.length} sponsorships`.padEnd(22),
    `fund ${mib(stored.usedBytes)} of ${mib(stored.bytes)} MiB`.padEnd(26),
    `${archives.objects} archives ${mib(archives.bytes)} MiB`.padEnd(26),
    `ms CPU each: ${eachMs(cpu === undefined ? [] : [cpu], perRound)}`,
  ].join("");
}

function wholeMs(rounds: readonly RoundCpu[], perRound: number): number {
  return median(rounds.map(({ movesMs, drivenMs }) => movesMs + drivenMs)) / perRound;
}

function eachMs(rounds: readonly RoundCpu[], perRound: number): string {
  const driven = median(rounds.map(({ drivenMs }) => drivenMs)) / perRound;
  const moves = median(rounds.map(({ movesMs }) => movesMs)) / perRound;
  return `${driven.toFixed(3)} + ${moves.toFixed(3)} moved`;
}

/**
 * Prints the CPU of a sponsorship in parts of the fund's life, medians of rounds, and returns that of the end as a
 * multiple of the start. A row is moved once in its life. So a steady round has the CPU of as many whole lives as it has
 * rows.
 */
function cpuGrowth(old: readonly RoundCpu[], young: readonly RoundCpu[], perRound: number): number {
  const windows = {
    "before the first move": old.slice(1, ROUNDS_A_DAY),
    "at the start": old.slice(FIRST_STEADY, FIRST_STEADY + COMPARED_ROUNDS),
    "at the end": old.slice(-COMPARED_ROUNDS),
    "at the end, beside": old.slice(FIRST_STEADY - YOUNG_ROUNDS),
    "young, beside": young.slice(FIRST_STEADY),
  };
  for (const [name, rounds] of Object.entries(windows))
    console.log(
      `${name.padEnd(24)} ${rounds.length} rounds: ${wholeMs(rounds, perRound).toFixed(3)} = ${eachMs(rounds, perRound)}`,
    );
  const ratio = (one: readonly RoundCpu[], other: readonly RoundCpu[]) =>
    wholeMs(one, perRound) / wholeMs(other, perRound);
  const growth = ratio(windows["at the end"], windows["at the start"]);
  console.log(
    `CPU at the end: ${growth.toFixed(2)} of the start,`,
    `${ratio(windows["at the end, beside"], windows["young, beside"]).toFixed(2)} of a young fund in the same minutes,`,
    `${ratio(windows["at the end"], windows["before the first move"]).toFixed(2)} of no moves`,
  );
  return growth;
}

/** Prints the size of the fund's object at the marks, and returns the greatest as a multiple of the first. */
function sizeGrowth(markedBytes: readonly number[]): number {
  const growth = Math.max(...markedBytes) / (markedBytes[0] ?? Number.NaN);
  const sizes = markedBytes.map((bytes) => `${(bytes / MIB).toFixed(2)} MiB`);
  console.log(`the fund's object at the marks: ${sizes.join(", ")}: ${growth.toFixed(2)} of the first`);
  return growth;
}

function expectAtMost(what: string, actual: number, most: number): void {
  if (!(actual <= most)) throw new Error(`EXCEEDED: ${what}: ${actual.toFixed(3)}, and not at most ${most}`);
}

/** A caller sees the same answer for an unknown digest. So each old row has to be in an archive under its digest, too. */
async function expectAllFound(fund: AgingFund, perRound: number): Promise<void> {
  const startedAt = performance.now();
  let archived = 0;
  const lookUp = async (asked: readonly string[]) => {
    const answers = await fund.ask({ do: "status", digests: asked.join(",") }, statusesSchema);
    for (const [index, digest] of asked.entries()) {
      const expected = fund.executed.has(digest) ? "COMPLETE" : "INVALID";
      expectEqual(`the status of ${digest}`, answers[index]?.status, expected);
      if (answers[index]?.archived) archived += 1;
      else expectEqual(`${digest} is of the last day`, lastOnes.has(digest), true);
    }
  };
  const lastOnes = new Set(fund.digests.slice(-FIRST_STEADY * perRound));
  const batches = [...batchesOf(fund.digests, STATUS_AT_ONCE)];
  for (const some of batchesOf(batches, STATUS_CALLS_AT_ONCE)) await Promise.all(some.map(lookUp));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${fund.digests.length} digests looked up in ${seconds} s, ${archived} of them archived`);
}

/** Reads a whole list through the fund, and adds it up. */
async function wholeList(fund: AgingFund, list: "sponsorships" | "ledger") {
  const sums: Record<string, bigint> = {};
  const digests: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { do: "list", list, pages: String(PAGES_AT_ONCE), ...(cursor !== "" && { cursor }) };
    const listed: z.output<typeof listedSchema> = await fund.ask(query, listedSchema);
    for (const [name, sum] of Object.entries(listed.sums)) sums[name] = (sums[name] ?? 0n) + sum;
    digests.push(...listed.digests);
    cursor = listed.cursor;
  }
  return { sums, digests };
}

async function expectRightSums(fund: AgingFund): Promise<void> {
  const view = await fund.view();
  const listed = await wholeList(fund, "sponsorships");
  expectEqual("sponsorships listed", listed.digests.length, fund.digests.length);
  expectEqual("different ones", new Set(listed.digests).size, fund.digests.length);
  const known = new Set(fund.digests);
  expectEqual("unknown ones", listed.digests.filter((digest) => !known.has(digest)).length, 0);
  expectEqual("the fees", BigInt(view.accruedFees), FEE_MIST * BigInt(fund.executed.size));
  const ledger = await wholeList(fund, "ledger");
  expectEqual("the charges of the ledger", ledger.sums.charged, listed.sums.charged);
  expectEqual("the ledger's balance", ledger.sums.balance, BigInt(view.balance));
  expectEqual("the ledger's withheld amounts", ledger.sums.inFlight, BigInt(view.inFlight));
  expectEqual("the ledger's fees", ledger.sums.fees, BigInt(view.accruedFees));
  expectEqual("exact", await fund.isExact(), true);
  console.log(
    `${listed.digests.length} sponsorships and ${ledger.sums.rows} ledger rows listed, all sums right, exact`,
  );
}

/**
 * Years of one fund: its size, the CPU of a sponsorship at the start and at the end, and whether every digest is still
 * found and every sum is right. The retention is a day, and the clock moves by six hours after each round.
 */
export async function benchYears(): Promise<void> {
  const fund = await AgingFund.start();
  try {
    const perRound = Math.ceil(TOTAL / ROUNDS);
    const { old, young, markedBytes } = await driveRounds(fund, perRound);
    const [cpu, size] = [cpuGrowth(old, young, perRound), sizeGrowth(markedBytes)];
    await expectAllFound(fund, perRound);
    await expectRightSums(fund);
    // These come last, so that a busy machine does not keep the other findings back.
    expectAtMost("the size of the fund's object at a mark, of the first", size, MOST_GROWTH);
    expectAtMost("the CPU of a sponsorship at the end, of the start", cpu, MOST_CPU);
  } finally {
    await fund.stop();
  }
}
