import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { SharedRounds } from "../../../durable/shared-rounds.ts";
import { done, type Outcome } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import {
  beginRecovery,
  endRecovery,
  isRecovering,
  type Recovery,
  recoveryView,
  withLookedBack,
} from "../../recovery.ts";
import { noteWait, someOf } from "../../recovery-wait.ts";
import { pausedRefusal } from "../../refusals.ts";
import { LONGEST_RECOVERY_WAIT_MS, MAX_CLOSING_LAG_MS, RETRY_MS } from "../../upkeep.ts";
import { CHAIN_RESET, type RecoveryView } from "../../views.ts";
import { isGasless } from "../payment.ts";
import { adoptMoney, type ChainMoney, isLateEnough, type LeastState } from "../recover.ts";
import { isAfterSweeps } from "../sweep.ts";
import type { SuiFundCore } from "./chain.ts";
import { everyListing, isComplete } from "./every-listing.ts";
import type { ForgottenRows } from "./forgotten-rows.ts";
import { findForgotten } from "./forgotten-transactions.ts";
import type { SuiStateWatch } from "./state-watch.ts";
import type { SuiSweeper } from "./sweep.ts";

/** The greatest believed lead of one endpoint over another, in checkpoints: about an hour. */
const MOST_AHEAD_CHECKPOINTS = 15_000n;

/** Nonces that a recovery leaves out. The restored state may have forgotten that it has taken the next ones. */
const SKIPPED_NONCES = 2 ** 24;
/** The most looks for forgotten transactions before a recovery continues with the shown ones. */
const MOST_LOOK_BACKS = 6;
/** Looks at rows without a known end. After them, a row that can never execute is closed without its whole life. */
const MOST_LOOKS = 6;

