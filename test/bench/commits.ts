import { UNGROUPED } from "../harness/builds.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { coinsOf, loadsOf } from "./loads.ts";
import { type Comparison, compare } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { COIN_MIST, sponsorRoute } from "./route.ts";

const LOADS = loadsOf("sponsor");

/** `gas_sponsorTransactionBlock` against the same service with a commit for each call. */
export async function benchCommits(): Promise<Pick<Measured, "comparisons">> {
  const hosted = await startSelfHosted();
  const alone = await startSelfHosted({ worker: UNGROUPED });
  try {
    console.log(`making two funds with ${coinsOf(LOADS)} coins`);
    const { key } = await fundWithCoins(hosted, coinsOf(LOADS), COIN_MIST);
    const { key: aloneKey } = await fundWithCoins(alone, coinsOf(LOADS), COIN_MIST);
    const routes = [
      await sponsorRoute("service", hosted.service, key),
      await sponsorRoute("service, a commit each", alone.service, aloneKey),
    ];
    const comparisons: Comparison[] = [];
    for (const load of LOADS) comparisons.push(await compare("sponsor", routes, load));
    return { comparisons };
  } finally {
    await alone.stop();
    await hosted.stop();
  }
}
