import type { StorageUse } from "../durable/storage-budget.ts";
import { isAptosNetwork, type Network } from "../networks.ts";
import { liveCounts as aptosLiveCounts } from "./aptos/live-counts.ts";
import type { FundEngine } from "./engine.ts";
import type { DailyCounts } from "./ledger/daily.ts";
import { runwayDays } from "./ledger/runway.ts";
import { utcDay } from "./ledger/usage.ts";
import { coinCounts } from "./sui/coin-counts.ts";
import { liveCounts } from "./sui/live-counts.ts";
import type { CoinCount } from "./views.ts";

const DAY_MS = 86_400_000;

/** The counters of a fund, read from its own rows. They survive a restart. */
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
  /** Ended sponsorships, and their cost. */
  readonly ended: DailyCounts;
  /** Refused calls by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  /** `runwayDays` in milliseconds. */
  readonly runwayMs: number | null;
  /** The fund's coins. Empty for a fund without coins. */
  readonly coins: readonly CoinCount[];
  /** The delay of the earliest look-up of a sponsorship, ms. */
  readonly settlementLateMs: number;
  /** The delay of the earliest due work of any kind, ms. */
  readonly lateMs: number;
  readonly storage: StorageUse;
}

/**
 * Reads the counters of a fund. Null if the fund was never created. It is no demand, so it causes no look for deposits.
 */
export function fundMetrics(engine: FundEngine | null, sql: SqlStorage): FundMetrics | null {
  if (engine === null) return null;
  const { record, store, due } = engine.core;
  const nowMs = engine.core.nowMs();
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = store.totals();
  const isAptos = isAptosNetwork(record.network);
  const availableAtoms = engine.availableAtoms();
  const days = runwayDays(availableAtoms, store.dailyCounts, nowMs);
  const [earliest] = due.listDue("settle", nowMs, 1);
  return {
    fundId: record.fundId,
    projectId: record.projectId,
    network: record.network,
    isPaused: record.pausedCause !== null,
    isLow: record.low,
    balanceAtoms,
    availableAtoms,
    inFlightAtoms,
    accruedFeesAtoms,
    maintenanceReserveAtoms: engine.maintenanceReserveAtoms(),
    live: isAptos ? aptosLiveCounts(sql) : liveCounts(sql),
    ended: store.dailyTotal.read(utcDay(nowMs)),
    refusals: store.refusalTotal.read(utcDay(nowMs)),
    runwayMs: days === null ? null : days * DAY_MS,
    coins: isAptos ? [] : coinCounts(sql),
    settlementLateMs: earliest === undefined ? 0 : Math.max(0, nowMs - earliest.atMs),
    lateMs: due.lateMs(nowMs),
    storage: engine.core.storageUse(),
  };
}
