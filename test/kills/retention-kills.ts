import { expect } from "vitest";
import { adminCall, idSchema } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { TRIED_AGAIN_MS } from "../../shared/fund/archive/move.ts";
import type { Chain } from "../../shared/networks.ts";
import { fundFile } from "../harness/disk.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { endedName } from "../support/fund/version-5.ts";
import {
  age,
  expectExactBooks,
  expectListedOnce,
  type Funds,
  filesOf,
  fundIdOf,
  openFunds,
  startCallers,
} from "./aged-funds.ts";
import { clockAhead } from "./fixture.ts";
import { killOnce, Tally, writingTo } from "./kill-points.ts";
import type { FundFiles } from "./rows-on-disk.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** After a day, and the hour of the sponsorships that nobody has executed. */
const DAY_AHEAD_MS = DAY_MS + 2 * HOUR_MS;
/** A step moves 256 ledger rows, and a sponsorship has two. A run of the service may make six steps. */
const SPONSORSHIPS_PER_KILL = 800;
/**
 * The most sponsorships that move while a kill waits for its moment. Then it comes at once. Without this, a few kills on
 * a busy machine would leave no rows for the others.
 */
const MOST_SPONSORSHIPS_PER_KILL = 1_400;
/** The count of what has moved is read this seldom, because each reading delays the look at the moment. */
const LOOKS_PER_COUNT = 32;
const MOVED_MS = 120_000;
/** The kills aim at a copy until more have met it than have to. */
const SPARE_HITS = 2;
const STATUSES = 40;
const CHAINS: readonly Chain[] = ["sui", "aptos"];
/** The moments of the kills: a step is on disk, its archive has the rows, and anything in between. */
const MOMENTS = ["planned", "copied", "in a write"] as const;
type Moment = (typeof MOMENTS)[number] | "of any step";

/** What the disk shows of the step under way. */
function stateOf(files: FundFiles): string {
  const isCopied = files.isCopied();
  if (isCopied === null) return "between two steps";
  return isCopied ? "copied" : "planned";
}

/** Kills once, and notes what the disk shows then. The clocks stay as they are, unless `aheadMs` is given. */
async function kill(funds: Funds, chain: Chain, moment: Moment, hits: Tally, aheadMs?: number) {
  const { service, serviceState } = funds.hosted;
  const files = filesOf(funds);
  const isWriting = writingTo(fundFile(serviceState, fundIdOf(funds, chain)));
  const before = JSON.stringify(files[chain].move());
  const archived = files[chain].archived();
  await service.restart(aheadMs === undefined ? {} : clockAhead(aheadMs));
  let looks = 0;
  const hasMissed = () => {
    looks += 1;
    return looks % LOOKS_PER_COUNT === 0 && files[chain].archived() - archived > MOST_SPONSORSHIPS_PER_KILL;
  };
  const isNow = () => {
    if (hasMissed()) return true;
    if (moment === "in a write") return isWriting();
    if (moment === "of any step") return files[chain].move() !== null || files[chain].archived() > archived;
    // The step that the kill before has cut off does not count again.
    return stateOf(files[chain]) === moment && JSON.stringify(files[chain].move()) !== before;
  };
  await killOnce(service, `${moment} in ${chain}`, isNow, isWriting);
  for (const each of CHAINS) {
    hits.add(stateOf(files[each]));
    files[each].expectEachRowOnce();
    files[each].close();
  }
}

/**
 * The moment of a kill. A copy lasts a few milliseconds, and the service is often past it when the signal comes. So the
 * kills aim at it until enough have met it.
 */
function momentOf(index: number, hits: Tally, enough: number): Moment {
  return hits.count("copied") < enough ? "copied" : (MOMENTS[index % MOMENTS.length] ?? "planned");
}

/** The fund of a kill, in turns, as long as both have rows to move. */
function movingChain(funds: Funds, index: number, count: number): Chain {
  const files = filesOf(funds);
  const moving = CHAINS.filter((chain) => files[chain].archived() < count - SPONSORSHIPS_PER_KILL);
  close(files);
  const chain = moving[index % moving.length];
  if (chain === undefined) throw new Error(`all rows have moved before kill ${index + 1}`);
  return chain;
}

