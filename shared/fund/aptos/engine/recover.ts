import type { AptosSeen } from "../../../chain/aptos/seen.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import {
  beginRecovery,
  endRecovery,
  isRecovering,
  type Recovery,
  recoveryView,
  withForgotten,
} from "../../recovery.ts";
import { noteWait, someOf } from "../../recovery-wait.ts";
import { LONGEST_RECOVERY_WAIT_MS, MAX_CLOSING_LAG_MS, RETRY_MS, SETTLE_LIMIT } from "../../upkeep.ts";
import { CHAIN_RESET, type RecoveryView } from "../../views.ts";
import { unsettledIds } from "../adopt.ts";
import { closedUntilMs } from "../recover.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosReconciliation } from "./reconcile.ts";
import type { AptosSettlement } from "./settle.ts";

/** The most forgotten transactions of the fund's own that the recovery lists. */
const MAX_FORGOTTEN = 50;

/**
 * Brings a fund whose state may be older than the chain up to the chain. A fee payer's signature cannot be taken back.
 * So the fund stays closed until every forgotten signature has expired by the chain's own clock.
 * Each step ends with one commit. After a crash the alarm begins the step anew.
 */
export class AptosRecovery {
  readonly #core: AptosFundCore;
  readonly #settlement: AptosSettlement;
  readonly #reconciliation: AptosReconciliation;
  #running: Promise<void> | null = null;

  constructor(core: AptosFundCore, settlement: AptosSettlement, reconciliation: AptosReconciliation) {
    this.#core = core;
    this.#settlement = settlement;
    this.#reconciliation = reconciliation;
  }

  /** Begins a recovery, or continues the one under way. Refuses with `fund_paused` if the fund's chain is gone. */
  async run(): Promise<Outcome<RecoveryView>> {
    const core = this.#core;
    if (core.record.pausedCause === CHAIN_RESET)
      return refuse(
        "fund_paused",
        "the fund's chain is gone (chain_reset), so nothing can be recovered: create a new fund",
        {
          cause: CHAIN_RESET,
        },
      );
    const begun = core.commit(() => {
      const { pausedCause, recovery } = beginRecovery(core.record, core.nowMs());
      core.changeRecord({ pausedCause, recovery });
      core.due.set("recover", "", core.nowMs(), "by_then");
      return recovery;
    });
    await this.#continue();
    return done(recoveryView(core.record.recovery ?? begun));
  }

  /** Continues the recovery if it is due. */
  async runDue(): Promise<void> {
    const core = this.#core;
    if (core.due.listDue("recover", core.nowMs(), 1).length === 0) return;
    // A step that fails is tried again, also by another instance.
    core.due.set("recover", "", core.nowMs() + RETRY_MS);
    await this.#continue();
  }

  /** Takes steps until the recovery must wait for the chain. Two calls share the steps. */
  #continue(): Promise<void> {
    this.#running ??= this.#steps().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #steps(): Promise<void> {
    for (let recovery = this.#underWay(); recovery !== null; recovery = this.#underWay()) {
      const waitingFor = await this.#step(recovery);
      noteWait(this.#core, waitingFor);
      if (waitingFor !== null) return;
    }
  }

