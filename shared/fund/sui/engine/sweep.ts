/* Sui only: A signature on Aptos cannot be taken back. */

import type { CoinVersion } from "../../../chain/sui/coins.ts";
import { recycleKind, splitKind } from "../../../chain/sui/treasury-kinds.ts";
import { sleep } from "../../../timing.ts";
import { someOf } from "../../recovery-wait.ts";
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

/** The end of one sweep. `why` and `waitingFor` are for the operator. */
type SweepEnd =
  | { readonly kind: "swept" }
  | { readonly kind: "stale"; readonly why: string }
  | { readonly kind: "stopped"; readonly waitingFor: string };

/** Moves every coin of the fund to a new version. Signatures over the old versions can then never execute. */
export class SuiSweeper {
  readonly #core: SuiFundCore;
  readonly #own: TreasuryRunner;
  /**
   * The coins of a complete listing since the start of the recovery. A later coin is a deposit, and no forgotten
   * signature names it. Null until such a listing exists. A restart makes another one.
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
   * @returns the reason to wait. Null if every coin has moved.
   */
  async run(address: string, startedAtMs: number): Promise<string | null> {
    const { store } = this.#core;
    const stuck = new Set<string>();
    let failures = 0;
    let why = "";
    for (let round = 0; round < MOST_AT_ONCE && failures < MOST_FAILURES; round++) {
      const pending = await this.#finishPending();
      if (pending !== null) return pending;
      const listed = await everyListing(this.#core, address, null);
      if (!listed.ok) return "a node that lists the fund's coins";
      const toMove = await this.#idsToMove(address, listed.value, startedAtMs);
      if (toMove === null) return "a node whose balance of coins is the sum of the listed ones";
      const swept = sweptIds(store.sweepsSince(startedAtMs));
      const left = listed.value.coins.filter(({ objectId }) => toMove.has(objectId) && !swept.has(objectId));
      const movable = left.filter(({ objectId }) => !stuck.has(objectId));
      if (movable.length === 0) return left.length === 0 ? null : `the move of ${someOf([...stuck])}: ${why}`;
      const size = Math.max(1, MAX_SWEPT_COINS >> Math.min(2 * failures, 30));
      const batch = movable.slice(0, size);
      const end = await this.#sweep(address, listed.value.coins, batch);
      if (end.kind === "swept") continue;
      if (end.kind === "stopped") return end.waitingFor;
      why = end.why;
      failures += 1;
      const [alone] = batch;
      if (batch.length === 1 && alone !== undefined) {
        stuck.add(alone.objectId);
        if (await this.#isInvented(alone, listed.value)) toMove.delete(alone.objectId);
      }
      await sleep(AFTER_FAILURE_MS);
    }
    return `the next sweeps, since many have failed: ${why}`;
  }

  /** Settles the sweeps that are under way. No coin may be in two of them. Returns the reason to wait, or null. */
  async #finishPending(): Promise<string | null> {
    for (const { digest, purpose } of this.#core.store.pendingTreasury())
      if (purpose === "recover") {
        const end = await this.#own.submitPatiently(digest);
        if (end === "open" || end === "refused") return endOf(digest);
      }
    return null;
  }

  async #idsToMove(address: string, listing: MergedListing, startedAtMs: number): Promise<Set<string> | null> {
    if (this.#toMove?.startedAtMs === startedAtMs) return this.#toMove.ids;
    if (!(await isComplete(this.#core, address, listing, { atMs: startedAtMs, afterEpoch: null }))) return null;
    const ids = new Set(listing.coins.map(({ objectId }) => objectId));
    this.#toMove = { startedAtMs, ids };
    return ids;
  }

  async #sweep(address: string, coins: readonly CoinVersion[], batch: readonly CoinVersion[]): Promise<SweepEnd> {
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
      const isStale = reason === "dry_run_failed" || reason === "no_gas_object";
      return isStale ? { kind: "stale", why: details } : { kind: "stopped", waitingFor: `a sweep: ${details}` };
    }
    const { digest } = begun.value;
    switch (await this.#own.submitPatiently(digest)) {
      case "executed":
      case "failed":
        return { kind: "swept" };
      case "dead":
        return { kind: "stale", why: `a user has executed one of its coins before the sweep ${digest}` };
      case "open":
      case "refused":
        return { kind: "stopped", waitingFor: endOf(digest) };
    }
  }

  /** Checks whether an endpoint misses a coin that could not be moved alone and that some endpoint does not list. */
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

function endOf(digest: string): string {
  return `the end of the sweep ${digest}`;
}
