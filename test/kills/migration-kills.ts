import { expect } from "vitest";
import type { Chain } from "../../shared/networks.ts";
import { fundFile } from "../harness/disk.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
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
import { killOnce, Tally, writingTo } from "./kill-points.ts";
import type { FundFiles } from "./rows-on-disk.ts";

const DAY_MS = 86_400_000;
/** A step moves 500 rows, and a sponsorship has three. A run of the service makes a step or two. */
const SPONSORSHIPS_PER_KILL = 175;
const MOVED_MS = 60_000;
const CHAINS: readonly Chain[] = ["sui", "aptos"];
/** The moments of the kills, in turns: of the first run of version 6, and then of each step. */
const MOMENTS = ["after a step", "in a write", "before a step"] as const;

/** Kills once, and notes what the disk shows then. */
async function kill(funds: Funds, chain: Chain, moment: (typeof MOMENTS)[number], hits: Tally): Promise<void> {
  const { service, serviceState } = funds.hosted;
  const files = filesOf(funds);
  const before = files[chain].left();
  const isWriting = writingTo(fundFile(serviceState, fundIdOf(funds, chain)));
  await service.restart();
  const isNow = () => {
    if (moment === "in a write") return isWriting();
    const left = files[chain].left();
    return moment === "before a step" ? left !== null : left !== null && (before === null || left < before);
  };
  await killOnce(service, `${moment} of ${chain}`, isNow, isWriting);
  for (const each of CHAINS) noteState(files[each], hits);
  for (const each of CHAINS) files[each].close();
}

function noteState(files: FundFiles, hits: Tally): void {
  const left = files.left();
  if (left === null) hits.add("in version 5");
  else hits.add(left === 0 ? "after the last step" : "between steps");
  files.expectEachRowOnce();
}

/**
 * SIGKILLs the service while it moves the rows of version 5 of a Sui fund and an Aptos fund, and while callers use both.
 * After each kill the disk has each row once. At the end the lists, the sums and the chain say the same.
 */
export async function assertMigrationLosesNothing(kills: number, seed: number): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const funds = await openFunds(hosted, seed);
    await hosted.service.kill();
    const count = kills * SPONSORSHIPS_PER_KILL;
    age(funds, { count, atMs: Date.now() - DAY_MS });
    const callers = startCallers(funds, seed, 1);
    const hits = new Tally();
    for (let index = 0; index < kills; index += 1) {
      const chain = CHAINS[index % CHAINS.length] ?? "sui";
      await kill(funds, chain, MOMENTS[index % MOMENTS.length] ?? "after a step", hits);
    }
    const files = filesOf(funds);
    await hosted.service.restart();
    for (const chain of CHAINS) await expectListedOnce(funds, chain, count);
    const left = () => CHAINS.map((chain) => files[chain].left());
    await expect.poll(left, { timeout: MOVED_MS }).toEqual([0, 0]);
    await callers.stop();
    process.stdout.write(
      `${kills} kills in a migration of ${2 * count} sponsorships, two funds each: ${hits}; ` +
        `${callers.sui.told.sponsored.size} and ${callers.aptos.told.answered.length} sponsored meanwhile\n`,
    );
    for (const chain of CHAINS) {
      await expectListedOnce(funds, chain, count);
      await expectExactBooks(hosted, fundIdOf(funds, chain));
    }
    for (const chain of CHAINS) expect(files[chain].expectEachRowOnce().size).toBeGreaterThan(count);
    for (const chain of CHAINS) files[chain].close();
    expect(hits.count("between steps"), "kills hit between steps").toBeGreaterThanOrEqual(kills);
  } finally {
    await hosted.stop();
  }
}
