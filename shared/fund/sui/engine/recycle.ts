/* Sui only: A signature on Aptos cannot be taken back. */

import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { recycleKind } from "../../../chain/sui/treasury-kinds.ts";
import { KeyedMutex } from "../../../durable/keyed-mutex.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import type { RevocationResult } from "../../engine.ts";
import { StuckRows } from "../../stuck-rows.ts";
import { RETRY_MS } from "../../upkeep.ts";
import {
  type DueForRecycling,
  dueForRecycling,
  MAX_RECYCLED_COINS,
  planRecycling,
  type RecyclePlan,
} from "../recycle-plan.ts";
import { maintenancePayment } from "../refill-plan.ts";
import { revoke } from "../sponsorships.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiSettlement } from "./settle.ts";
import { TRIED_AGAIN_MS, type TreasuryPlan, type TreasuryRunner } from "./treasury.ts";

/** Rows that one storage transaction withdraws. */
const REVOKED_PER_COMMIT = 500;
/** Coins that one request recycles: eight transactions of the most coins. They take seconds, not minutes. */
const RECYCLED_PER_REQUEST = 8 * MAX_RECYCLED_COINS;
/**
 * Batches of one run that may fail. They are enough to find a few coins that cannot be moved, and take seconds, not
 * minutes.
 */
const MOST_FAILURES = 64;

/** The failures that one run still allows. */
interface Patience {
  /** The waits that are left. Each is used once. */
  readonly waitsMs: number[];
  failuresLeft: number;
  /** False once a node could look up none of many digests. Coins are then moved without look-ups. */
  looksUp: boolean;
  /** True if digests that no node could look up are looked up again, because a caller waits for the answer. */
  readonly asksAgain: boolean;
}

/**
 * Recycles the coins of sponsorships whose hour has ended or that an operator withdraws. Their signatures are then
 * worthless. One run works at a time, and its unfinished rows are due again.
 */
export class SuiRecycler {
  readonly #core: SuiFundCore;
  readonly #own: TreasuryRunner;
  readonly #settlement: SuiSettlement;
  readonly #turns = new KeyedMutex();
  readonly #stuck = new StuckRows();

  constructor(core: SuiFundCore, own: TreasuryRunner, settlement: SuiSettlement) {
    this.#core = core;
    this.#own = own;
    this.#settlement = settlement;
  }

