/* Sui only: The interface of Aptos has no method for a status. */

import { isDigest } from "../../../chain/sui/digest.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { JoinedLookUps } from "../../../durable/joined-look-ups.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The fund looks unknown digests up at most five times a second, many at a time. */
const BOUNDS = { batchNames: NODE_BATCH_LIMIT, gapMs: 200, waitingNames: 500 };
/** The time for which a digest of others is not looked up again. */
const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 2_000;

/**
 * Looks up digests that no row knows. A caller names any digest at no cost, so the look-ups of all callers are joined,
 * and their number is bounded.
 */
export class UnknownDigests {
  readonly #core: SuiFundCore;
  readonly #watch: SuiStateWatch;
  readonly #lookUps: JoinedLookUps<boolean>;
  /** Digests of others, with the time until which each entry counts. */
  readonly #foreign = new Map<string, number>();

  constructor(core: SuiFundCore, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
    const refuseFull = () =>
      refuse("node_unavailable", "too many unknown digests are being looked up: repeat in a few seconds");
    this.#lookUps = new JoinedLookUps(BOUNDS, (digests) => this.#answer(digests), refuseFull);
  }

  /**
   * Checks whether the chain has executed a digest with this fund as the owner of its gas.
   *
   * @returns `node_unavailable` if no node answers, or if too many digests wait.
   */
  isPaidByFund(digest: string): Promise<Outcome<boolean>> {
    const isForeign = (this.#foreign.get(digest) ?? 0) > performance.now();
    if (isForeign || this.#core.address === null || !isDigest(digest)) return Promise.resolve(done(false));
    return this.#lookUps.find(digest);
  }

  async #answer(digests: readonly string[]): Promise<readonly Outcome<boolean>[]> {
    const seen = await this.#core.node.gasOwners(digests);
    if (!seen.ok) return digests.map(() => seen);
    const paid: string[] = [];
    const answers = digests.map((digest, index): Outcome<boolean> => {
      const owner = seen.value.value[index] ?? null;
      if (owner === "no_answer") return refuse("node_unavailable", "no node could look the digest up: repeat the call");
      const isPaid = owner?.address === this.#core.address;
      if (isPaid) paid.push(digest);
      else this.#noteForeign(digest);
      return done(isPaid);
    });
    // The next batch waits for this look, so callers cannot cause many at the same time.
    if (paid.length > 0) await this.#watchPaid(paid);
    return answers;
  }

  /** A digest that the fund has paid and no row knows shows that the fund's state is older than the chain. */
  async #watchPaid(digests: readonly string[]): Promise<void> {
    try {
      await this.#watch.isBehind(digests);
    } catch (error) {
      this.#core.deps.log("fund.look_up_failed", { fund: this.#core.record.fundId, why: String(error) });
    }
  }

  #noteForeign(digest: string): void {
    if (this.#foreign.size >= MOST_REMEMBERED) this.#foreign.clear();
    this.#foreign.set(digest, performance.now() + REMEMBERED_MS);
  }
}
