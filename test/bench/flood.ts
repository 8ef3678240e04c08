import { randomBytes } from "node:crypto";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { COIN_MIST, printRatio, printRoute, type Route, runRounds, sponsorRoute } from "./route.ts";

const CALLERS = 16;
const ROUNDS = 3;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1000);
/** Alone, and with either flood: each once to warm up and once to count. */
const RUNS_PER_ROUND = 6;
/** Connections of all keys that flood together: as many as wait for a derivation, and more. */
const FLOODERS = 24;
const SECRET = randomBytes(32).toString("hex");

interface Flood {
  readonly answers: () => { readonly sessions: number; readonly refusals: number };
  stop(): Promise<void>;
}

/** Asks for one session after another, on many connections, whatever is answered. */
function startFlood({ serviceUrl }: SelfHosted, keys: readonly string[]): Flood {
  let stopping = false;
  let [sessions, refusals] = [0, 0];
  async function flooder(key: string): Promise<void> {
    while (!stopping) {
      const { body } = await rpcCall(`${serviceUrl}/wallet/v1`, key, "svc_key_createSession", [SECRET]);
      if (JSON.stringify(body).includes('"result"')) sessions += 1;
      else {
        refusals += 1;
        // As a client does that heeds `retryAfterMs` a little; refusals alone would measure the load generator.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
  const all = Array.from({ length: FLOODERS }, (_, index) => flooder(keys[index % keys.length] ?? ""));
  return {
    answers: () => ({ sessions, refusals }),
    async stop() {
      stopping = true;
      await Promise.all(all);
    },
  };
}

async function newKeys(hosted: SelfHosted, count: number): Promise<readonly string[]> {
  const projectId = await createProject(hosted, "flood", { secretDerivation: "scrypt" });
  const keys: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const terms = { name: "flood", rights: ["wallet"], limits: { qps: 10_000, cups: 1_000 } };
    keys.push((await createKey(hosted, projectId, terms)).key);
  }
  return keys;
}

/** What is left of one key's sponsoring while others flood `createSession` of a project with scrypt. */
export async function benchFlood(): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const coins = REQUESTS * RUNS_PER_ROUND * ROUNDS + CALLERS;
    console.log(`making a fund with ${coins} coins`);
    const { key } = await fundWithCoins(hosted, coins, COIN_MIST);
    const alone = await sponsorRoute("alone", hosted.service, key);
    const one: Route = { ...alone, name: "one key floods", rounds: [] };
    const ten: Route = { ...alone, name: "ten keys flood", rounds: [] };
    const [first = "", ...others] = await newKeys(hosted, 10);
    const once = { callers: CALLERS, requests: REQUESTS, rounds: 1 };
    for (let round = 0; round < ROUNDS; round += 1) {
      await runRounds([alone], once);
      for (const { flooded, keys } of [
        { flooded: one, keys: [first] },
        { flooded: ten, keys: [first, ...others] },
      ]) {
        const flood = startFlood(hosted, keys);
        await runRounds([flooded], once);
        const { sessions, refusals } = flood.answers();
        await flood.stop();
        console.log(`${flooded.name}: ${sessions} sessions made meanwhile, ${refusals} refused`);
      }
    }
    for (const each of [alone, one, ten]) printRoute(each);
    printRatio("one key floods/alone", one, alone);
    printRatio("ten keys flood/alone", ten, alone);
  } finally {
    await hosted.stop();
  }
}
