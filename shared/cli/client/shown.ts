import { setTimeout as wait } from "node:timers/promises";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import * as z from "zod";

/**
 * The nodes of the development chain show a transaction some hundred milliseconds after its execution, as real nodes
 * do. These functions wait until a node shows it.
 */

const POLL_MS = 50;
const PATIENCE_MS = 60_000;

/** Replaces the schedule of the stock client's `waitForTransaction`, which suits slower networks. */
const POLL_SCHEDULE = [0, POLL_MS];

const healthSchema = z.object({ sui: z.object({ checkpoint: z.coerce.bigint() }) });
const transactionSchema = z.object({ type: z.string() });

/** Resolves once the Sui node shows this transaction. Rejects after a minute. */
export async function untilShown(chainUrl: string, digest: string): Promise<void> {
  await suiAt(chainUrl).waitForTransaction({ digest, pollSchedule: POLL_SCHEDULE });
}

/**
 * Resolves once the Sui node shows all that the chain had executed at the time of the call. It serves callers without
 * a digest, and callers that expect to find nothing. Rejects after a minute.
 */
export async function untilAllIsShown(chainUrl: string): Promise<void> {
  const { checkpoint } = healthSchema.parse(await (await fetch(`${chainUrl}/control/health`)).json()).sui;
  const { ledgerService } = suiAt(chainUrl);
  await until(`checkpoint ${checkpoint}`, async () => {
    const { checkpointHeight = 0n } = (await ledgerService.getServiceInfo({})).response;
    return checkpointHeight >= checkpoint;
  });
}

/** Resolves once the Aptos node shows this transaction as committed. Rejects after a minute. */
export async function untilCommitted(chainUrl: string, hash: string): Promise<void> {
  await until(hash, async () => {
    const response = await fetch(`${chainUrl}/aptos/v1/transactions/by_hash/${hash}`);
    return response.ok && transactionSchema.parse(await response.json()).type !== "pending_transaction";
  });
}

function suiAt(chainUrl: string): SuiGrpcClient {
  return new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });
}

async function until(what: string, isShown: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!(await isShown())) {
    if (performance.now() > deadlineMs) throw new Error(`no node shows ${what}`);
    await wait(POLL_MS);
  }
}