  #underWay(): Recovery | null {
    const { record } = this.#core;
    return isRecovering(record) ? record.recovery : null;
  }

  /** Takes one step. Returns the reason to wait, or null if the next step can follow immediately. */
  async #step(recovery: Recovery): Promise<string | null> {
    switch (recovery.step) {
      case "closing":
        return this.#close();
      case "waiting":
        return this.#wait(recovery);
      case "adopting":
        return this.#adopt(recovery);
      default:
        return "the order to recover";
    }
  }

  /** Fixes the end of the closure by a reply from after the pause. */
  async #close(): Promise<string | null> {
    const core = this.#core;
    const ledger = await this.#ledger();
    // An endpoint that lags by hours would end the closure before forgotten signatures expire.
    if (ledger === null || Math.abs(core.nowMs() - ledger.timestampMs) > MAX_CLOSING_LAG_MS)
      return "a node whose ledger is within five minutes of this service's clock";
    return this.#change({
      step: "waiting",
      closedUntilMs: closedUntilMs(ledger, core.nowMs()),
      openReferences: unsettledIds(core.store).length,
    });
  }

  /** Settles open rows, and waits for the end of the closure by the chain's clock. */
  async #wait({ closedUntilMs: closedMs }: Recovery): Promise<string | null> {
    const core = this.#core;
    await this.#settlement.settle(unsettledIds(core.store).slice(0, SETTLE_LIMIT));
    const timeMs = (await this.#ledger())?.timestampMs ?? null;
    const leftMs = timeMs === null ? RETRY_MS : (closedMs ?? timeMs) - timeMs;
    const openReferences = unsettledIds(core.store).length;
    if (timeMs !== null && leftMs <= 0) return this.#change({ step: "adopting", openReferences });
    this.#change({ openReferences }, Math.min(Math.max(leftMs, RETRY_MS), LONGEST_RECOVERY_WAIT_MS));
    return timeMs === null || closedMs === null
      ? "a node that shows the chain's time"
      : `${new Date(closedMs).toISOString()} by the chain's clock, when the last forgotten signature has expired`;
  }

  /** Settles open rows, and takes the chain's balance and sequence number into the books. */
  async #adopt(recovery: Recovery): Promise<string | null> {
    const core = this.#core;
    const { address, store } = core;
    if (address === null) return this.#end(recovery);
    const sinceMs = recovery.closedUntilMs ?? 0;
    await this.#settlement.settle(unsettledIds(store).slice(0, SETTLE_LIMIT));
    const own = await this.#ownTransactions(address, sinceMs);
    if (own === null) return "nodes that show the fund's sequence number, as it is since the closure ended";
    const adopted = await this.#reconciliation.adopt(address, sinceMs, (current, correctionAtoms, isSettled) => {
      const forgottenPayments = withForgotten(current, own.forgottenPayments);
      const total = current.correctionAtoms + correctionAtoms;
      const corrected = { ...current, ...own, forgottenPayments, correctionAtoms: total };
      if (isSettled) this.#end(corrected);
      else core.changeRecord({ recovery: { ...corrected, openReferences: unsettledIds(store).length } });
    });
    if (!adopted) return "nodes that show the same balance and sequence numbers, as they are since the closure ended";
    const open = unsettledIds(store);
    if (open.length > 0) return `a node that shows the end of ${someOf(open)}`;
    const corrections = core.record.recovery?.correctionAtoms.toString();
    core.deps.log("fund.recovered", { fund: core.record.fundId, corrections });
    return null;
  }

  /** Reads the fund's own transactions that no row knows. Null if no node shows the fund's account. */
  async #ownTransactions(
    address: string,
    sinceMs: number,
  ): Promise<Pick<Recovery, "ownSequenceNumber" | "forgottenPayments"> | null> {
    const core = this.#core;
    const account = await core.node.account(address);
    if (!account.ok || !core.takeLedger(account.value).ok) return null;
    const { value, timestampMs, endpoint } = account.value;
    // A reply from before the end of the closure may lack a withdrawal that the state has forgotten.
    if (timestampMs < sinceMs) return null;
    const { sequenceNumber: ownSequenceNumber } = value;
    const other = await core.node.account(address, endpoint);
    // One endpoint may lie. If no other one answers, its reply still counts.
    const isAnswer = other.ok && other.value.timestampMs >= sinceMs;
    if (isAnswer && other.value.value.sequenceNumber !== ownSequenceNumber) return null;
    const forgottenPayments: string[] = [];
    const known = core.nextOwnSequenceNumber();
    const newest = ownSequenceNumber - BigInt(MAX_FORGOTTEN);
    for (
      let sequenceNumber = known > newest ? known : newest;
      sequenceNumber < ownSequenceNumber;
      sequenceNumber += 1n
    ) {
      const asked = await core.node.transactionAtSequence(address, sequenceNumber);
      // The next reading begins after these. A payment that is skipped now would be missing for ever.
      if (!asked.ok) return null;
      if (asked.value.value.kind === "shown") forgottenPayments.push(asked.value.value.execution.hash);
    }
    return { ownSequenceNumber, forgottenPayments };
  }

  async #ledger(): Promise<AptosSeen<null> | null> {
    const core = this.#core;
    const ledger = await core.node.ledger();
    return ledger.ok && core.takeLedger(ledger.value).ok ? ledger.value : null;
  }

  /** Writes a change of the recovery, if one is under way. An operator may have changed it during an await. */
  #change(change: Partial<Recovery>, dueInMs = RETRY_MS): null {
    const core = this.#core;
    core.commit(() => {
      const recovery = this.#underWay();
      if (recovery === null) return;
      core.changeRecord({ recovery: { ...recovery, ...change } });
      core.due.set("recover", "", core.nowMs() + dueInMs);
    });
    return null;
  }

  /** Ends the recovery. The caller commits this with the last correction. */
  #end(recovery: Recovery): null {
    const core = this.#core;
    core.commit(() => {
      core.changeRecord(endRecovery(recovery));
      core.due.set("recover", "", null);
    });
    return null;
  }
}
