import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { SharedRounds } from "../../../durable/shared-rounds.ts";
import { done, type Outcome } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { beginRecovery, endRecovery, isRecovering, type Recovery, recoveryView } from "../../recovery.ts";
import { pausedRefusal } from "../../refusals.ts";
import { LONGEST_RECOVERY_WAIT_MS, MAX_CLOSING_LAG_MS, RETRY_MS } from "../../upkeep.ts";
import { CHAIN_RESET, type RecoveryView } from "../../views.ts";
import { adoptMoney, type ChainMoney } from "../recover.ts";
import type { SuiFundCore } from "./chain.ts";
import { everyListing, isComplete } from "./every-listing.ts";
import type { ForgottenRows } from "./forgotten-rows.ts";
import type { SuiSweeper } from "./sweep.ts";

/** Nonces that a recovery leaves out. The restored state may have forgotten that it has taken the next ones. */
const SKIPPED_NONCES = 2 ** 24;
/** Looks at rows without a known end, before one that can never execute is closed without its whole life. */
const MOST_LOOKS = 6;

/**
 * Brings a state that may be older than the chain up to the chain. Each step ends with a commit, so that a crash at any
 * point repeats at most one step. The alarm continues.
 *
 * - `closing`: with coins, sweeps move every coin, so that no forgotten signature can execute. An address balance has no
 *   versions, so the last epoch of any signature is fixed.
 * - `waiting`: that epoch is not over.
 * - `adopting`: the open rows are closed, and the chain's money is adopted.
 */
export class SuiRecovery {
  readonly #core: SuiFundCore;
  readonly #sweeper: SuiSweeper;
  readonly #rows: ForgottenRows;
  readonly #rounds = new SharedRounds(() => this.#run());
  #looks = 0;
  #waits = 0;

  constructor(core: SuiFundCore, sweeper: SuiSweeper, rows: ForgottenRows) {
    this.#core = core;
    this.#sweeper = sweeper;
    this.#rows = rows;
  }

  /**
   * Begins a recovery, or continues the one under way.
   *
   * @returns `fund_paused` if the fund's chain is gone.
   */
  async recover(): Promise<Outcome<RecoveryView>> {
    const core = this.#core;
    if (core.record.pausedCause === CHAIN_RESET) return pausedRefusal(CHAIN_RESET);
    if (!isRecovering(core.record)) this.#looks = 0;
    const { recovery } = core.commit(() => {
      if (!isRecovering(core.record)) core.store.skipNonces(SKIPPED_NONCES);
      const begun = beginRecovery(core.record, core.nowMs());
      core.changeRecord(begun);
      core.store.setDue("recover", "", core.nowMs());
      return begun;
    });
    await this.#rounds.run();
    return done(recoveryView(core.record.recovery ?? recovery));
  }

