import { DatabaseSync } from "node:sqlite";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { getFund } from "../../shared/cli/client/admin.ts";
import { gasCalls, mintKind } from "../../shared/cli/story/gas-calls.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { fundFile } from "../harness/disk.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";
import { SHOWS_AT_ONCE } from "../run/chain-delays.ts";
import { ageFile } from "../support/fund/age-file.ts";
import { sleep } from "../support/random.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { COIN_MIST } from "./route.ts";

/** `MIGRATE=60000 npm run bench -- migrate` moves fewer rows. A sponsorship has three. */
const ROWS = Number(process.env.MIGRATE ?? 600_000);
const ROWS_PER_SPONSORSHIP = 3;
const COINS = 1_000;
const SPONSORS = 600;
const BEFORE_MS = 20_000;
const PAUSE_MS = 20;
/** One call of so many sponsors. The others read the fund, which takes no coin. */
const SPONSOR_EVERY = 10;
const DAY_MS = 86_400_000;

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(what: string, latenciesMs: readonly number[]): void {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => `${quantile(sorted, share).toFixed(1)} ms`);
  console.log(`${what}: ${sorted.length} calls, p50 ${p50}, p99 ${p99}, longest ${max}`);
}

/** A fund of version 5 with many rows: how long its migration takes, and how long its calls wait meanwhile. */
export async function benchMigrate(): Promise<void> {
  const hosted = await startSelfHosted({ vars: { chain: SHOWS_AT_ONCE } });
  try {
    const { fundId, key } = await fundWithCoins(hosted, COINS, COIN_MIST);
    const gas = gasCalls(hosted.serviceUrl, key);
    const sender = new Ed25519Keypair().toSuiAddress();
    let sponsored = 0;
    const call = async (index: number, latenciesMs: { read: number[]; sponsor: number[] }) => {
      const isSponsor = index % SPONSOR_EVERY === 0 && sponsored < SPONSORS;
      const kind = await mintKind(DEMO_PACKAGE, `badge ${index}`);
      const startedAt = performance.now();
      if (isSponsor) {
        sponsored += 1;
        await gas.sponsor(kind, sender);
      } else await getFund(hosted, fundId);
      (isSponsor ? latenciesMs.sponsor : latenciesMs.read).push(performance.now() - startedAt);
      await sleep(PAUSE_MS);
    };
    const measure = async (what: string, isDone: () => boolean) => {
      const latenciesMs = { read: [], sponsor: [] };
      for (let index = 0; !isDone(); index++) await call(index, latenciesMs);
      print(`${what}, sponsor`, latenciesMs.sponsor);
      print(`${what}, read`, latenciesMs.read);
    };
    const readyAt = performance.now() + BEFORE_MS;
    await measure("before", () => performance.now() > readyAt);

    await hosted.service.kill();
    const file = fundFile(hosted.serviceState, fundId);
    const count = Math.ceil(ROWS / ROWS_PER_SPONSORSHIP);
    ageFile(file, { chain: "sui", count, keyId: "of the ended rows", atMs: Date.now() - DAY_MS });
    const database = new DatabaseSync(file, { readOnly: true });
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledger'");
    await hosted.service.restart();
    const startedAt = performance.now();
    await getFund(hosted, fundId);
    console.log(`the first call after the start: ${(performance.now() - startedAt).toFixed(1)} ms`);
    await measure("while it migrates", () => isThere.get() === undefined);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`${count * ROWS_PER_SPONSORSHIP} rows moved in ${seconds.toFixed(0)} s`);
    database.close();
  } finally {
    await hosted.stop();
  }
}
