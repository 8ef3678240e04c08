import { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { ArchiveReader } from "../../archive/reader.ts";
import type { FundEngine, RevocationResult, Withdrawal, WithdrawInput } from "../../engine.ts";
import type { ExplainedSponsorship, OnChain } from "../../explain/story.ts";
import { availableOctas, maintenanceReserveOctas } from "../../ledger/available.ts";
import { Shortage } from "../../shortage.ts";
import { SETTLE_LIMIT } from "../../upkeep.ts";
import type { ForceClosed, Reconciliation, RecoveryView } from "../../views.ts";
import { unsettledIds } from "../adopt.ts";
import { isAnotherLedger } from "../chain-facts.ts";
import { KnownSenders } from "../known-senders.ts";
import { revoke } from "../sponsorships.ts";
import type { AptosFundCore } from "./chain.ts";
import { AptosSponsorshipExecution } from "./execute.ts";
import { explainSponsorship, lookUpOnChain } from "./explain.ts";
import { AptosForceClose } from "./force-close.ts";
import { AptosInitializations } from "./initialize.ts";
import { AptosReconciliation } from "./reconcile.ts";
import { AptosRecovery } from "./recover.ts";
import { AptosReservation } from "./reserve.ts";
import { AptosSettlement } from "./settle.ts";
import { AptosSponsoring } from "./sponsor.ts";
import { AptosSubmission } from "./submit.ts";
import { AptosUpkeep } from "./upkeep.ts";
import { AptosWithdrawals } from "./withdraw.ts";

/** Combines the parts of an Aptos fund over one core: its own upkeep, and the calls that it serves. */
export class AptosFundEngine implements FundEngine {
  readonly core: AptosFundCore;
  readonly rows: ArchiveReader;
  readonly sponsoring: AptosSponsoring;
  readonly execution: AptosSponsorshipExecution;
  readonly initializations: AptosInitializations;
  readonly #settlement: AptosSettlement;
  readonly #reconciliation: AptosReconciliation;
  readonly #withdrawals: AptosWithdrawals;
  readonly #recovery: AptosRecovery;
  readonly #forceClose: AptosForceClose;
  readonly #upkeep: AptosUpkeep;

  constructor(core: AptosFundCore) {
    const turns = new KeyedMutex();
    const senders = new KnownSenders();
    this.core = core;
    this.rows = new ArchiveReader(core);
    this.#settlement = new AptosSettlement(core, senders);
    this.#reconciliation = new AptosReconciliation(core, this.#settlement);
    const shortage = new Shortage(core, this.#reconciliation);
    const reservation = new AptosReservation(core, this.rows, shortage, turns, senders);
    this.sponsoring = new AptosSponsoring(core, reservation, shortage);
    this.execution = new AptosSponsorshipExecution(core, reservation, new AptosSubmission(core, this.#settlement));
    this.initializations = new AptosInitializations(core, shortage, this.execution);
    this.#withdrawals = new AptosWithdrawals(core, this.#settlement, shortage, turns);
    this.#recovery = new AptosRecovery(core, this.#settlement, this.#reconciliation);
    this.#forceClose = new AptosForceClose(core, this.rows, this.#settlement, this.#reconciliation);
    this.#upkeep = new AptosUpkeep(core, {
      settlement: this.#settlement,
      reconciliation: this.#reconciliation,
      withdrawals: this.#withdrawals,
      recovery: this.#recovery,
    });
  }

  availableAtoms(): bigint {
    return availableOctas(this.core.store);
  }

  /** Returns null, because an Aptos fund's money has a single form. */
  unconverted(): null {
    return null;
  }

  maintenanceReserveAtoms(): bigint {
    return maintenanceReserveOctas(this.core.store);
  }

  /** Refuses, because a node does not list fungible stores by their owner. An indexer does. */
  coins(): Outcome<never> {
    return refuse("unsupported_network", "a fund on Aptos has one balance and no coins: read the fund itself");
  }

  async unusable(): Promise<Outcome<never>> {
    return refuse(
      "unsupported_network",
      "an Aptos node lists nothing by its owner: ask an indexer for current_fungible_asset_balances of the deposit address",
    );
  }

  refresh(): Promise<Outcome<null>> {
    return this.#upkeep.scan();
  }

  async isOnItsChain(): Promise<boolean> {
    const ledger = await this.core.node.ledger();
    return ledger.ok && !isAnotherLedger(ledger.value, this.core.record.seen);
  }

  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>> {
    return this.#withdrawals.withdraw(input);
  }

  /**
   * Stops the key and counts the outcomes. A fee payer's signature cannot be taken back. It can execute until the
   * transaction expires, within an hour.
   */
  async revoke(keyId: string | null): Promise<RevocationResult> {
    const { core } = this;
    // One commit holds the revocation and the list. A request admitted before and reserved after it must not be missed.
    const ids = core.commit(() => {
      if (keyId !== null) core.store.setRevoked(keyId, true);
      return core.store.liveIds(keyId);
    });
    await this.#settlement.settle(ids.slice(0, SETTLE_LIMIT));
    const count = (wanted: string) => ids.filter((id) => core.store.sponsorship(id)?.state === wanted).length;
    const irrevocable = ids.filter((id) => revoke(core.store, id) === "irrevocable").length;
    return { revoked: count("dead"), tooLate: count("complete"), irrevocable, pending: 0 };
  }

  async reconcile(): Promise<Outcome<Reconciliation>> {
    const { address, store } = this.core;
    await this.#settlement.settle(unsettledIds(store).slice(0, SETTLE_LIMIT));
    const compared = address === null ? done(NOTHING) : await this.#reconciliation.compare(address);
    if (!compared.ok) return compared;
    const { bookedOctas, onChainOctas } = compared.value;
    return done({
      coins: 0,
      bookedCoinsAtoms: 0n,
      coinsOnChainAtoms: 0n,
      bookedAddressBalanceAtoms: bookedOctas,
      addressBalanceOnChainAtoms: onChainOctas,
      differences: [],
      exact: bookedOctas === onChainOctas,
    });
  }

  recover(): Promise<Outcome<RecoveryView>> {
    return this.#recovery.run();
  }

  forceClose(digest: string): Promise<Outcome<ForceClosed | null>> {
    return this.#forceClose.forceClose(digest);
  }

  /** Refuses, because an Aptos fund has one balance and no coins. */
  async dropCoin(): Promise<Outcome<never>> {
    return refuse("unsupported_network", "an Aptos fund owns no coins: run reconcile to compare its balance");
  }

  explain(name: string): Promise<ExplainedSponsorship | null> {
    return explainSponsorship(this.core, this.rows, name);
  }

  onChain(hash: string): Promise<OnChain> {
    return lookUpOnChain(this.core, hash);
  }

  runDue(): Promise<void> {
    return this.#upkeep.run();
  }
}

const NOTHING = { bookedOctas: 0n, onChainOctas: 0n };
