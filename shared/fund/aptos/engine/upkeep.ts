import { done, type Outcome } from "../../../errors.ts";
import { ArchiveMover } from "../../archive/mover.ts";
import { isClosed } from "../../recovery.ts";
import { migrateDue, resendDue, runDueWork, scanDue, sweepDue } from "../../upkeep.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosReconciliation } from "./reconcile.ts";
import type { AptosRecovery } from "./recover.ts";
import type { AptosSettlement } from "./settle.ts";
import type { AptosWithdrawals } from "./withdraw.ts";

/** The parts of an Aptos fund that do the work of its alarm. */
export interface UpkeepParts {
  readonly settlement: AptosSettlement;
  readonly reconciliation: AptosReconciliation;
  readonly withdrawals: AptosWithdrawals;
  readonly recovery: AptosRecovery;
}

/** Runs a fund's own work by its alarm. It settles rows, resends withdrawals, finds deposits, and archives. */
export class AptosUpkeep {
  readonly #core: AptosFundCore;
  readonly #parts: UpkeepParts;
  readonly #mover: ArchiveMover;

  constructor(core: AptosFundCore, parts: UpkeepParts) {
    this.#core = core;
    this.#parts = parts;
    this.#mover = new ArchiveMover(core);
  }

  /** Handles all due work. */
  run(): Promise<void> {
    const { settlement, withdrawals, recovery } = this.#parts;
    return runDueWork(this.#core, [
      { kind: "settle", run: () => settlement.settleDue() },
      { kind: "own", run: () => resendDue(this.#core, (hash) => withdrawals.submit(hash)) },
      { kind: "recover", run: () => recovery.runDue() },
      { kind: "scan", run: () => scanDue(this.#core, this.#mover, () => this.scan()) },
      { kind: "sweep", run: async () => sweepDue(this.#core) },
      { kind: "archive", run: () => this.#mover.runDue() },
      { kind: "migrate", run: async () => migrateDue(this.#core) },
    ]);
  }

  /** Looks for deposits. */
  async scan(): Promise<Outcome<null>> {
    const { address } = this.#core;
    if (address === null) return done(null);
    const compared = await this.#parts.reconciliation.compare(address);
    if (!compared.ok) return compared;
    // A remaining difference may be a deposit that the next look will find. A recovery looks by itself.
    if (!isClosed(this.#core.record) && compared.value.bookedOctas !== compared.value.onChainOctas)
      this.#core.noteDemand();
    return done(null);
  }
}
