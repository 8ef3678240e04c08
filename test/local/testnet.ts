import * as z from "zod";
import { formatSui } from "../../shared/amounts.ts";
import { adminCall, expectAnswer } from "./clients.ts";
import type { OnTestnet } from "./launch.ts";
import { step } from "./terminal.ts";

const fundSchema = z.object({ balance: z.string() });
const problemSchema = z.object({ detail: z.string() });

/** Has the fund look for deposits now, and says what came of it. A node that gives no usable answer stops nothing. */
export async function tellDeposits({ nodes, demo, ...access }: OnTestnet): Promise<void> {
  // By its host, because providers put keys into their URLs.
  step("node", nodes.map((url) => new URL(url).host).join(", "));
  const answer = await adminCall(access, "POST", `/funds/${demo.fundId}/refresh`);
  const problem = problemSchema.safeParse(answer.body);
  if (problem.success) {
    step("", `cannot be ${answer.status === 503 ? "reached" : "used"} now: ${problem.data.detail}`);
    step("", "The service keeps trying. Check this machine's network, or SUI_TESTNET_NODES in wrangler.toml.");
    return;
  }
  const { balance } = expectAnswer("looking for deposits", answer, fundSchema);
  step("balance", balance === "0" ? "no deposit yet" : formatSui(BigInt(balance)));
}