  async runDue(): Promise<void> {
    if (this.#core.due.listDue("recover", this.#core.nowMs(), 1).length > 0) await this.#rounds.run();
  }

  async #run(): Promise<void> {
    const core = this.#core;
    // This due time counts if the run does not come to its end.
    core.commit(() => core.store.setDue("recover", "", core.nowMs() + this.#nextWaitMs()));
    for (let recovery = this.#underWay(); recovery !== null; recovery = this.#underWay()) {
      if (!(await this.#step(recovery))) return;
      this.#waits = 0;
    }
    core.commit(() => core.store.setDue("recover", "", null));
  }

  #underWay(): Recovery | null {
    const { record } = this.#core;
    return isRecovering(record) ? record.recovery : null;
  }

  #nextWaitMs(): number {
    this.#waits += 1;
    return Math.min(RETRY_MS * 2 ** Math.min(this.#waits - 1, 5), LONGEST_RECOVERY_WAIT_MS);
  }

  /** Does one step. False if it has to be tried again later. */
  async #step(recovery: Recovery): Promise<boolean> {
    const { address, mode } = this.#core;
    if (address === null) return this.#end(recovery);
    switch (recovery.step) {
      case "closing":
        return mode === "coin" ? this.#sweep(address, recovery) : this.#fixLastEpoch();
      case "waiting":
        return this.#isOver(recovery);
      case "adopting":
        return (await this.#closeRows()) && this.#adopt(address, recovery);
      default:
        return false;
    }
  }

  /** Writes a change of the recovery, if it is still the one under way. */
  #change(change: Partial<Recovery>): boolean {
    const core = this.#core;
    return core.commit(() => {
      const recovery = this.#underWay();
      if (recovery === null) return false;
      core.changeRecord({ recovery: { ...recovery, ...change } });
      return true;
    });
  }

  async #sweep(address: string, { startedAtMs }: Recovery): Promise<boolean> {
    return (await this.#sweeper.run(address, startedAtMs)) && this.#change({ step: "adopting" });
  }

  /** A signature over an address balance lives until the end of the next epoch at most (`windowEnd`). */
  async #fixLastEpoch(): Promise<boolean> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    if (!facts.ok) return false;
    const { epoch, epochStartMs, epochDurationMs, timestampMs } = facts.value;
    // An endpoint that lags may be in an earlier epoch than the forgotten signatures.
    if (Math.abs(core.nowMs() - timestampMs) > MAX_CLOSING_LAG_MS) return false;
    const closedUntilMs = epochStartMs + 2 * epochDurationMs;
    return this.#change({ step: "waiting", closedThroughEpoch: epoch + 1n, closedUntilMs });
  }

  async #isOver({ closedThroughEpoch }: Recovery): Promise<boolean> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    if (!facts.ok || closedThroughEpoch === null) return false;
    return (core.record.seen?.epoch ?? 0n) > closedThroughEpoch && this.#change({ step: "adopting" });
  }

  /** Closes every row that is open. False if some have no known end yet. */
  async #closeRows(): Promise<boolean> {
    const { store } = this.#core;
    this.#looks += 1;
    const proof = this.#looks > MOST_LOOKS ? "moved" : "whole_life";
    // A recycling closes the sponsorships of its coins. It comes first.
    for (const { digest } of store.pendingTreasury()) await this.#rows.closeTreasury(digest, proof);
    for (const batch of batchesOf(store.liveIds(null), NODE_BATCH_LIMIT)) await this.#rows.close(batch, proof);
    const openReferences = this.#openCount();
    if (openReferences !== this.#underWay()?.openReferences) this.#change({ openReferences });
    return openReferences === 0;
  }

  #openCount(): number {
    const { store } = this.#core;
    return store.liveIds(null).length + store.pendingTreasury().length;
  }

  async #adopt(address: string, { startedAtMs }: Recovery): Promise<boolean> {
    const core = this.#core;
    const money = await this.#agreedMoney(address, startedAtMs);
    if (money === null) return false;
    return core.commit(() => {
      const recovery = this.#underWay();
      if (recovery === null || this.#openCount() > 0) return false;
      const changeMist = adoptMoney(core.store, core.store.ownedCoins(), money, core.nowMs());
      return this.#end({ ...recovery, correctionAtoms: recovery.correctionAtoms + changeMist });
    });
  }

  /** Reads the fund's money at all endpoints. Null while they do not agree. */
  async #agreedMoney(address: string, startedAtMs: number): Promise<ChainMoney | null> {
    const { node, endpointCount } = this.#core;
    const listed = await everyListing(this.#core, address);
    if (!listed.ok || listed.value.disputed.length > 0) return null;
    if (!(await isComplete(this.#core, address, listed.value, startedAtMs))) return null;
    const reading = await node.balances(address, []);
    if (!reading.ok) return null;
    const { coins } = listed.value;
    const { addressBalanceMist } = reading.value.value;
    const other = endpointCount > 1 ? await node.balances(address, [], [], reading.value.endpoint) : reading;
    return other.ok && other.value.value.addressBalanceMist !== addressBalanceMist
      ? null
      : { coins, addressBalanceMist };
  }

  /** Ends the recovery. The fund then looks at its chain again, and refills. */
  #end(recovery: Recovery): boolean {
    const core = this.#core;
    const { fundId } = core.record;
    core.commit(() => {
      core.changeRecord(endRecovery(recovery));
      core.store.setDue("scan", "", core.nowMs());
      core.store.setDue("recycle", "", null);
      core.store.setDue("recover", "", null);
    });
    core.deps.log("fund.recovered", { fund: fundId, corrections: recovery.correctionAtoms.toString() });
    return true;
  }
}
