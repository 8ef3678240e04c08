/* Sui only: A signature on Aptos cannot be taken back. */

import type { CoinVersion } from "../../../chain/sui/coins.ts";
import { recycleKind, splitKind } from "../../../chain/sui/treasury-kinds.ts";
import { sleep } from "../../../timing.ts";
import { chooseSweep, MAX_SWEPT_COINS, type MergedListing, sweptIds } from "../sweep.ts";
import type { SuiFundCore } from "./chain.ts";
import { everyListing, isComplete } from "./every-listing.ts";
import type { TreasuryPlan, TreasuryRunner } from "./treasury.ts";

/** Sweeps of one run. */
const MOST_AT_ONCE = 64;
/** Sweeps of one run that may fail. After each failure, a batch has a quarter of the coins, down to one. */
const MOST_FAILURES = 16;
/** The wait after a failure. A node shows 0.2 to 1 s later which transaction has moved a coin. */
const AFTER_FAILURE_MS = 500;

/** Moves every coin of the fund to a new version, so that nothing signed over the old ones can execute. */
export class SuiSweeper {
  readonly #core: SuiFundCore;
  readonly #own: TreasuryRunner;
  /**
   * The coins of a complete listing since the start of the recovery. A coin that comes later is a deposit, and no
   * forgotten signature names it. Null until there is such a listing. A restart makes another one.
   */
  #toMove: { readonly startedAtMs: number; readonly ids: Set<string> } | null = null;

  constructor(core: SuiFundCore, own: TreasuryRunner) {
    this.#core = core;
    this.#own = own;
  }

  /**
   * Sweeps until every coin has moved. A user who executes a forgotten sponsorship makes a sweep stale. The coins are
   * then listed again. It is safe to repeat.
   *
   * @param startedAtMs the start of the recovery. Earlier sweeps do not count.
   * @returns whether every coin has moved.
   */
  async run(address: string, startedAtMs: number): Promise<boolean> {
    const { store } = this.#core;
    const stuck = new Set<string>();
    let failures = 0;
    for (let round = 0; round < MOST_AT_ONCE && failures < MOST_FAILURES; round++) {
      if (!(await this.#finishPending())) return false;
      const listed = await everyListing(this.#core, address);
      if (!listed.ok) return false;
      const toMove = await this.#idsToMove(address, listed.value, startedAtMs);
      if (toMove === null) return false;
      const swept = sweptIds(store.sweepsSince(startedAtMs));
      const left = listed.value.coins.filter(({ objectId }) => toMove.has(objectId) && !swept.has(objectId));
      const movable = left.filter(({ objectId }) => !stuck.has(objectId));
      if (movable.length === 0) return left.length === 0;
      const size = Math.max(1, MAX_SWEPT_COINS >> Math.min(2 * failures, 30));
      const batch = movable.slice(0, size);
      const end = await this.#sweep(address, listed.value.coins, batch);
      if (end === "stopped") return false;
      if (end === "swept") continue;
      failures += 1;
      const [alone] = batch;
      if (batch.length === 1 && alone !== undefined) {
        stuck.add(alone.objectId);
        if (await this.#isInvented(alone, listed.value)) toMove.delete(alone.objectId);
      }
      await sleep(AFTER_FAILURE_MS);
    }
    return false;
  }

  /** Settles the sweeps that are under way. No coin may be in two of them. */
  async #finishPending(): Promise<boolean> {
    for (const { digest, purpose } of this.#core.store.pendingTreasury())
      if (purpose === "recover") {
        const end = await this.#own.submitPatiently(digest);
        if (end === "open" || end === "refused") return false;
      }
    return true;
  }

  async #idsToMove(address: string, listing: MergedListing, startedAtMs: number): Promise<Set<string> | null> {
    if (this.#toMove?.startedAtMs === startedAtMs) return this.#toMove.ids;
    if (!(await isComplete(this.#core, address, listing, startedAtMs))) return null;
    const ids = new Set(listing.coins.map(({ objectId }) => objectId));
    this.#toMove = { startedAtMs, ids };
    return ids;
  }

  async #sweep(
    address: string,
    coins: readonly CoinVersion[],
    batch: readonly CoinVersion[],
  ): Promise<"swept" | "stale" | "stopped"> {
    const { store } = this.#core;
    const kindOf = (moved: readonly CoinVersion[]) =>
      moved.length === 0 ? splitKind([], address) : recycleKind(moved, address);
    const largest = coins[0]?.objectId;
    const plan: TreasuryPlan = {
      purpose: "recover",
      paysToAddressBalance: false,
      collectedFeesMist: 0n,
      takesIn: [],
      bumpedCoins: batch,
      trialKind: kindOf(batch.filter(({ objectId }) => objectId !== largest)),
      choose: (budgetMist) => {
        const choice = chooseSweep(coins, batch, budgetMist, store.totals().addressBalanceAtoms);
        if (choice === null) return null;
        const { payment, moved } = choice;
        return { kind: kindOf(moved), payment, createdMist: [], fromAddressBalanceMist: 0n, paidOutMist: 0n };
      },
    };
    const begun = await this.#own.begin(plan);
    if (!begun.ok) {
      const { reason, details } = begun.error;
      this.#core.deps.log("fund.sweep_refused", {
        fund: this.#core.record.fundId,
        coins: batch.length,
        reason,
        details,
      });
      return reason === "dry_run_failed" || reason === "no_gas_object" ? "stale" : "stopped";
    }
    switch (await this.#own.submitPatiently(begun.value.digest)) {
      case "executed":
      case "failed":
        return "swept";
      case "dead":
        return "stale";
      case "open":
      case "refused":
        return "stopped";
    }
  }

  /** Checks whether an endpoint misses a coin that could not be moved alone, and that not every endpoint lists. */
  async #isInvented({ objectId }: CoinVersion, { disputed }: MergedListing): Promise<boolean> {
    if (!disputed.includes(objectId)) return false;
    const { node } = this.#core;
    const first = await node.observeCoins([objectId]);
    if (!first.ok) return false;
    if (first.value.value[0] === null) return true;
    const other = await node.observeCoins([objectId], first.value.endpoint);
    return other.ok && other.value.value[0] === null;
  }
}
