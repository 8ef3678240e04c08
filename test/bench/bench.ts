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
import { benchSettle } from "./settle.ts";
import { benchSharding } from "./sharding/sharding.ts";
import { benchStart } from "./start.ts";
import { benchWallets } from "./wallets.ts";
import { benchWatching } from "./watching.ts";
import { benchYears } from "./years.ts";

/** Parts that compare routes. The report shows them. */
const compared: Readonly<Record<string, () => Promise<readonly Comparison[]>>> = {
  calls: benchCalls,
  wallets: benchWallets,
  aptos: benchAptos,
  gateway: benchGateway,
  commits: benchCommits,
  watching: benchWatching,
};
/** Parts that print their own figures. */
const others: Readonly<Record<string, () => Promise<void>>> = {
  start: benchStart,
  abandoned: benchAbandoned,
  flood: benchFlood,
  growth: benchGrowth,
  lists: benchLists,
  migrate: benchMigrate,
  overload: benchOverload,
  settle: benchSettle,
  sharding: benchSharding,
  years: benchYears,
};
const BY_DEFAULT = ["calls", "wallets", "aptos", "gateway", "start", "growth", "sharding"];

const asked = process.argv.slice(2);
const comparisons: Comparison[] = [];
for (const name of asked.length > 0 ? asked : BY_DEFAULT) {
  const [comparing, other] = [compared[name], others[name]];
  if (comparing === undefined && other === undefined)
    throw new Error(`no part ${name}; there are: ${Object.keys({ ...compared, ...others }).join(", ")}`);
  console.log(`\n${name}`);
  if (comparing !== undefined) comparisons.push(...(await comparing()));
  await other?.();
}
if (comparisons.length > 0) await writeReport(comparisons);
