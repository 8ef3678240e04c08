import type { FundEngine } from "./engine.ts";
import { reportLowBalance } from "./low-balance.ts";
import { reportStorage } from "./storage-high.ts";
import { viewOf } from "./view.ts";
import type { FundView } from "./views.ts";

/** The fund's own alarm checks the balance this often. Without crons, nothing else does. */
const BALANCE_CHECK_MS = 300_000;

/** Reports a low balance and a high use of storage, now and then. */
export class BalanceChecks {
  /** The last check by this instance. */
  #checkedAtMs = 0;

  /** Checks a fund and shows it. Null if it was never created. */
  run(engine: FundEngine | null): FundView | null {
    if (engine === null) return null;
    this.#checkedAtMs = engine.core.nowMs();
    reportLowBalance(engine);
    reportStorage(engine.core);
    return { ...viewOf(engine), lateMs: engine.core.due.lateMs(engine.core.nowMs()) };
  }

  /**
   * Checks the storage. Checks the balance if the next alarm may be too late for it. Also checks it if the clock was
   * ahead at the last check.
   */
  runIfDue(engine: FundEngine): void {
    reportStorage(engine.core);
    const sinceCheckMs = Math.abs(engine.core.nowMs() - this.#checkedAtMs);
    if (sinceCheckMs + engine.core.scanIntervalMs() > BALANCE_CHECK_MS) this.run(engine);
  }
}