async function retainOneDay({ hosted, sui, aptos }: Funds): Promise<void> {
  for (const { fundId } of [sui.fund, aptos.fund]) {
    const answer = await adminCall(hosted, "PATCH", `/funds/${fundId}`, { limits: { retentionDays: 1 } });
    expectAnswer("the retention", answer, idSchema);
  }
}

type Files = ReturnType<typeof filesOf>;

function close(files: Files): void {
  for (const chain of CHAINS) files[chain].close();
}

/** Waits until each fund has so many archived sponsorships. */
async function untilArchived(files: Files, count: number): Promise<void> {
  const fewest = () => Math.min(...CHAINS.map((chain) => files[chain].archived()));
  await expect.poll(fewest, { timeout: MOVED_MS }).toBeGreaterThanOrEqual(count);
  close(files);
}

/** Expects that the gas interface still knows sponsorships of all ages. */
async function expectKnown({ sui }: Funds, count: number): Promise<void> {
  for (let index = 0; index < STATUSES; index++) {
    const serial = Math.floor((index * count) / STATUSES);
    const transactionDigest = endedName("sui", serial);
    const value = serial % 2 === 0 ? "COMPLETE" : "INVALID";
    expect(await sui.gas.getSponsoredTransactionBlockStatus({ transactionDigest })).toEqual({ ok: true, value });
  }
}

/**
 * SIGKILLs the service while it moves the ended rows of a Sui fund and an Aptos fund to their archives, and while callers
 * use both. At the last kill the clock is a day ahead, so that the callers' own rows move, too.
 */
export async function assertRetentionLosesNothing(kills: number, seed: number): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const funds = await openFunds(hosted, seed);
    await hosted.service.kill();
    const count = kills * SPONSORSHIPS_PER_KILL;
    const enough = Math.floor(kills / 5);
    age(funds, { count, atMs: Date.now() - 2 * DAY_MS });
    await hosted.service.restart();
    const files = filesOf(funds);
    await expect.poll(() => CHAINS.map((chain) => files[chain].left()), { timeout: MOVED_MS }).toEqual([0, 0]);
    close(files);
    const hits = new Tally();
    const callers = startCallers(funds, seed, 1);
    await retainOneDay(funds);
    for (let index = 0; index < kills - 1; index += 1)
      await kill(funds, movingChain(funds, index, count), momentOf(index, hits, enough + SPARE_HITS), hits);
    const afterOldRows = filesOf(funds);
    await hosted.service.restart();
    for (const chain of CHAINS) await expectListedOnce(funds, chain, count);
    await untilArchived(afterOldRows, count);
    await callers.stop();
    const own = callers.sui.told.sponsored.size + callers.aptos.told.answered.length;
    await hosted.chain.restart(clockAhead(DAY_AHEAD_MS));
    const later = startCallers(funds, seed, 2, DAY_AHEAD_MS);
    await kill(funds, "sui", "of any step", hits, DAY_AHEAD_MS);
    await hosted.service.restart();
    await later.stop();
    // A row that no reading of the balance has counted yet stays, and is tried again an hour later.
    await hosted.service.kill();
    await hosted.chain.restart(clockAhead(DAY_AHEAD_MS + TRIED_AGAIN_MS));
    const afterOwnRows = filesOf(funds);
    await hosted.service.restart(clockAhead(DAY_AHEAD_MS + TRIED_AGAIN_MS));
    await untilArchived(afterOwnRows, count + 1);
    process.stdout.write(
      `${kills} kills while ${2 * count} sponsorships move to archives, two funds each: ${hits}; ${own} sponsored\n`,
    );
    for (const chain of CHAINS) {
      await expectListedOnce(funds, chain, count);
      await expectExactBooks(hosted, fundIdOf(funds, chain));
    }
    await expectKnown(funds, count);
    for (const moment of ["planned", "copied"]) expect(hits.count(moment), moment).toBeGreaterThanOrEqual(enough);
  } finally {
    await hosted.stop();
  }
}
