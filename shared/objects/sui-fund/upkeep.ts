import { done, type Outcome } from "../../errors.ts";
import { resendDue, runDueWork, scanDue } from "../fund-upkeep.ts";
import type { SuiFundCore } from "./core.ts";
import type { FundDeposits } from "./deposits.ts";
import type { FundOwn } from "./own.ts";
import type { FundPool } from "./pool.ts";
import type { FundRecycler } from "./recycler.ts";
import type { FundSettlement } from "./settlement.ts";

const REFILLS_PER_SCAN = 8;

export interface UpkeepParts {
  readonly settlement: FundSettlement;
  readonly own: FundOwn;
  readonly recycler: FundRecycler;
  readonly deposits: FundDeposits;
  readonly pool: FundPool;
}

/** What a fund does by itself, woken by its alarm: settle, resend, recycle, find deposits, refill. */
export class FundUpkeep {
  readonly #core: SuiFundCore;
  readonly #parts: UpkeepParts;

  constructor(core: SuiFundCore, parts: UpkeepParts) {
    this.#core = core;
    this.#parts = parts;
  }

  run(): Promise<void> {
    const { settlement, own, recycler } = this.#parts;
    return runDueWork(this.#core, [
      { kind: "settle", run: () => settlement.settleDue() },
      { kind: "own", run: () => resendDue(this.#core, (digest) => own.submit(digest)) },
      { kind: "recycle", run: () => this.#recycleDue(recycler) },
      { kind: "scan", run: () => scanDue(this.#core, () => this.scan("when_changed")) },
    ]);
  }

  async #recycleDue(recycler: FundRecycler): Promise<void> {
    if (this.#core.due.take("recycle", this.#core.nowMs(), 1).length > 0) await recycler.runDue();
  }

  /** Looks for deposits and stocks the pool. */
  async scan(listing: "always" | "when_changed"): Promise<Outcome<null>> {
    const core = this.#core;
    const { address } = core;
    if (address === null) return done(null);
    // Coins of another chain are nobody's deposit.
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const found = await this.#parts.deposits.find(address, listing);
    if (!found.ok) return found;
    for (let round = 0; round < REFILLS_PER_SCAN; round++) if (!(await this.#parts.pool.refill())) break;
    return done(null);
  }
}
