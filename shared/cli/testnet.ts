import * as z from "zod";
import { formatSui } from "../coin-text.ts";
import { type AdminAccess, adminCall } from "./client/admin.ts";
import { expectAnswer } from "./client/http.ts";
import type { OnTestnet } from "./launch.ts";
import { step } from "./terminal.ts";

const WATCH_INTERVAL_MS = 5_000;

const fundSchema = z.object({ balance: z.string().transform(BigInt) });
const problemSchema = z.object({ detail: z.string() });

/**
 * Makes the fund check for deposits now, and prints the result. A node without a usable answer stops nothing.
 *
 * @returns the balance, MIST. 0 if no node answers.
 */
export async function tellDeposits({ nodes, demo, ...access }: OnTestnet): Promise<bigint> {
  // Only the host is printed, because providers put keys into their URLs.
  step("node", nodes.map((url) => new URL(url).host).join(", "));
  const answer = await adminCall(access, "POST", `/funds/${demo.fundId}/refresh`);
  const problem = problemSchema.safeParse(answer.body);
  if (problem.success) {
    step("", `cannot be ${answer.status === 503 ? "reached" : "used"} now: ${problem.data.detail}`);
    step("", "The service keeps trying. Check this machine's network, or SUI_TESTNET_NODES in wrangler.toml.");
    return 0n;
  }
  const { balance } = expectAnswer("looking for deposits", answer, fundSchema);
  step("balance", balance === 0n ? "no deposit yet: this says so when one has come" : formatSui(balance));
  return balance;
}

/**
 * Calls `found` with each higher balance of a fund, MIST, as the fund finds deposits. A call that fails is made again.
 *
 * @returns a function that ends the watch.
 */
export function watchDeposits(
  access: AdminAccess,
  fundId: string,
  { fromMist, intervalMs = WATCH_INTERVAL_MS }: { readonly fromMist: bigint; readonly intervalMs?: number },
  found: (balanceMist: bigint) => void,
): () => void {
  let lastMist = fromMist;
  let timer: NodeJS.Timeout;
  let isOver = false;
  const look = async () => {
    const answer = await adminCall(access, "GET", `/funds/${fundId}`).catch(() => null);
    const fund = fundSchema.safeParse(answer?.body);
    if (fund.success && !isOver) {
      const { balance } = fund.data;
      if (balance > lastMist) found(balance);
      // The fund's spending would otherwise hide an equal part of the next deposit.
      lastMist = balance;
    }
    if (!isOver) timer = setTimeout(look, intervalMs);
  };
  timer = setTimeout(look, intervalMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
