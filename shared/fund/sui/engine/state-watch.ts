/* Sui only: On Aptos the account's sequence number shows a forgotten transaction. */

import type { CoinVersion } from "../../../chain/sui/coins.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import { isClosed } from "../../recovery.ts";
import type { SuiFundCore } from "./chain.ts";
import type { ObservedCoins } from "./evidence.ts";
import { observeCoins } from "./evidence.ts";

/** New coins of one page whose origin is looked up. Nodes list the largest first. */
const MOST_NEW_COINS = NODE_BATCH_LIMIT;

/** All months. A look-up of one time joins no queue. */
const EVER = { fromMs: 0, toMs: Date.UTC(9_999, 11, 31) };

/**
 * `behind`: the fund has paused itself. `unconfirmed`: a node, an archive or a second node's word is missing.
 * `explained`: nothing shows that a row is lost.
 */
export type Explanation = "behind" | "unconfirmed" | "explained";

/**
 * Notices that the fund's state is older than its chain. The sign is a transaction that the fund has paid for and that
 * no row knows. Only the fund can sign it, so its row is lost. The fund then pauses, and waits for a recovery. A
 * transaction that a recovery has taken into the books proves nothing any more.
 *
 * With several endpoints, two of them must show the transaction. One that lags shows nothing, and one that lies is not
 * enough.
 */
export class SuiStateWatch {
  readonly #core: SuiFundCore;
  readonly #rows: ArchiveReader;

  constructor(core: SuiFundCore, rows: ArchiveReader) {
    this.#core = core;
    this.#rows = rows;
  }

  #knows(digest: string): boolean {
    const { store } = this.#core;
    return store.stateOf(digest) !== null || store.treasuryTransaction(digest) !== null;
  }

  /**
   * Checks whether a row explains a transaction. Archives are read beside the queue of callers, which strangers can fill.
   *
   * @returns `no_answer` if no row of the fund does, and an archive does not answer.
   */
  async isKnown(digest: string): Promise<boolean | "no_answer"> {
    if (this.#knows(digest)) return true;
    const sponsorship = await this.#rows.sponsorship(digest, EVER);
    const treasury = await this.#rows.treasuryMonth(digest);
    if (this.#knows(digest)) return true;
    if (!sponsorship.ok || !treasury.ok) return "no_answer";
    return sponsorship.value !== null || treasury.value !== null;
  }

  /**
   * Looks up the transactions that moved coins of a page beyond the books' version. Includes coins that the books do
   * not have.
   *
   * @returns free coins that no known transaction has moved. Their booking stays, because an endpoint may lie, or the
   * next look may show more. `behind` if the fund has paused itself.
   */
  async unexplained(page: readonly CoinVersion[]): Promise<ReadonlySet<string> | "behind"> {
    const { store } = this.#core;
    const moved: string[] = [];
    const unknown: string[] = [];
    const booked = store.coinsOf(page.map(({ objectId }) => objectId));
    for (const { objectId, version } of page) {
      const known = booked.get(objectId);
      if (known === undefined) unknown.push(objectId);
      else if (known.state === "free" && known.version < version) moved.push(objectId);
    }
    const ids = [...moved, ...unknown.slice(0, MOST_NEW_COINS)];
    const coins = await observeCoins(this.#core, ids);
    if (coins === "no_answer") return new Set(moved);
    if (await this.isBehindCoins(coins)) return "behind";
    const isExplained = async (objectId: string) => {
      const observed = coins?.value.get(objectId) ?? null;
      return (
        observed !== null && observed !== "no_answer" && (await this.isKnown(observed.previousTransaction)) !== false
      );
    };
    const heldBack = new Set<string>();
    for (const objectId of moved) if (!(await isExplained(objectId))) heldBack.add(objectId);
    return heldBack;
  }

  /**
   * Looks up the transactions that wrote coins beyond the books' version. Includes coins that the books do not have.
   *
   * @returns true if the fund has paused itself.
   */
  async isBehindCoins(coins: ObservedCoins): Promise<boolean> {
    return (await this.explainCoins(coins)) === "behind";
  }

  /** Does the same as `isBehindCoins`. @returns as `explain`. */
  explainCoins(coins: ObservedCoins): Promise<Explanation> {
    const { store } = this.#core;
    const writers: string[] = [];
    for (const [objectId, observed] of coins?.value ?? []) {
      if (observed === null || observed === "no_answer") continue;
      const known = store.coin(objectId);
      if (known === null || known.version < observed.version) writers.push(observed.previousTransaction);
    }
    return this.explain(writers);
  }

  /** Pauses the fund as `explain` does. @returns true if it has paused itself. */
  async isBehind(digests: readonly string[]): Promise<boolean> {
    return (await this.explain(digests)) === "behind";
  }

  /** Pauses the fund if the chain shows that it has paid for one of these transactions and no row knows that one. */
  async explain(digests: readonly string[]): Promise<Explanation> {
    const core = this.#core;
    const unknown = [...new Set(digests)].filter((digest) => !this.#knows(digest)).slice(0, NODE_BATCH_LIMIT);
    if (unknown.length === 0 || isClosed(core.record)) return "explained";
    const shown = await this.#paid(unknown);
    if (shown === null) return "unconfirmed";
    const forgotten: string[] = [];
    let isSilent = false;
    for (const digest of shown.paid) {
      const known = await this.isKnown(digest);
      if (known === "no_answer") isSilent = true;
      else if (!known) forgotten.push(digest);
    }
    if (forgotten.length === 0) return isSilent ? "unconfirmed" : "explained";
    const confirmed = core.endpointCount <= 1 ? shown : await this.#paid(forgotten, shown.endpoint);
    const digest = forgotten.find((one) => confirmed?.paid.includes(one) && !this.#knows(one));
    if (digest === undefined) return "unconfirmed";
    core.pauseBehindChain(`the fund has paid for ${digest}, which its stored state does not know`);
    return "behind";
  }

  /** Returns the digests that the fund has paid for, by one endpoint. Null without an answer. */
  async #paid(digests: readonly string[], besides?: string) {
    const { node, address, record } = this.#core;
    const seen = await node.gasOwners(digests, besides);
    if (!seen.ok) return null;
    const { endpoint, value } = seen.value;
    const adopted = record.recovery?.adoptedCheckpoint ?? -1n;
    const paid = digests.filter((_, index) => {
      const owner = value[index] ?? null;
      if (owner === null || owner === "no_answer" || owner.address !== address) return false;
      return owner.checkpoint === null || owner.checkpoint > adopted;
    });
    return { endpoint, paid };
  }
}
