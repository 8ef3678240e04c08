import { done, type Outcome } from "../../../errors.ts";
import { ArchiveMover } from "../../archive/mover.ts";
import { LONGEST_SCAN_MS } from "../../scan-interval.ts";
import { migrateDue, resendDue, runDueWork, scanDue, sweepDue } from "../../upkeep.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiDeposits } from "./deposits.ts";
import type { SuiPool } from "./pool.ts";
import type { SuiRecovery } from "./recover.ts";
import type { SuiRecycler } from "./recycle.ts";
import type { SuiSettlement } from "./settle.ts";
import type { TreasuryRunner } from "./treasury.ts";
import type { UnresolvedRows } from "./unresolved.ts";

const DAY_MS = 86_400_000;

/** The parts of a Sui fund that do the work of its alarm. */
export interface UpkeepParts {
  readonly settlement: SuiSettlement;
  readonly unresolved: UnresolvedRows;
  readonly own: TreasuryRunner;
  readonly recycler: SuiRecycler;
  readonly deposits: SuiDeposits;
  readonly pool: SuiPool;
  readonly recovery: SuiRecovery;
}

/** Does a fund's own work on its alarm: settle, resend, recycle, find deposits, refill, drop old answers, sweep, archive. */
export class SuiUpkeep {
  readonly #core: SuiFundCore;
  readonly #parts: UpkeepParts;
  readonly #mover: ArchiveMover;

  constructor(core: SuiFundCore, parts: UpkeepParts) {
    this.#core = core;
    this.#parts = parts;
    this.#mover = new ArchiveMover(core);
  }

  run(): Promise<void> {
    const { settlement, unresolved, own, recycler, recovery } = this.#parts;
    return runDueWork(this.#core, [
      { kind: "settle", run: () => settlement.settleDue() },
      { kind: "unresolved", run: () => unresolved.runDue() },
      { kind: "own", run: () => resendDue(this.#core, (digest) => own.submit(digest)) },
      { kind: "recycle", run: () => this.#recycleDue(recycler) },
      { kind: "scan", run: () => this.#scanDue() },
      { kind: "recover", run: () => recovery.runDue() },
      { kind: "answers", run: async () => this.#dropAnswers() },
      { kind: "sweep", run: async () => sweepDue(this.#core) },
      { kind: "archive", run: () => this.#mover.runDue() },
      { kind: "migrate", run: async () => migrateDue(this.#core) },
    ]);
  }

  #scanDue(): Promise<void> {
    const core = this.#core;
    const dropGone = () => core.commit(() => core.store.dropGoneCoins(core.nowMs()));
    const scan = () => this.#parts.settlement.beside(this.scan("when_changed"));
    return scanDue(core, this.#mover, scan, dropGone);
  }

  #dropAnswers(): void {
    const core = this.#core;
    if (core.due.listDue("answers", core.nowMs(), 1).length > 0)
      core.commit(() => core.store.answers.dropOld(core.nowMs()));
  }

  async #recycleDue(recycler: SuiRecycler): Promise<void> {
    if (this.#core.due.listDue("recycle", this.#core.nowMs(), 1).length > 0) await recycler.runDue();
  }

  /**
   * Checks whether an idle fund has seen its chain within a day, so that a scan need not fetch facts. Endpoints of
   * another chain than the remembered one do not count anyway.
   */
  #knowsChain(): boolean {
    const { seen } = this.#core.record;
    const isIdle = this.#core.scanIntervalMs() === LONGEST_SCAN_MS;
    return isIdle && seen !== null && Math.abs(this.#core.nowMs() - seen.seenAtMs) < DAY_MS;
  }

  /** Looks for deposits and stocks the pool. */
  async scan(listing: "always" | "when_changed"): Promise<Outcome<null>> {
    const core = this.#core;
    if (core.address === null) return done(null);
    // Coins of another chain are no deposit.
    const facts = this.#knowsChain() ? done(null) : await core.factsForSigning();
    if (!facts.ok) return facts;
    const found = await this.#parts.deposits.find(listing);
    // The next step may take more than one scan. A long listing must finish before the platform ends a waiting
    // instance.
    if ((found.ok && found.value > 0n) || this.#parts.deposits.isListing) core.noteDemand();
    if (!found.ok) return found;
    await this.#parts.pool.stock();
    return done(null);
  }
}
