import type { DueKind } from "../fund/fund-books.ts";
import { CHAIN_RESET } from "../fund/views.ts";
import type { FundCore } from "./fund-core.ts";

/** After a node gave no answer. */
export const RETRY_MS = 15_000;
/** Rows settled in one alarm. */
export const SETTLE_LIMIT = 500;
const SCAN_INTERVAL_MS = 15_000;
const CHAIN_RESET_PAUSE_MS = 3_600_000;

export interface DueWork {
  readonly kind: DueKind;
  run(): Promise<unknown>;
}

/** Handles everything that is due, in this order. A part that fails is logged and tried again; it never stops the others. */
export async function runDueWork(core: FundCore, parts: readonly DueWork[]): Promise<void> {
  const { deps, due, record } = core;
  if (record.pausedCause === CHAIN_RESET) {
    // Its chain is gone, with everything that could be settled.
    for (const { kind } of parts) due.postpone(kind, core.nowMs(), core.nowMs() + CHAIN_RESET_PAUSE_MS);
    return;
  }
  for (const { kind, run } of parts)
    try {
      await run();
    } catch (error) {
      deps.log("fund.upkeep_failed", { fund: record.fundId, kind, error: String(error) });
      due.postpone(kind, core.nowMs(), core.nowMs() + RETRY_MS);
    }
}

/** Sends the fund's own transactions again that are due. */
export async function resendDue(core: FundCore, submit: (reference: string) => Promise<unknown>): Promise<void> {
  for (const { reference } of core.due.take("own", core.nowMs(), SETTLE_LIMIT)) await submit(reference);
}

/** Looks for deposits where that is due, and says when to look again. */
export async function scanDue(core: FundCore, scan: () => Promise<unknown>): Promise<void> {
  const nowMs = core.nowMs();
  if (core.due.take("scan", nowMs, 1).length === 0) return;
  core.due.set("scan", "", nowMs + SCAN_INTERVAL_MS);
  core.store.dropOldIdempotency(nowMs);
  await scan();
}
