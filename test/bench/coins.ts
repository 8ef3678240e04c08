import { startSelfHosted } from "../harness/self-hosted.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { COIN_MIST, printRatio, printRoute, type Route, runRounds, sponsorRoute } from "./route.ts";

const MANY_COINS = 100_000;
const FEW_COINS = 1_000;
const CALLERS = 64;
/** Each locks a coin, and the small fund must not run short. */
const REQUESTS = 400;
const ROUNDS = 5;

/** One fund after another, so that each round of the small one starts with all of its coins. */
function inTurn(name: string, funds: readonly Route[]): Route {
  const [first] = funds;
  if (first === undefined) throw new Error("no fund");
  return { ...first, name, rounds: funds.flatMap(({ rounds }) => rounds) };
}

/** The same call on a fund of 100,000 coins and on funds of 1,000, in one service. */
export async function benchCoins(): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    console.log(`making a fund with ${MANY_COINS} coins, and ${ROUNDS} with ${FEW_COINS}`);
    const many = await sponsorRoute(
      `${MANY_COINS} coins`,
      hosted.service,
      (await fundWithCoins(hosted, MANY_COINS, COIN_MIST)).key,
    );
    const fewFunds: Route[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { key } = await fundWithCoins(hosted, FEW_COINS, COIN_MIST);
      fewFunds.push(await sponsorRoute(`${FEW_COINS} coins`, hosted.service, key));
    }

    console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS} requests, each after as many to warm up\n`);
    for (const few of fewFunds) await runRounds([many, few], { callers: CALLERS, requests: REQUESTS, rounds: 1 });
    const few = inTurn(`${FEW_COINS} coins`, fewFunds);
    printRoute(many);
    printRoute(few);
    printRatio(`${MANY_COINS}/${FEW_COINS} coins`, many, few);
  } finally {
    await hosted.stop();
  }
}
