import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { SERVICE } from "../../shared/cli/build.ts";
import { adminCall, idSchema } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { SHOWS_AT_ONCE } from "../run/chain-delays.ts";
import { type BenchFund, fundWithCoins } from "./fund-with-coins.ts";

export const FEE_MIST = 7n;
/** No coin runs low, so that the fund neither splits nor merges after its start. */
const COIN_MIST = 1_000_000_000n;
const DRIVEN_AT_ONCE = 1_000;
/** The service is at rest once it takes less CPU than this in half a second, ms. */
const REST_CPU_MS = 30;
const REST_POLL_MS = 500;
const TICK_MS = 10;

const BENCH_SERVICE = {
  ...SERVICE,
  name: "years",
  replaced: { "functions/service/health.ts": "test/bench/years-worker.ts" },
};

/** The terms on which a fund ages. */
export interface AgingTerms {
  readonly coins: number;
  readonly retentionDays: number;
  /** Each so many sponsorships one is executed on the chain. The others are abandoned. */
  readonly executedEvery: number;
  /** The number of keys that take turns. */
  readonly keys: number;
  /** The number of senders of abandoned sponsorships. */
  readonly senders: number;
  /** The calls that the fund refuses for each thousand sponsorships. */
  readonly refused: number;
}

const YEARS: AgingTerms = { coins: 128, retentionDays: 1, executedEvery: 200, keys: 1, senders: 1, refused: 0 };

const drivenSchema = z.object({
  digests: z.array(z.string()),
  open: z.array(z.object({ digest: z.string(), txBytes: z.string() })),
});
const viewSchema = z.looseObject({ balance: z.string(), inFlight: z.string(), accruedFees: z.string() });

/** The service's CPU time in one round, ms. */
export interface RoundCpu {
  /** The clock made moves to the archive due: their share. */
  readonly movesMs: number;
  /** The share of the new sponsorships. */
  readonly drivenMs: number;
}

/** The SQLite files of a class of objects. */
export interface StoredSize {
  readonly objects: number;
  /** All pages. SQLite does not give a free page back to the disk. */
  readonly bytes: number;
  /** The pages in use, which the disk budget counts. */
  readonly usedBytes: number;
}

/** A fund in a service of its own, with a clock that the bench moves. */
export class AgingFund {
  readonly hosted: SelfHosted;
  readonly fundId: string;
  /** An access key without a limit that a bench could reach. */
  readonly key: string;
  readonly #terms: AgingTerms;
  readonly #user = new Ed25519Keypair();
  readonly digests: string[] = [];
  readonly executed = new Set<string>();

  private constructor(hosted: SelfHosted, { fundId, key }: Pick<BenchFund, "fundId" | "key">, terms: AgingTerms) {
    this.hosted = hosted;
    this.fundId = fundId;
    this.key = key;
    this.#terms = terms;
  }

  static async start(terms = YEARS): Promise<AgingFund> {
    const hosted = await startSelfHosted({ worker: BENCH_SERVICE, vars: { chain: SHOWS_AT_ONCE } });
    try {
      const fund = await fundWithCoins(hosted, terms.coins, COIN_MIST);
      const limits = { retentionDays: terms.retentionDays, fundBytes: 1_073_741_824 };
      const settings = { sponsorshipFee: String(FEE_MIST), limits };
      expectAnswer("the settings", await adminCall(hosted, "PATCH", `/funds/${fund.fundId}`, settings), idSchema);
      return new AgingFund(hosted, fund, terms);
    } catch (error) {
      await hosted.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.hosted.stop();
  }

  /** Sets the clock, lets the fund move its old rows, and drives new sponsorships. The cold start does not count. */
  async round(clockOffsetMs: number, count: number): Promise<RoundCpu> {
    const clock = { STAGE: "test", CLOCK_OFFSET_MS: String(clockOffsetMs) };
    await this.hosted.chain.restart(clock);
    await this.hosted.service.restart(clock);
    await this.view();
    const started = await this.#cpuMs();
    await this.#untilAtRest();
    const moved = await this.#cpuMs();
    await this.#drive(count);
    await this.#untilAtRest();
    return { movesMs: moved - started, drivenMs: (await this.#cpuMs()) - moved };
  }

  /** Asks the bench's own route of the service. */
  async ask<T>(query: Readonly<Record<string, string>>, schema: z.ZodType<T>): Promise<T> {
    const search = new URLSearchParams({ ...query, fund: this.fundId });
    const response = await fetch(`${this.hosted.service.url}/health?${search}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${query.do}: ${response.status} ${text.slice(0, 500)}`);
    return schema.parse(JSON.parse(text));
  }

  async view() {
    return expectAnswer("the fund", await adminCall(this.hosted, "GET", `/funds/${this.fundId}`), viewSchema);
  }

  async isExact(): Promise<boolean> {
    const reconciled = await adminCall(this.hosted, "POST", `/funds/${this.fundId}/reconcile`);
    return expectAnswer("the comparison", reconciled, z.looseObject({ exact: z.boolean() })).exact;
  }

  /** Reads the size of all objects of a class, without the log of writes that SQLite has not merged yet. */
  async sizeOf(className: "Fund" | "FundArchive"): Promise<StoredSize> {
    const folder = join(this.hosted.serviceState, "objects", `${BENCH_SERVICE.name}-${className}`);
    const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    let [bytes, usedBytes] = [0, 0];
    for (const name of names) {
      const { pages, freePages, pageBytes } = pagesOf(join(folder, name));
      bytes += pages * pageBytes;
      usedBytes += (pages - freePages) * pageBytes;
    }
    return { objects: names.length, bytes, usedBytes };
  }

  async #drive(count: number): Promise<void> {
    const kind = await kindTemplate();
    const sender = this.#user.toSuiAddress();
    const { executedEvery, keys, senders, refused } = this.#terms;
    const turns = {
      every: String(executedEvery),
      keys: String(keys),
      senders: String(senders),
      refused: String(refused),
    };
    for (let done = 0; done < count; done += DRIVEN_AT_ONCE) {
      const numbers = { from: String(this.digests.length), count: String(Math.min(DRIVEN_AT_ONCE, count - done)) };
      const query = { do: "drive", kind, sender, ...numbers, ...turns };
      const driven = await this.ask(query, drivenSchema);
      this.digests.push(...driven.digests);
      for (const { digest, txBytes } of driven.open) {
        const { signature } = await this.#user.signTransaction(fromBase64(txBytes));
        const executed = await this.ask({ do: "execute", digest, signature }, z.object({ success: z.boolean() }));
        if (!executed.success) throw new Error(`${digest} aborted`);
        this.executed.add(digest);
      }
    }
  }

  /** CPU time of the service's process so far, ms. Linux only. */
  async #cpuMs(): Promise<number> {
    const text = await readFile(`/proc/${this.hosted.service.pid()}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  /** Waits until the fund has done what it can, by the CPU that the service takes. */
  async #untilAtRest(): Promise<void> {
    for (let before = await this.#cpuMs(); ; ) {
      await new Promise((resolve) => setTimeout(resolve, REST_POLL_MS));
      const now = await this.#cpuMs();
      if (now - before < REST_CPU_MS) return;
      before = now;
    }
  }
}

function pagesOf(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const read = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    return { pages: read("page_count"), freePages: read("freelist_count"), pageBytes: read("page_size") };
  } finally {
    database.close();
  }
}

async function kindTemplate(): Promise<string> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("00000000")] });
  return toBase64(await transaction.build({ onlyTransactionKind: true }));
}
