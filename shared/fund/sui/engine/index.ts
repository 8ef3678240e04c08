import { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { Page, PageRequest } from "../../../paging.ts";
import { ArchiveReader } from "../../archive/reader.ts";
import type { FundEngine, RevocationResult, Withdrawal, WithdrawInput } from "../../engine.ts";
import type { ExplainedSponsorship, OnChain } from "../../explain/story.ts";
import { availableMist, maintenanceReserveMist } from "../../ledger/available.ts";
import { Shortage } from "../../shortage.ts";
import type { DroppedCoin, ForceClosed, Reconciliation, RecoveryView, UnconvertedView } from "../../views.ts";
import { type CoinRequest, type CoinView, listCoins } from "../coin-list.ts";
import type { UnusableView } from "../unusable.ts";
import { ExecutionAnswers } from "./answer.ts";
import type { SuiFundCore } from "./chain.ts";
import { Conversion } from "./conversion.ts";
import { SuiDeposits } from "./deposits.ts";
import { SuiSponsorshipExecution } from "./execute.ts";
import { explainSponsorship, lookUpOnChain } from "./explain.ts";
import { SuiForceClose } from "./force-close.ts";
import { ForgottenRows } from "./forgotten-rows.ts";
import { SuiLookUps } from "./look-ups.ts";
import { PaymentCheck } from "./payment-check.ts";
import { SuiPool } from "./pool.ts";
import { SuiReconciliation } from "./reconcile.ts";
import { SuiRecovery } from "./recover.ts";
import { SuiRecycler } from "./recycle.ts";
import { SuiReservation } from "./reserve.ts";
import { SuiSettlement } from "./settle.ts";
import { SuiSponsoring } from "./sponsor.ts";
import { SuiStateWatch } from "./state-watch.ts";
import { SuiStatus } from "./status.ts";
import { SuiSweeper } from "./sweep.ts";
import { TreasuryRunner } from "./treasury.ts";
import { UnknownDigests } from "./unknown-digests.ts";
import { UnresolvedRows } from "./unresolved.ts";
import { SuiUnusable } from "./unusable.ts";
import { SuiUpkeep } from "./upkeep.ts";
import { SuiWithdrawals } from "./withdraw.ts";

/** Runs a Sui fund: the work of its alarm and the calls of its callers, over one core. */
export class SuiFundEngine implements FundEngine {
  readonly core: SuiFundCore;
  readonly rows: ArchiveReader;
  readonly sponsoring: SuiSponsoring;
  readonly execution: SuiSponsorshipExecution;
  readonly status: SuiStatus;
  readonly #conversion: Conversion;
  readonly #recycler: SuiRecycler;
  readonly #withdrawals: SuiWithdrawals;
  readonly #reconciliation: SuiReconciliation;
  readonly #unusable: SuiUnusable;
  readonly #recovery: SuiRecovery;
  readonly #forceClose: SuiForceClose;
  readonly #upkeep: SuiUpkeep;
  readonly #lookUps: SuiLookUps;

  /** @param afterAnswer keeps the object alive for work that continues after the answer. */
  constructor(core: SuiFundCore, afterAnswer: (work: Promise<unknown>) => void) {
    const turns = new KeyedMutex();
    const lookUps = new SuiLookUps(core);
    this.rows = new ArchiveReader(core);
    const watch = new SuiStateWatch(core, this.rows);
    const own = new TreasuryRunner(core, lookUps, watch);
    this.#conversion = new Conversion(core);
    const pool = new SuiPool(core, own, this.#conversion);
    const settlement = new SuiSettlement(core, lookUps, watch);
    const deposits = new SuiDeposits(core, watch, settlement.places);
    const shortage = new Shortage(core, deposits);
    const check = new PaymentCheck(core, watch, deposits, (digest) => own.submit(digest));
    this.core = core;
    this.#lookUps = lookUps;
    const reservation = new SuiReservation(core, pool, shortage, turns, afterAnswer);
    this.sponsoring = new SuiSponsoring(core, reservation);
    const { commits, refused } = reservation;
    const answers = new ExecutionAnswers(core, lookUps, commits);
    this.execution = new SuiSponsorshipExecution(core, this.rows, { answers, commits, refused }, turns, afterAnswer);
    const unknown = new UnknownDigests(core, watch);
    this.status = new SuiStatus(core, this.rows, { answers, lookUps, unknown });
    this.#recycler = new SuiRecycler(core, own, settlement);
    this.#withdrawals = new SuiWithdrawals(core, { own, pool, shortage, turns, check });
    this.#reconciliation = new SuiReconciliation(core, settlement, deposits);
    this.#unusable = new SuiUnusable(core, pool);
    this.#recovery = new SuiRecovery(core, new SuiSweeper(core, own), new ForgottenRows(core, lookUps), watch);
    const unresolved = new UnresolvedRows(core, deposits, watch, settlement.places);
    this.#forceClose = new SuiForceClose(core, this.rows, watch, unresolved);
    const recycler = this.#recycler;
    const parts = { settlement, unresolved, own, recycler, deposits, pool, recovery: this.#recovery };
    this.#upkeep = new SuiUpkeep(core, parts);
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

  coins(request: CoinRequest): Outcome<Page<CoinView>> {
    const { store } = this.core;
    return done(listCoins((objectId, limit) => store.coinsAfter(objectId, limit), request));
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
    return facts.ok && facts.value.chain === record.seen?.chainIdentifier;
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

  recover(): Promise<Outcome<RecoveryView>> {
    return this.#recovery.recover();
  }

  forceClose(digest: string): Promise<Outcome<ForceClosed | null>> {
    return this.#forceClose.forceClose(digest);
  }

  dropCoin(objectId: string): Promise<Outcome<DroppedCoin | null>> {
    return this.#forceClose.dropCoin(objectId);
  }

  explain(digest: string): Promise<ExplainedSponsorship | null> {
    return explainSponsorship(this.core, this.rows, digest);
  }

  onChain(digest: string): Promise<OnChain> {
    return lookUpOnChain(this.#lookUps, digest);
  }

  runDue(): Promise<void> {
    return this.#upkeep.run();
  }
}