/** The fund's money, and a checkpoint after which the reading holds no transaction. */
interface AgreedMoney {
  readonly money: ChainMoney;
  readonly checkpoint: bigint;
}

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
  readonly #watch: SuiStateWatch;
  readonly #rounds = new SharedRounds(() => this.#run());
  #looks = 0;
  #waits = 0;

  constructor(core: SuiFundCore, sweeper: SuiSweeper, rows: ForgottenRows, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
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
    // If the run does not finish, this due time counts.
    core.commit(() => core.store.setDue("recover", "", core.nowMs() + this.#nextWaitMs()));
    for (let recovery = this.#underWay(); recovery !== null; recovery = this.#underWay()) {
      const waitingFor = await this.#step(recovery);
      noteWait(core, waitingFor);
      if (waitingFor !== null) return;
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

  /** Does one step. Returns the reason to wait, or null if the next step can follow at once. */
  async #step(recovery: Recovery): Promise<string | null> {
    const { address, mode } = this.#core;
    if (address === null) return this.#end(recovery);
    switch (recovery.step) {
      case "closing":
        return mode === "coin" ? this.#sweep(address, recovery) : this.#fixLastEpoch();
      case "waiting":
        return this.#isOver(recovery);
      case "adopting":
        return (await this.#closeRows()) ?? this.#adopt(address, recovery);
      default:
        return "the order to recover";
    }
  }

  /** Writes a change of the recovery, if it is still the one under way. */
  #change(change: Partial<Recovery>): null {
    const core = this.#core;
    core.commit(() => {
      const recovery = this.#underWay();
      if (recovery !== null) core.changeRecord({ recovery: { ...recovery, ...change } });
    });
    return null;
  }

  async #sweep(address: string, { startedAtMs, lookedBack, lookBacks }: Recovery): Promise<string | null> {
    if (lookedBack === null) {
      const listed = await everyListing(this.#core, address, null);
      if (!listed.ok) return "a node that lists the fund's coins";
      const ids = listed.value.coins.map(({ objectId }) => objectId);
      this.#change({ lookBacks: lookBacks + 1 });
      const found = await findForgotten(this.#core, this.#watch, address, ids);
      if (!found.isAnswered && lookBacks + 1 < MOST_LOOK_BACKS) return "a node that shows the fund's last transactions";
      const recovery = this.#underWay();
      if (recovery !== null) this.#change(withLookedBack(recovery, found));
    }
    return (await this.#sweeper.run(address, startedAtMs)) ?? this.#change({ step: "adopting" });
  }

  /** A signature over an address balance lives until the end of the next epoch at most (`windowEnd`). */
  async #fixLastEpoch(): Promise<string | null> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    if (!facts.ok) return "a node that shows the chain's epoch";
    const { epoch, epochStartMs, epochDurationMs, timestampMs } = facts.value;
    // An endpoint that lags may be in an earlier epoch than the forgotten signatures.
    if (Math.abs(core.nowMs() - timestampMs) > MAX_CLOSING_LAG_MS)
      return "a node whose newest checkpoint is within five minutes of this service's clock";
    const closedUntilMs = epochStartMs + 2 * epochDurationMs;
    return this.#change({ step: "waiting", closedThroughEpoch: epoch + 1n, closedUntilMs });
  }

  async #isOver({ closedThroughEpoch }: Recovery): Promise<string | null> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    const isOver = facts.ok && closedThroughEpoch !== null && (core.record.seen?.epoch ?? 0n) > closedThroughEpoch;
    return isOver
      ? this.#change({ step: "adopting" })
      : `the end of epoch ${closedThroughEpoch}, the last one of any forgotten signature`;
  }

  /** Closes every row that is open. Returns the reason to wait if some have no known end yet. */
  async #closeRows(): Promise<string | null> {
    const { store } = this.#core;
    this.#looks += 1;
    const proof = this.#looks > MOST_LOOKS ? "moved" : "whole_life";
    // A recycling closes the sponsorships of its coins. It comes first.
    for (const { digest } of store.pendingTreasury()) await this.#rows.closeTreasury(digest, proof);
    for (const batch of batchesOf(store.liveIds(null), NODE_BATCH_LIMIT)) await this.#rows.close(batch, proof);
    const open = this.#open();
    if (open.length !== this.#underWay()?.openReferences) this.#change({ openReferences: open.length });
    return open.length === 0 ? null : `a node that shows the end of ${someOf(open)}`;
  }

  /** Lists the open rows that may move money. One without gas does not, and ends by itself. */
  #open(): readonly string[] {
    const { store } = this.#core;
    const live = store.liveIds(null).filter((digest) => {
      const row = store.sponsorship(digest);
      return row !== null && !isGasless(row);
    });
    return [...store.pendingTreasury().map(({ digest }) => digest), ...live];
  }

  async #adopt(address: string, { startedAtMs, closedThroughEpoch }: Recovery): Promise<string | null> {
    const core = this.#core;
    const agreed = await this.#agreedMoney(address, { atMs: startedAtMs, afterEpoch: closedThroughEpoch });
    if (typeof agreed === "string") return agreed;
    const { money, checkpoint } = agreed;
    return core.commit(() => {
      const recovery = this.#underWay();
      if (recovery === null || this.#open().length > 0) return "rows that were written meanwhile";
      const changeMist = adoptMoney(core.store, core.store.ownedCoins(), money, core.nowMs());
      const correctionAtoms = recovery.correctionAtoms + changeMist;
      return this.#end({ ...recovery, correctionAtoms, adoptedCheckpoint: checkpoint });
    });
  }

  /** Reads the fund's money at all endpoints. Returns the reason to wait while they do not agree. */
  async #agreedMoney(address: string, least: LeastState): Promise<AgreedMoney | string> {
    const core = this.#core;
    const { node, endpointCount } = core;
    const listed = await everyListing(core, address, least);
    if (!listed.ok) return "a node that lists the fund's coins, as they are since the fund was closed";
    const { coins, disputed } = listed.value;
    if (disputed.length > 0) return `nodes that list the same coins, since they differ in ${someOf(disputed)}`;
    if (!isAfterSweeps(coins, core.store.sweepsSince(least.atMs))) return "a node that lists the coins as moved";
    if (!(await isComplete(core, address, listed.value, least)))
      return "a node whose balance of coins is the sum of the listed ones";
    const reading = await node.balances(address, []);
    if (!reading.ok || !isLateEnough(reading.value, least))
      return "a node that shows the fund's balance, as it is since the fund was closed";
    const { newestCheckpoint, value, endpoint } = reading.value;
    const { addressBalanceMist } = value;
    const other = endpointCount > 1 ? await node.balances(address, [], [], endpoint) : reading;
    const differs =
      other.ok && isLateEnough(other.value, least) && other.value.value.addressBalanceMist !== addressBalanceMist;
    if (differs) return "nodes that show the same address balance";
    // A height that one endpoint has invented would hide all transactions that the fund forgets later.
    const most = other.ok ? other.value.newestCheckpoint + MOST_AHEAD_CHECKPOINTS : newestCheckpoint;
    return { money: { coins, addressBalanceMist }, checkpoint: newestCheckpoint < most ? newestCheckpoint : most };
  }

  /** Ends the recovery. The fund then looks at its chain again, and refills. */
  #end(recovery: Recovery): null {
    const core = this.#core;
    const { fundId } = core.record;
    core.commit(() => {
      core.changeRecord(endRecovery(recovery));
      core.store.setDue("scan", "", core.nowMs());
      core.store.setDue("recycle", "", null);
      core.store.setDue("recover", "", null);
    });
    core.deps.log("fund.recovered", { fund: fundId, corrections: recovery.correctionAtoms.toString() });
    return null;
  }
}
