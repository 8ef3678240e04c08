import { OUTBOX_INTERVALS } from "../durable/outbox.ts";
import { IDEMPOTENCY_TTL_MS } from "../idempotency.ts";
import { inTime } from "../timing.ts";
import type { ArchiveMover } from "./archive/mover.ts";
import type { FundCore } from "./core.ts";
import type { DueKind } from "./ledger/books.ts";
import { GRID_MS, UNRESOLVED_AFTER_MS } from "./look-up-schedule.ts";
import type { FundRecord } from "./record.ts";
import { isClosed } from "./recovery.ts";
import { LONGEST_SCAN_MS } from "./scan-interval.ts";
import { LONGEST_REST_MS } from "./stuck-rows.ts";
import { CHAIN_RESET } from "./views.ts";

/** The pause after a node gave no answer. */
export const RETRY_MS = 15_000;
/** The most rows that a step settles, if settling is not its own work. */
export const SETTLE_LIMIT = 500;
/**
 * The number of due rows that one alarm reads. The time of the alarm bounds how many it settles, and the others stay
 * due.
 */
export const DUE_ROWS_LIMIT = 5_000;
/** The gap between two sweeps while more rows wait to be emptied. */
const NEXT_SWEEP_MS = 1_000;
/** The work that a fund may do now, and the pause of its other work. */
interface WorkLimit {
  readonly allowed: ReadonlySet<DueKind>;
  readonly pauseMs: number;
}

/**
 * The chain is gone, so nothing on it can be settled. Rows of version 5 still move, because a project can move only
 * after they have.
 */
const WITHOUT_CHAIN: WorkLimit = { allowed: new Set(["migrate"]), pauseMs: 3_600_000 };
/** A state that may be older than its chain must not act on that chain. */
const WHILE_CLOSED: WorkLimit = { allowed: new Set(["recover", "answers", "sweep", "migrate"]), pauseMs: 300_000 };
/** The longest wait before a recovery continues. */
export const LONGEST_RECOVERY_WAIT_MS = 300_000;
/** The greatest difference between the chain's time and ours in a reply that fixes the end of a closure. */
export const MAX_CLOSING_LAG_MS = 300_000;
/** The gap between two steps that empty the tables of version 5. Calls are answered between them. */
const NEXT_MIGRATION_MS = 100;

/** The longest time from now at which each kind of work is ever due, on any chain. */
export const LONGEST_INTERVALS: Readonly<Record<DueKind, number>> = {
  // Covers the lifetime of a prepared row, and the longest wait for a digest that no endpoint shows.
  settle: 600_000 + GRID_MS,
  unresolved: UNRESOLVED_AFTER_MS + GRID_MS,
  own: 300_000 + GRID_MS,
  recycle: LONGEST_REST_MS,
  scan: LONGEST_SCAN_MS,
  answers: IDEMPOTENCY_TTL_MS,
  sweep: NEXT_SWEEP_MS,
  recover: LONGEST_RECOVERY_WAIT_MS,
  archive: RETRY_MS,
  migrate: NEXT_MIGRATION_MS,
};

/** The intervals above, with the outbox's own. */
export const FUND_INTERVALS = { ...LONGEST_INTERVALS, ...OUTBOX_INTERVALS };

/** One kind of due work and the function that does it. */
export interface DueWork {
  readonly kind: DueKind;
  run(): Promise<unknown>;
}

/** Returns null if a fund may do all of its work. */
function limitOf(record: FundRecord): WorkLimit | null {
  if (record.pausedCause === CHAIN_RESET) return WITHOUT_CHAIN;
  return isClosed(record) ? WHILE_CLOSED : null;
}