  /** Recycles the sponsorships that are due by now, and sets the next alarm. */
  async runDue(): Promise<void> {
    const { store } = this.#core;
    // If the run does not finish, this due time counts.
    this.#comeBackIn(RETRY_MS);
    this.#stuck.retain((digest) => store.stateOf(digest) === "expired");
    const { digests } = this.#due();
    if (!(await this.#recycle(digests, false))) return;
    // If nothing has changed at all, an immediate next run would repeat endlessly.
    const left = new Set(this.#due().digests);
    const isSame = left.size === digests.length && digests.every((digest) => left.has(digest));
    if (left.size === 0 || !isSame) this.#comeBackWhenDue();
  }

  /**
   * Withdraws every live sponsorship of one access key, or of the whole fund (null). Recycles as many of their coins as
   * one request may take. The alarm recycles the rest. Safe to repeat.
   */
  async revoke(keyId: string | null): Promise<RevocationResult> {
    const core = this.#core;
    // The key is revoked in one commit with the list. Otherwise a call that was admitted before and reserves after
    // would be missed.
    const digests = core.commit(() => {
      if (keyId !== null) core.store.setRevoked(keyId, true);
      return core.store.liveIds(keyId);
    });
    const ends = { ended: 0, irrevocable: 0, to_recycle: 0 };
    const toRecycle: string[] = [];
    for (const batch of batchesOf(digests, REVOKED_PER_COMMIT))
      core.commit(() => {
        for (const digest of batch) {
          const end = revoke(core.store, digest, core.nowMs());
          ends[end] += 1;
          if (end === "to_recycle") toRecycle.push(digest);
        }
      });
    if (toRecycle.length > 0) {
      await this.#recycle(toRecycle.slice(0, RECYCLED_PER_REQUEST), true);
      this.#comeBackWhenDue();
    }
    const states = toRecycle.map((digest) => core.store.sponsorship(digest)?.state);
    const count = (wanted: string) => states.filter((state) => state === wanted).length;
    return {
      revoked: ends.ended + count("dead"),
      tooLate: count("complete"),
      irrevocable: ends.irrevocable,
      pending: count("expired"),
    };
  }

  #comeBackIn(ms: number): void {
    const core = this.#core;
    core.commit(() => core.store.setDue("recycle", "", core.nowMs() + ms));
  }

  #comeBackWhenDue(): void {
    const core = this.#core;
    core.commit(() => core.store.setDue("recycle", "", this.#due().nextAtMs));
  }

  #due(): DueForRecycling {
    const core = this.#core;
    return dueForRecycling(core.store, core.nowMs(), this.#stuck);
  }

  /** Recycles in batches. False if continuing now is useless. */
  #recycle(digests: readonly string[], asksAgain: boolean): Promise<boolean> {
    return this.#turns.run("recycle", async () => {
      const patience: Patience = {
        waitsMs: [...TRIED_AGAIN_MS],
        failuresLeft: MOST_FAILURES,
        looksUp: true,
        asksAgain,
      };
      for (const batch of batchesOf(digests, MAX_RECYCLED_COINS))
        if (!(await this.#recycleSome(batch, patience))) return false;
      return true;
    });
  }

  /**
   * Recycles some sponsorships. Looks them up first, because an executed or consumed one needs no recycling and would
   * spoil its batch. One late user still makes a batch stale. The batch is tried again, because nodes lag. Then each
   * half is tried, down to the one coin that cannot be moved, which rests. When the run's patience ends, the rest waits
   * for the next run.
   */
  async #recycleSome(digests: readonly string[], patience: Patience): Promise<boolean> {
    if (patience.failuresLeft === 0) return true;
    if (!(await this.#look(digests, patience))) return false;
    const plan = planRecycling(this.#core.store, digests);
    const [first, ...others] = plan.digests;
    if (first === undefined) return true;
    const end = await this.#recycleBatch(plan);
    if (end !== "stale") return end === "done";
    patience.failuresLeft -= 1;
    const waitMs = patience.waitsMs.shift();
    if (waitMs !== undefined) {
      await sleep(waitMs);
      return this.#recycleSome(digests, patience);
    }
    if (others.length === 0) {
      this.#stuck.failed(first, this.#core.nowMs());
      return true;
    }
    const middle = Math.ceil(plan.digests.length / 2);
    for (const half of [plan.digests.slice(0, middle), plan.digests.slice(middle)])
      if (!(await this.#recycleSome(half, patience))) return false;
    return true;
  }

  /**
   * Settles the digests that a node can look up. A coin can be moved without that: if a user has moved it first, the
   * chain refuses. So digests that no node can look up delay nothing. False if no node answers.
   */
  async #look(digests: readonly string[], patience: Patience): Promise<boolean> {
    const told = digests.filter((digest) => patience.asksAgain || !this.#settlement.isUntold(digest));
    for (const batch of batchesOf(told, NODE_BATCH_LIMIT)) {
      if (!patience.looksUp) return true;
      const end = await this.#settlement.settleExpired(batch);
      if (end === "silent") return false;
      patience.looksUp = end === "looked";
    }
    return true;
  }

  async #recycleBatch({ coins }: RecyclePlan): Promise<"done" | "stale" | "stopped"> {
    const { address, store } = this.#core;
    if (address === null) return "stopped";
    const kind = recycleKind(coins, address);
    const plan: TreasuryPlan = {
      purpose: "recycle",
      paysToAddressBalance: false,
      collectedFeesMist: 0n,
      bumpedCoins: coins,
      takesIn: [],
      trialKind: kind,
      choose: (budgetMist) => {
        const gasCoin = maintenancePayment(store, budgetMist);
        return gasCoin && { kind, payment: [gasCoin], createdMist: [], fromAddressBalanceMist: 0n, paidOutMist: 0n };
      },
    };
    const begun = await this.#own.begin(plan);
    if (!begun.ok) return begun.error.reason === "dry_run_failed" ? "stale" : "stopped";
    switch (await this.#own.submitPatiently(begun.value.digest)) {
      case "executed":
      case "failed":
        return "done";
      case "dead":
        return "stale";
      case "open":
      case "refused":
        return "stopped";
    }
  }
}
