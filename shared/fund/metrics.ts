import type { StorageUse } from "../durable/storage-budget.ts";
import { isAptosNetwork, type Network } from "../networks.ts";
import { liveCounts as aptosLiveCounts } from "./aptos/live-counts.ts";
import type { FundEngine } from "./engine.ts";
import { refusalsByReason } from "./explain/sqlite-refused-calls.ts";
import type { DailyCounts } from "./ledger/daily.ts";
import { utcDay } from "./ledger/usage.ts";
import { coinCounts } from "./sui/coin-counts.ts";
import { liveCounts } from "./sui/live-counts.ts";
import type { CoinCount } from "./views.ts";

const DAY_MS = 86_400_000;
/** The runway is at the rate of this many days, today included. */
const RATE_DAYS = 7;

/** What a fund counts, as its own rows have it. It goes on after a restart. */
export interface FundMetrics {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  readonly isPaused: boolean;
  readonly isLow: boolean;
  readonly balanceAtoms: bigint;
  readonly availableAtoms: bigint;
  readonly inFlightAtoms: bigint;
  readonly accruedFeesAtoms: bigint;
  readonly maintenanceReserveAtoms: bigint;
  /** Live sponsorships by state. */
  readonly live: Readonly<Record<string, number>>;
  /** Ended sponsorships, and what they have cost. */
  readonly ended: DailyCounts;
  /** Refused calls by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  /** The time for which the available amount lasts at the rate of the last seven days. Null if nothing was spent. */
  readonly runwayMs: number | null;
  /** The fund's coins. Empty for a fund without coins. */
  readonly coins: readonly CoinCount[];
  /** How late the earliest look-up of a sponsorship is, ms. */
  readonly settlementLateMs: number;
  /** How late the earliest due work of any kind is, ms. */
  readonly lateMs: number;
  readonly storage: StorageUse;
}

/**
 * Returns for how long an amount lasts, ms. Null if nothing was spent.
 *
 * @param overMs the time in which the amount was spent. A shorter time than a day counts as a day.
 */
export function runwayMsOf(availableAtoms: bigint, spentAtoms: bigint, overMs: number): number | null {
  if (spentAtoms <= 0n) return null;
  if (availableAtoms <= 0n) return 0;
  return (Number(availableAtoms) / Number(spentAtoms)) * Math.max(overMs, DAY_MS);
}

function runwayMs(engine: FundEngine): number | null {
  const { core } = engine;
  const nowMs = core.nowMs();
  const firstDay = utcDay(nowMs) - RATE_DAYS + 1;
  const { chargedAtoms, feeAtoms, maintenanceAtoms } = core.store.dailyTotal.between(firstDay, utcDay(nowMs));
  const sinceMs = Math.max(firstDay * DAY_MS, core.store.dailyCounts.sinceMs() ?? 0);
  return runwayMsOf(engine.availableAtoms(), chargedAtoms + feeAtoms + maintenanceAtoms, nowMs - sinceMs);
}

/**
 * Reads what a fund counts. Null if the fund was never created. It is no demand, so the fund does not look for deposits
 * because of it.
 */
export function fundMetrics(engine: FundEngine | null, sql: SqlStorage): FundMetrics | null {
  if (engine === null) return null;
  const { record, store, due } = engine.core;
  const nowMs = engine.core.nowMs();
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = store.totals();
  const isAptos = isAptosNetwork(record.network);
  const [earliest] = due.listDue("settle", nowMs, 1);
  return {
    fundId: record.fundId,
    projectId: record.projectId,
    network: record.network,
    isPaused: record.pausedCause !== null,
    isLow: record.low,
    balanceAtoms,
    availableAtoms: engine.availableAtoms(),
    inFlightAtoms,
    accruedFeesAtoms,
    maintenanceReserveAtoms: engine.maintenanceReserveAtoms(),
    live: isAptos ? aptosLiveCounts(sql) : liveCounts(sql),
    ended: store.dailyTotal.read(utcDay(nowMs)),
    refusals: refusalsByReason(sql),
    runwayMs: runwayMs(engine),
    coins: isAptos ? [] : coinCounts(sql),
    settlementLateMs: earliest === undefined ? 0 : Math.max(0, nowMs - earliest.atMs),
    lateMs: due.lateMs(nowMs),
    storage: engine.core.storageUse(),
  };
}
