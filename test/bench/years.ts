import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { SERVICE } from "../../shared/cli/build.ts";
import { adminCall, idSchema } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { batchesOf } from "../../shared/paging.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { SHOWS_AT_ONCE } from "../run/chain-delays.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { COIN_MIST } from "./route.ts";

/** `YEARS=1000000 npm run bench -- years` drives a million. */
const TOTAL = Number(process.env.YEARS ?? 20_000);
/** Rounds in which the clock stands. A day of retention holds four of them. In larger rounds a start costs less. */
const ROUNDS = Math.min(Math.max(Math.floor(TOTAL / 2_000), 10), 40);
const ROUND_MS = 21_600_000;
const COINS = 64;
/** Each so many sponsorships one is executed on the chain. The others are abandoned. */
const EXECUTED_EVERY = 200;
const FEE_MIST = 7n;
const DRIVEN_AT_ONCE = 1_000;
const STATUS_AT_ONCE = 100;
const STATUS_CALLS_AT_ONCE = 4;
const PAGES_AT_ONCE = 20;
/** Marks at which the size is printed, of a million. */
const MARKS = [0.1, 0.3, 1];
/** The service is at rest once it takes less CPU than this in half a second, ms. */
const REST_CPU_MS = 30;
const REST_POLL_MS = 500;
const TICK_MS = 10;

const BENCH_SERVICE = {
  ...SERVICE,
  name: "years",
  replaced: { "functions/service/health.ts": "test/bench/years-worker.ts" },
};

const drivenSchema = z.object({
  digests: z.array(z.string()),
  open: z.array(z.object({ digest: z.string(), txBytes: z.string() })),
});
const listedSchema = z.object({
  cursor: z.string().nullable(),
  digests: z.array(z.string()),
  sums: z.record(z.string(), z.coerce.bigint()),
});
const viewSchema = z.looseObject({ balance: z.string(), inFlight: z.string(), accruedFees: z.string() });

/** Asks the bench's own route of the service. */
async function ask<T>({ service }: SelfHosted, query: Readonly<Record<string, string>>, schema: z.ZodType<T>) {
  const response = await fetch(`${service.url}/health?${new URLSearchParams(query)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${query.do}: ${response.status} ${text.slice(0, 500)}`);
  return schema.parse(JSON.parse(text));
}

