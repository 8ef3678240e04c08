/* Sui only: The interface of Aptos has no method for a status. */

import { isDigest } from "../../../chain/sui/digest.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The fund looks unknown digests up at most this often, many at a time. */
const GAP_MS = 200;
/** The most digests that wait for their look-up. */
const MOST_WAITING = 500;
/** A digest that is not the fund's is not looked up again for this long. */
const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 2_000;

interface Waiting {
  readonly digest: string;
  readonly answer: PromiseWithResolvers<Outcome<boolean>>;
}

/**
 * Looks up digests that no row knows. A caller names any digest at no cost, so the look-ups of all callers are joined,
 * and their number is bounded.
 */
export class UnknownDigests {
  readonly #core: SuiFundCore;
  readonly #watch: SuiStateWatch;
  #waiting: Waiting[] = [];
  readonly #underWay = new Map<string, Promise<Outcome<boolean>>>();
  /** Digests that are not the fund's, with the time until which that counts. */
  readonly #foreign = new Map<string, number>();
  #isRunning = false;

  constructor(core: SuiFundCore, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
  }

  /**
   * Checks whether the chain has executed a digest with this fund as the owner of its gas.
   *
   * @returns `node_unavailable` if no node answers, or if too many digests wait.
   */
  isPaidByFund(digest: string): Promise<Outcome<boolean>> {
    const underWay = this.#underWay.get(digest);
    if (underWay !== undefined) return underWay;
    const isForeign = (this.#foreign.get(digest) ?? 0) > performance.now();
    if (isForeign || this.#core.address === null || !isDigest(digest)) return Promise.resolve(done(false));
    if (this.#waiting.length >= MOST_WAITING) {
      const details = "too many unknown digests are being looked up: ask again in a few seconds";
      return Promise.resolve(refuse("node_unavailable", details));
    }
    const answer = Promise.withResolvers<Outcome<boolean>>();
    this.#underWay.set(digest, answer.promise);
    this.#waiting.push({ digest, answer });
    if (!this.#isRunning) void this.#run();
    return answer.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waiting.length > 0) {
        await sleep(0);
        const batch = this.#waiting.splice(0, NODE_BATCH_LIMIT);
        await this.#answer(batch);
        await sleep(GAP_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const digests = batch.map(({ digest }) => digest);
      const seen = await this.#core.node.gasOwners(digests);
      const paid: string[] = [];
      for (const [index, { digest, answer }] of batch.entries()) {
        const owner = seen.ok ? (seen.value.value[index] ?? null) : "no_answer";
        if (owner === "no_answer")
          answer.resolve(seen.ok ? refuse("node_unavailable", "no node could look the digest up: ask again") : seen);
        else if (owner?.address === this.#core.address) {
          paid.push(digest);
          answer.resolve(done(true));
        } else {
          this.#noteForeign(digest);
          answer.resolve(done(false));
        }
      }
      if (paid.length > 0) await this.#watch.isBehind(paid);
    } catch (error) {
      this.#core.deps.log("fund.look_up_failed", { fund: this.#core.record.fundId, why: String(error) });
      for (const { answer } of batch) answer.resolve(refuse("node_unavailable", "the look-up failed: ask again"));
    } finally {
      for (const { digest } of batch) this.#underWay.delete(digest);
    }
  }

  #noteForeign(digest: string): void {
    if (this.#foreign.size >= MOST_REMEMBERED) this.#foreign.clear();
    this.#foreign.set(digest, performance.now() + REMEMBERED_MS);
  }
}
