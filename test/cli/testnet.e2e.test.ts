import { test, vi } from "vitest";
import { deposit } from "../../shared/cli/client/funds.ts";
import { watchDeposits } from "../../shared/cli/testnet.ts";
import { harness, newFund } from "../harness/harness.ts";

const SUI_MIST = 1_000_000_000n;
const SOON_MS = 60_000;

test("a watch on a fund tells of each deposit as it comes", async () => {
  const fund = await newFund([]);
  const found: bigint[] = [];
  const end = watchDeposits(harness, fund.fundId, { fromMist: 0n, intervalMs: 50 }, (balanceMist) => {
    found.push(balanceMist);
  });
  try {
    await deposit(harness, fund, [2n * SUI_MIST]);
    await vi.waitUntil(() => found.length > 0, SOON_MS);
    await deposit(harness, fund, [2n * SUI_MIST]);
    await vi.waitUntil(() => (found.at(-1) ?? 0n) > 3n * SUI_MIST, SOON_MS);
  } finally {
    end();
  }
});
