import { benchAbandoned } from "./abandoned.ts";
import { benchAptos } from "./aptos.ts";
import { benchCalls } from "./calls.ts";
import { benchCoins } from "./coins.ts";
import { benchFlood } from "./flood.ts";
import { benchGateway } from "./gateway.ts";
import { benchHeld } from "./held.ts";
import { benchMigrate } from "./migrate.ts";
import { benchOverload } from "./overload.ts";
import { benchWallets } from "./wallets.ts";
import { benchYears } from "./years.ts";

/** `npm run bench -- coins held migrate overload years` runs these parts. These five take some minutes each. */
const parts = {
  calls: benchCalls,
  abandoned: benchAbandoned,
  wallets: benchWallets,
  flood: benchFlood,
  aptos: benchAptos,
  gateway: benchGateway,
  coins: benchCoins,
  held: benchHeld,
  migrate: benchMigrate,
  overload: benchOverload,
  years: benchYears,
} as const;
const BY_DEFAULT = ["calls", "abandoned", "wallets", "flood", "aptos", "gateway"] as const;

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : BY_DEFAULT) {
  const part = Object.entries(parts).find(([known]) => known === name);
  if (part === undefined) throw new Error(`no part ${name}; there are: ${Object.keys(parts).join(", ")}`);
  console.log(`\n${name}`);
  await part[1]();
}
