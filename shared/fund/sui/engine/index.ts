import { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import type { Outcome } from "../../../errors.ts";
import type { Page, PageRequest } from "../../../paging.ts";
import type { FundEngine, RevocationResult, Withdrawal, WithdrawInput } from "../../engine.ts";
import { availableMist, maintenanceReserveMist } from "../../ledger/available.ts";
import { Shortage } from "../../shortage.ts";
import type { Reconciliation, SponsorshipView, UnconvertedView } from "../../views.ts";
import type { UnusableView } from "../unusable.ts";
import type { SuiFundCore } from "./chain.ts";
import { Conversion } from "./conversion.ts";
import { FundDeposits } from "./deposits.ts";
import { FundExecution } from "./execute.ts";
import { FundLookUps } from "./look-ups.ts";
import { FundPool } from "./pool.ts";
import { FundReconciliation } from "./reconcile.ts";
import { FundRecycler } from "./recycle.ts";
import { FundSettlement } from "./settle.ts";
import { FundSponsoring } from "./sponsor.ts";
import { TreasuryRunner } from "./treasury.ts";
import { FundUnusable } from "./unusable.ts";
import { FundUpkeep } from "./upkeep.ts";
import { FundWithdrawals } from "./withdraw.ts";

/** A Sui fund: what it does by itself, and what callers have it do, over one core. */
export class SuiFundEngine implements FundEngine {
  readonly core: SuiFundCore;
  readonly sponsoring: FundSponsoring;
  readonly execution: FundExecution;
  readonly #conversion: Conversion;
  readonly #recycler: FundRecycler;
  readonly #withdrawals: FundWithdrawals;
  readonly #reconciliation: FundReconciliation;
  readonly #unusable: FundUnusable;
  readonly #upkeep: FundUpkeep;

  /** @param afterAnswer keeps the object alive for work that goes on after the answer. */
  constructor(core: SuiFundCore, afterAnswer: (work: Promise<unknown>) => void) {
    const turns = new KeyedMutex();
    const lookUps = new FundLookUps(core);
    const own = new TreasuryRunner(core, lookUps);
    this.#conversion = new Conversion(core);
    const pool = new FundPool(core, own, this.#conversion);
    const settlement = new FundSettlement(core, lookUps);
    const deposits = new FundDeposits(core);
    const shortage = new Shortage(core, deposits);
    this.core = core;
    this.sponsoring = new FundSponsoring(core, pool, shortage, turns, afterAnswer);
    this.execution = new FundExecution(core, lookUps, turns, afterAnswer);
    this.#recycler = new FundRecycler(core, own, settlement);
    this.#withdrawals = new FundWithdrawals(core, own, pool, shortage, turns);
    this.#reconciliation = new FundReconciliation(core, settlement, deposits);
    this.#unusable = new FundUnusable(core, pool);
    this.#upkeep = new FundUpkeep(core, { settlement, own, recycler: this.#recycler, deposits, pool });
  }

  availableAtoms(): bigint {
    return availableMist(this.core.store, this.core.mode);
  }

  unconverted(): UnconvertedView | null {
    return this.#conversion.view();
  }

  maintenanceReserveAtoms(): bigint {
    return maintenanceReserveMist(this.core.store, this.core.mode);
  }

  sponsorships(page: PageRequest): Page<SponsorshipView> {
    return this.core.store.listSponsorships(page);
  }

  unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>>> {
    return this.#unusable.list(page);
  }

  refresh(): Promise<Outcome<null>> {
    return this.#upkeep.scan("always");
  }

  async isOnItsChain(): Promise<boolean> {
    const { node, record } = this.core;
    const facts = await node.chainFacts(record.seen?.epoch ?? 0n);
    return facts.ok && facts.value.chainIdentifier === record.seen?.chainIdentifier;
  }

  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    return this.#withdrawals.withdraw(input);
  }

  revoke(keyId: string | null): Promise<RevocationResult> {
    return this.#recycler.revoke(keyId);
  }

  reconcile(): Promise<Outcome<Reconciliation>> {
    return this.#reconciliation.run();
  }

  runDue(): Promise<void> {
    return this.#upkeep.run();
  }
}
