import { benchAbandoned } from "./abandoned.ts";
import { benchAptos } from "./aptos.ts";
import { benchCalls } from "./calls.ts";
import { benchCommits } from "./commits.ts";
import { benchFlood } from "./flood.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth/growth.ts";
import { benchLists } from "./lists/lists.ts";
import { benchMigrate } from "./migrate.ts";
import { benchOverload } from "./overload.ts";
import type { Comparison } from "./report/comparison.ts";
import { writeReport } from "./report/report.ts";
import type { Figure, Measured } from "./report/targets.ts";
import { benchSettle } from "./settle.ts";
import { benchSharding } from "./sharding/sharding.ts";
import { benchStart } from "./start.ts";
import { benchWallets } from "./wallets.ts";
import { benchWatching } from "./watching.ts";
import { benchYears } from "./years.ts";

/** Parts whose figures the report shows. */
const reported: Readonly<Record<string, () => Promise<Partial<Measured>>>> = {
  calls: benchCalls,
  wallets: benchWallets,
  aptos: benchAptos,
  gateway: benchGateway,
  commits: benchCommits,
  settle: benchSettle,
  start: benchStart,
  watching: benchWatching,
};
/** Parts that print their own figures. */
const others: Readonly<Record<string, () => Promise<void>>> = {
  abandoned: benchAbandoned,
  flood: benchFlood,
  growth: benchGrowth,
  lists: benchLists,
  migrate: benchMigrate,
  overload: benchOverload,
  sharding: benchSharding,
  years: benchYears,
};
const BY_DEFAULT = ["calls", "wallets", "aptos", "gateway", "start", "growth", "sharding"];

const asked = process.argv.slice(2);
const comparisons: Comparison[] = [];
const figures: Figure[] = [];
for (const name of asked.length > 0 ? asked : BY_DEFAULT) {
  const [reporting, other] = [reported[name], others[name]];
  if (reporting === undefined && other === undefined)
    throw new Error(`no part ${name}; there are: ${Object.keys({ ...reported, ...others }).join(", ")}`);
  console.log(`\n${name}`);
  const measured = (await reporting?.()) ?? {};
  comparisons.push(...(measured.comparisons ?? []));
  figures.push(...(measured.figures ?? []));
  await other?.();
}
if (comparisons.length + figures.length > 0) await writeReport({ comparisons, figures });