/** Handles all due work, in this order. A part that fails is logged and tried again. It never stops the others. */
export async function runDueWork(core: FundCore, parts: readonly DueWork[]): Promise<void> {
  const { deps, due, record } = core;
  const limit = limitOf(record);
  const isAllowed = ({ kind }: DueWork) => limit === null || limit.allowed.has(kind);
  for (const { kind } of parts.filter((part) => !isAllowed(part)))
    due.postpone(kind, core.nowMs(), core.nowMs() + (limit?.pauseMs ?? 0));
  for (const { kind, run } of parts.filter(isAllowed))
    try {
      await run();
    } catch (error) {
      deps.log("fund.upkeep_failed", { fund: record.fundId, kind, error: String(error) });
      postpone(core, kind);
    }
}

/**
 * Settles what is due, again and again, until other work is over. Without it, rows would wait for a long listing. While
 * the oldest row stays due after a pass, it and the rows behind it wait for the end of the work.
 */
export async function whileUnderWay(
  work: Promise<unknown>,
  settle: () => Promise<void>,
  core: FundCore,
): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const over = work.then(end, end);
  const first = () => core.due.listDue("settle", core.nowMs(), 1)[0]?.reference ?? null;
  try {
    for (let last: string | null = null; !isOver; ) {
      const next = limitOf(core.record) === null ? first() : null;
      if (next === null || next === last) await inTime(GRID_MS, over);
      else await settle();
      last = next;
    }
  } finally {
    await over;
  }
}

/** Postpones a kind of work. If the storage accepts no writes, the work stays due and the alarm backs off. */
function postpone(core: FundCore, kind: DueKind): void {
  const { due, deps, record } = core;
  try {
    due.postpone(kind, core.nowMs(), core.nowMs() + RETRY_MS);
  } catch (error) {
    deps.log("fund.postpone_failed", { fund: record.fundId, kind, error: String(error) });
  }
}

/** Sends the fund's due treasury transactions again. One that fails is tried again later, and stops no other. */
export async function resendDue(core: FundCore, submit: (reference: string) => Promise<unknown>): Promise<void> {
  for (const { reference } of core.due.listDue("own", core.nowMs(), SETTLE_LIMIT))
    try {
      await submit(reference);
    } catch (error) {
      core.deps.log("fund.resend_failed", { fund: core.record.fundId, digest: reference, error: String(error) });
      core.due.set("own", reference, core.nowMs() + RETRY_MS);
    }
}

/** Continues to empty ended rows if the last sweep left some. */
export function sweepDue(core: FundCore): void {
  if (core.due.listDue("sweep", core.nowMs(), 1).length > 0) sweep(core);
}

function sweep(core: FundCore): void {
  core.commit(() => {
    const nowMs = core.nowMs();
    const hasMore = core.store.spentBytes.sweep(nowMs);
    core.due.set("sweep", "", hasMore ? nowMs + NEXT_SWEEP_MS : null);
  });
}

/** Moves some rows from the tables of version 5, while such a table is left. */
export function migrateDue(core: FundCore): void {
  if (core.due.listDue("migrate", core.nowMs(), 1).length === 0) return;
  core.commit(() => {
    const hasMore = core.store.moveOldRows();
    core.due.set("migrate", "", hasMore ? core.nowMs() + NEXT_MIGRATION_MS : null);
  });
}

/**
 * Looks for deposits if that is due, and schedules the next look.
 *
 * @param tidyMore cleans up the rows that only this chain's funds have.
 */
export async function scanDue(
  core: FundCore,
  mover: ArchiveMover,
  scan: () => Promise<unknown>,
  tidyMore = () => {},
): Promise<void> {
  const nowMs = core.nowMs();
  if (core.due.listDue("scan", nowMs, 1).length === 0) return;
  core.due.set("scan", "", nowMs + core.scanIntervalMs());
  // A failed cleanup must not keep the fund from its deposits.
  const { store, record } = core;
  const tidies = [
    () => sweep(core),
    () => store.dropOldSenderUsage(nowMs),
    () => core.commit(() => store.foldOldDaily(nowMs, record.limits.retentionDays)),
    () => mover.notice(),
    tidyMore,
  ];
  for (const tidy of tidies)
    try {
      tidy();
    } catch (error) {
      core.deps.log("fund.sweep_failed", { fund: core.record.fundId, error: String(error) });
    }
  await scan();
}
