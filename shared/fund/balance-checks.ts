import type { FundEngine } from "./engine.ts";
import { reportLowBalance } from "./low-balance.ts";
import { reportStorage } from "./storage-high.ts";

/** The fund's own alarm checks the balance this often. Without crons, nothing else does. */
const BALANCE_CHECK_MS = 300_000;

/** Reports a low balance and a high use of storage, now and then. */
export class BalanceChecks {
  /** The last check by this instance. */
  #checkedAtMs = 0;

  run(engine: FundEngine): void {
    this.#checkedAtMs = engine.core.nowMs();
    reportLowBalance(engine);
    reportStorage(engine.core);
  }

  /** Checks if the next alarm may come too late for it, or if the clock was ahead at the last check. */
  runIfDue(engine: FundEngine): void {
    const sinceCheckMs = Math.abs(engine.core.nowMs() - this.#checkedAtMs);
    if (sinceCheckMs + engine.core.scanIntervalMs() > BALANCE_CHECK_MS) this.run(engine);
  }
}
