import { SuiGrpcClient } from "@mysten/sui/grpc";
import { expect } from "vitest";
import { createGasClient } from "../../shared/client/gas-client.ts";
import { createFundedFund, createKey } from "../local/clients.ts";
import { type SelfHosted, startSelfHosted } from "../local/self-hosted.ts";
import { type Books, checkBooks } from "./books.ts";
import { type Callers, startCallers } from "./callers.ts";
import { seededRandom, sleep } from "./random.ts";

const SUI_MIST = 1_000_000_000n;
const DEPOSITS_MIST = [20n * SUI_MIST, 20n * SUI_MIST, 20n * SUI_MIST];
const CALLERS = 6;
/** Kills fall between these, counted from when the service last began to listen. */
const SHORTEST_LIFE_MS = 100;
const LONGEST_LIFE_MS = 1_500;
const LONGEST_DOWN_MS = 200;
/** The third look-up of a sponsorship is 15 s after its creation; a scan and a repeated split come sooner. */
const SETTLING_MS = 16_500;
const PATIENCE_MS = 10_000;
const POLL_MS = 1_000;

async function open(hosted: SelfHosted): Promise<Books> {
  const fund = await createFundedFund(hosted, "killed", DEPOSITS_MIST);
  const { key } = await createKey(hosted, fund.projectId, {
    name: "killed",
    rights: ["gas"],
    fundId: fund.fundId,
    limits: { qps: 10_000, cups: 1_000 },
  });
  const gas = createGasClient({ baseUrl: hosted.serviceUrl, accessKey: key });
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${hosted.chainUrl}/sui` });
  return { access: hosted, fund, gas, sui };
}

/** Kills the service again and again under load. The last time it comes back, nobody calls it. */
async function killUnderLoad({ service }: SelfHosted, callers: Callers, kills: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  for (let kill = 1; kill <= kills; kill += 1) {
    await sleep(SHORTEST_LIFE_MS + random() * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS));
    await service.kill();
    if (kill === kills) await callers.stop();
    await sleep(random() * LONGEST_DOWN_MS);
    await service.restart();
  }
}

/** A split of the fund's coins may have begun just before: its books are checked again until it is done, or too late. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS))
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
}

/** SIGKILLs the service at random moments of a load, and compares what it believes afterwards with the chain. */
export async function assertNothingIsLost(kills: number, seed: number): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const books = await open(hosted);
    const callers = startCallers(books, CALLERS, seed);
    await killUnderLoad(hosted, callers, kills, seed);
    await sleep(SETTLING_MS);

    const { told, users } = callers;
    expect(told.unexpected, "a crash excuses broken connections, and nothing else").toEqual([]);
    expect(told.executed.size, "there was a load").toBeGreaterThan(kills);
    await eventually(() => checkBooks(books, told, users));

    const next = startCallers(books, CALLERS, seed + 1);
    await sleep(SHORTEST_LIFE_MS);
    await next.stop();
    expect(next.told.unexpected).toEqual([]);
    expect(next.told.sponsored.size, "the fund still sponsors").toBeGreaterThan(0);
  } finally {
    await hosted.stop();
  }
}
