/* Sui only: A node on Aptos lists nothing by its owner. */

import { Deadline } from "../../../deadline.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { Page, PageRequest } from "../../../paging.ts";
import { UnusableSums, type UnusableView, unusableBalance, unusableObject } from "../unusable.ts";
import { goOn, type JudgedPage, type Progress, placeOf, type UnusablePlace, unusablePage } from "../unusable-place.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiPool } from "./pool.ts";

/** Pages of a node for one page of an operator's list. A sender of assets by the thousand must not delay the answer. */
const NODE_PAGES_PER_CALL = 5;

/**
 * Lists unusable assets at the fund's address. Reads them from a node on an operator's request. Keeps nothing, because
 * strangers decide how much there is.
 */
export class SuiUnusable {
  readonly #core: SuiFundCore;
  readonly #pool: SuiPool;

  constructor(core: SuiFundCore, pool: SuiPool) {
    this.#core = core;
    this.#pool = pool;
  }

  /**
   * Adds up equal items among the next ones that a node lists. An empty page may still have a next one.
   *
   * @returns `node_unavailable`. `bad_params` if no node has given the cursor's place.
   */
  async list({ limit, cursor }: PageRequest): Promise<Outcome<Page<UnusableView>>> {
    const { address } = this.#core;
    if (address === null) return done({ items: [], nextCursor: null });
    const deadline = new Deadline();
    const sums = new UnusableSums(limit);
    let progress: Progress = { place: placeOf(cursor), isFull: false };
    for (let pages = 0; pages < NODE_PAGES_PER_CALL && !progress.isFull && progress.place !== null; pages++) {
      const read = await this.#read(address, progress.place, deadline);
      if (read.ok) progress = goOn(sums, progress.place, read.value);
      else if (pages === 0) return read;
      // The pages that were read before are still shown. The next call reads the rest.
      else break;
    }
    return done(unusablePage(sums.items, progress.place));
  }

  async #read(address: string, { list, token }: UnusablePlace, deadline: Deadline): Promise<Outcome<JudgedPage>> {
    const node = this.#core.node.within(deadline);
    if (list === "balances") {
      const listed = await node.typeBalances(address, token);
      return listed.ok ? done({ ...listed.value, items: listed.value.items.map(unusableBalance) }) : listed;
    }
    const listed = await node.owned(address, token);
    if (!listed.ok) return listed;
    const party = { store: this.#core.store, hindrance: this.#pool.takeInHindrance() };
    return done({ ...listed.value, items: listed.value.items.map((object) => unusableObject(object, party)) });
  }
}
