import { SuiGrpcClient } from "@mysten/sui/grpc";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { type BenchFund, fundWithCoins } from "./fund-with-coins.ts";
import { runLoad } from "./load.ts";
import { COIN_MIST, sponsorRoute } from "./route.ts";

const BATCHES = [1, 32, 256] as const;
/** For the fund's treasury transactions, beside those that are lent. */
const SPARE_COINS = 4;
/** The hour of a sponsorship, and what the fund waits after it for late users and for company. */
const PAST_EXPIRY_MS = 3_600_000 + 60_000;
const PATIENCE_MS = 120_000;
const POLL_MS = 500;

const ledgerPageSchema = z.object({
  items: z.array(z.object({ kind: z.string(), balance: z.string() })),
  nextCursor: z.string().nullable(),
});

interface Abandoned {
  readonly batch: number;
  readonly fund: BenchFund;
}

async function onChainMist({ chainUrl }: ServiceAccess, address: string): Promise<bigint> {
  const client = new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });
  const { balance } = await client.getBalance({ owner: address });
  return BigInt(balance.balance);
}

/** Ledger rows of a kind: how many, and the change of the balance over all of them. */
async function booked(access: ServiceAccess, fundId: string, kind: string) {
  let [count, sumMist] = [0, 0n];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "?limit=200" : `?limit=200&cursor=${cursor}`;
    const answer = await adminCall(access, "GET", `/funds/${fundId}/ledger${query}`);
    const page: z.output<typeof ledgerPageSchema> = expectAnswer("the ledger", answer, ledgerPageSchema);
    for (const row of page.items.filter((item) => item.kind === kind)) {
      count += 1;
      sumMist += BigInt(row.balance);
    }
    cursor = page.nextCursor;
  }
  return { count, sumMist };
}

async function abandon(hosted: SelfHosted, batch: number): Promise<Abandoned> {
  const fund = await fundWithCoins(hosted, batch + SPARE_COINS, COIN_MIST);
  const route = await sponsorRoute(`${batch} abandoned`, hosted.service, fund.key);
  await runLoad({ ...route, callers: Math.min(batch, 64), requests: batch });
  return { batch, fund };
}

async function waitUntilReleased(access: ServiceAccess, { batch, fund }: Abandoned): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    const { count } = await booked(access, fund.fundId, "release");
    if (count === batch) return;
    if (Date.now() > deadline) throw new Error(`${count} of ${batch} abandoned sponsorships were released`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * What it costs to make a signature worthless that nobody has used, alone and in batches: the change of the fund's
 * balance on chain between the hand-out and the release, which the fund's ledger must show as recycling and nothing else.
 */
export async function benchAbandoned(): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const all: Abandoned[] = [];
    for (const batch of BATCHES) all.push(await abandon(hosted, batch));
    const before = new Map<number, bigint>();
    for (const { batch, fund } of all) before.set(batch, await onChainMist(hosted, fund.depositAddress));

    const later = { STAGE: "test", CLOCK_OFFSET_MS: String(PAST_EXPIRY_MS) };
    await hosted.chain.restart(later);
    await hosted.service.restart(later);
    for (const abandoned of all) {
      const { batch, fund } = abandoned;
      await waitUntilReleased(hosted, abandoned);
      const costMist = (before.get(batch) ?? 0n) - (await onChainMist(hosted, fund.depositAddress));
      const recycled = await booked(hosted, fund.fundId, "recycle");
      if (recycled.sumMist !== -costMist)
        throw new Error(`the chain took ${costMist} MIST, the ledger shows ${-recycled.sumMist} for recycling`);
      const eachMist = Number(costMist) / batch;
      console.log(
        `${batch} abandoned`.padEnd(16),
        `${eachMist.toFixed(0)} MIST each`.padEnd(20),
        `${costMist} MIST in all`,
      );
    }
  } finally {
    await hosted.stop();
  }
}