/** CPU time of the service's process so far, ms. Linux only. */
async function cpuMs({ service }: SelfHosted): Promise<number> {
  const text = await readFile(`/proc/${service.pid()}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Waits until the fund has moved what it can, by the CPU that the service takes. */
async function untilAtRest(hosted: SelfHosted): Promise<void> {
  for (let before = await cpuMs(hosted); ; ) {
    await new Promise((resolve) => setTimeout(resolve, REST_POLL_MS));
    const now = await cpuMs(hosted);
    if (now - before < REST_CPU_MS) return;
    before = now;
  }
}

/** Bytes on disk of all objects of a class, and their number. */
async function sizeOf({ serviceState }: SelfHosted, className: string) {
  const folder = join(serviceState, "objects", `${BENCH_SERVICE.name}-${className}`);
  const names = await readdir(folder).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
  return { bytes, objects: names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).length };
}

async function kindTemplate(): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("00000000")] });
  return toBase64(await transaction.build({ onlyTransactionKind: true }));
}

async function viewOf(hosted: SelfHosted, fundId: string) {
  return expectAnswer("the fund", await adminCall(hosted, "GET", `/funds/${fundId}`), viewSchema);
}

/** Drives one round, and returns the digests by their outcomes. */
async function driveRound(hosted: SelfHosted, fundId: string, user: Ed25519Keypair, from: number, count: number) {
  const kind = await kindTemplate();
  const digests: string[] = [];
  const executed: string[] = [];
  for (let done = 0; done < count; done += DRIVEN_AT_ONCE) {
    const driven = await ask(
      hosted,
      {
        do: "drive",
        fund: fundId,
        kind,
        sender: user.toSuiAddress(),
        from: String(from + done),
        count: String(Math.min(DRIVEN_AT_ONCE, count - done)),
        every: String(EXECUTED_EVERY),
      },
      drivenSchema,
    );
    digests.push(...driven.digests);
    for (const { digest, txBytes } of driven.open) {
      const { signature } = await user.signTransaction(fromBase64(txBytes));
      const done = await ask(
        hosted,
        { do: "execute", fund: fundId, digest, signature },
        z.object({ success: z.boolean() }),
      );
      if (!done.success) throw new Error(`${digest} aborted`);
      executed.push(digest);
    }
  }
  return { digests, executed };
}

/** Reads a whole list through the fund, and adds it up. */
async function wholeList(hosted: SelfHosted, fundId: string, list: "sponsorships" | "ledger") {
  const sums: Record<string, bigint> = {};
  const digests: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { do: "list", fund: fundId, list, pages: String(PAGES_AT_ONCE), ...(cursor !== "" && { cursor }) };
    const listed: z.output<typeof listedSchema> = await ask(hosted, query, listedSchema);
    for (const [name, sum] of Object.entries(listed.sums)) sums[name] = (sums[name] ?? 0n) + sum;
    digests.push(...listed.digests);
    cursor = listed.cursor;
  }
  return { sums, digests };
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)}, and not ${String(expected)}`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Years of one fund: its size, the CPU of a sponsorship at the start and at the end, and whether every digest is still
 * found and every sum is right. The retention is a day, and the clock moves by six hours after each round.
 */
export async function benchYears(): Promise<void> {
  const hosted = await startSelfHosted({ worker: BENCH_SERVICE, vars: { chain: SHOWS_AT_ONCE } });
  try {
    const { fundId } = await fundWithCoins(hosted, COINS, COIN_MIST);
    const settings = { sponsorshipFee: String(FEE_MIST), limits: { retentionDays: 1, fundBytes: 1_073_741_824 } };
    expectAnswer("the settings", await adminCall(hosted, "PATCH", `/funds/${fundId}`, settings), idSchema);
    const user = new Ed25519Keypair();
    const perRound = Math.ceil(TOTAL / ROUNDS);
    const digests: string[] = [];
    const executed = new Set<string>();
    const cpuByRound: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const clock = { STAGE: "test", CLOCK_OFFSET_MS: String(round * ROUND_MS) };
      await hosted.chain.restart(clock);
      await hosted.service.restart(clock);
      await viewOf(hosted, fundId);
      const before = await cpuMs(hosted);
      const driven = await driveRound(hosted, fundId, user, round * perRound, perRound);
      await untilAtRest(hosted);
      cpuByRound.push((await cpuMs(hosted)) - before);
      digests.push(...driven.digests);
      for (const digest of driven.executed) executed.add(digest);
      const share = (round + 1) / ROUNDS;
      if (MARKS.some((mark) => mark > round / ROUNDS && mark <= share)) {
        const [fund, archives] = [await sizeOf(hosted, "Fund"), await sizeOf(hosted, "FundArchive")];
        console.log(
          `${digests.length} sponsorships`.padEnd(24),
          `fund ${(fund.bytes / 1_048_576).toFixed(1)} MiB`.padEnd(18),
          `${archives.objects} archives ${(archives.bytes / 1_048_576).toFixed(1)} MiB`.padEnd(28),
          `${(mean(cpuByRound.slice(-2)) / perRound).toFixed(3)} ms CPU each`,
        );
      }
    }
    const each = cpuByRound.map((ms) => ms / perRound);
    const [noMoves, start, end] = [mean(each.slice(1, 4)), mean(each.slice(5, 7)), mean(each.slice(-2))];
    console.log(
      `CPU each: ${noMoves.toFixed(3)} ms before the first move, ${start.toFixed(3)} ms after it, ${end.toFixed(3)} ms at the end:`,
      `${(end / start).toFixed(2)} of the start, ${(end / noMoves).toFixed(2)} of no moves`,
    );
    await expectAllFound(hosted, fundId, digests, executed);
    await expectRightSums(hosted, fundId, { digests, executed });
  } finally {
    await hosted.stop();
  }
}

async function expectAllFound(
  hosted: SelfHosted,
  fundId: string,
  digests: readonly string[],
  executed: ReadonlySet<string>,
): Promise<void> {
  const startedAt = performance.now();
  const lookUp = async (asked: readonly string[]) => {
    const query = { do: "status", fund: fundId, digests: asked.join(",") };
    const states = await ask(hosted, query, z.array(z.string()));
    for (const [index, digest] of asked.entries())
      expectEqual(`the status of ${digest}`, states[index], executed.has(digest) ? "COMPLETE" : "INVALID");
  };
  const batches = [...batchesOf(digests, STATUS_AT_ONCE)];
  for (const some of batchesOf(batches, STATUS_CALLS_AT_ONCE)) await Promise.all(some.map(lookUp));
  console.log(`${digests.length} digests looked up in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

async function expectRightSums(
  hosted: SelfHosted,
  fundId: string,
  {
    digests,
    executed,
  }: {
    readonly digests: readonly string[];
    readonly executed: ReadonlySet<string>;
  },
): Promise<void> {
  const view = await viewOf(hosted, fundId);
  const listed = await wholeList(hosted, fundId, "sponsorships");
  expectEqual("sponsorships listed", listed.digests.length, digests.length);
  expectEqual("different ones", new Set(listed.digests).size, digests.length);
  const known = new Set(digests);
  expectEqual("unknown ones", listed.digests.filter((digest) => !known.has(digest)).length, 0);
  expectEqual("the fees", BigInt(view.accruedFees), FEE_MIST * BigInt(executed.size));
  const ledger = await wholeList(hosted, fundId, "ledger");
  expectEqual("the charges of the ledger", ledger.sums.charged, listed.sums.charged);
  expectEqual("the ledger's balance", ledger.sums.balance, BigInt(view.balance));
  expectEqual("the ledger's withheld amounts", ledger.sums.inFlight, BigInt(view.inFlight));
  expectEqual("the ledger's fees", ledger.sums.fees, BigInt(view.accruedFees));
  const reconciled = await adminCall(hosted, "POST", `/funds/${fundId}/reconcile`);
  expectEqual("exact", expectAnswer("the comparison", reconciled, z.looseObject({ exact: z.boolean() })).exact, true);
  console.log(
    `${listed.digests.length} sponsorships and ${ledger.sums.rows} ledger rows listed, all sums right, exact`,
  );
}
