import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { crash, platformStub, type TestFund } from "./sui-fund.ts";

/** The part of its budget at which a fund sponsors nothing new. */
const FULL_PART = 0.9;

/** Sets a fund's budget so that it is full after this many bytes more. The admin API takes no budget so small. */
export async function leaveRoom(fund: TestFund, bytes: number): Promise<void> {
  await runInDurableObject(platformStub(fund), async (_, { storage }) => {
    const fundBytes = Math.floor((storage.sql.databaseSize + bytes) / FULL_PART);
    storage.sql.exec("UPDATE fund SET fund_bytes = ?", fundBytes);
    await storage.sync();
  });
  await crash();
}

/** The storage events that funds log during some work. */
export async function storageEvents(work: () => Promise<unknown>): Promise<readonly string[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await work();
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  return lines.flatMap((line) => /"event":"(fund\.storage_(?:high|recovered))"/.exec(line)?.[1] ?? []);
}

/** Sponsors until the fund refuses. @returns how many it took, and the last refusal. */
export async function fill(
  attempt: (index: number) => Promise<{ readonly ok: boolean; readonly error?: unknown }>,
): Promise<{ readonly taken: number; readonly refusal: unknown }> {
  for (let index = 0; index < 100; index++) {
    const outcome = await attempt(index);
    if (!outcome.ok) return { taken: index, refusal: outcome.error };
  }
  throw new Error("the fund was never full");
}
