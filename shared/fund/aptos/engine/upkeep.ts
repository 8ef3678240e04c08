import { done, type Outcome } from "../../../errors.ts";
import { ArchiveMover } from "../../archive/mover.ts";
import { isClosed } from "../../recovery.ts";
import { migrateDue, resendDue, runDueWork, scanDue, sweepDue } from "../../upkeep.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosRecovery } from "./recover.ts";
import type { AptosSettlement } from "./settle.ts";
import type { AptosWithdrawals } from "./withdraw.ts";

/** Runs a fund's own work by its alarm. It settles rows, resends withdrawals, finds deposits, and archives. */
export class AptosUpkeep {
  readonly #core: AptosFundCore;
  readonly #settlement: AptosSettlement;
  readonly #withdrawals: AptosWithdrawals;
  readonly #mover: ArchiveMover;
  readonly #recovery: AptosRecovery;

  constructor(
    core: AptosFundCore,
    settlement: AptosSettlement,
    withdrawals: AptosWithdrawals,
    recovery: AptosRecovery,
  ) {
    this.#core = core;
    this.#settlement = settlement;
    this.#withdrawals = withdrawals;
    this.#mover = new ArchiveMover(core);
    this.#recovery = recovery;
  }

  /** Handles everything that is due. */
  run(): Promise<void> {
    return runDueWork(this.#core, [
      { kind: "settle", run: () => this.#settlement.settleDue() },
      { kind: "own", run: () => resendDue(this.#core, (hash) => this.#withdrawals.submit(hash)) },
      { kind: "recover", run: () => this.#recovery.runDue() },
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
    const compared = await this.#settlement.compare(address);
    if (!compared.ok) return compared;
    // A remaining difference may be a deposit that waits for the next look. A recovery looks by itself.
    if (!isClosed(this.#core.record) && compared.value.bookedOctas !== compared.value.onChainOctas)
      this.#core.noteDemand();
    return done(null);
  }
}
