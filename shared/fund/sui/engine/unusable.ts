/* Sui only: A node on Aptos lists nothing by its owner. */

import { Deadline } from "../../../deadline.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { Page, PageRequest } from "../../../paging.ts";
import { UnusableSums, type UnusableView, unusableBalance, unusableObject } from "../unusable.ts";
import { goOn, type JudgedPage, type Progress, placeOf, type UnusablePlace, unusablePage } from "../unusable-place.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiPool } from "./pool.ts";

/** Of a node, for one page of ours: whoever sends things by the thousand must not keep it from being answered. */
const NODE_PAGES_PER_CALL = 5;

/**
 * Shows what lies at the fund's address and cannot be used. It is read from a node when an operator asks, and nothing of
 * it is kept: strangers decide how much of it there is.
 */
export class SuiUnusable {
  readonly #core: SuiFundCore;
  readonly #pool: SuiPool;

  constructor(core: SuiFundCore, pool: SuiPool) {
    this.#core = core;
    this.#pool = pool;
  }

  /**
   * Adds up what is alike among the next things that a node lists. A page may be empty, and not the last one.
   *
   * @returns `node_unavailable`; `bad_params` if no node has given the cursor's place.
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
      // What was read before is shown all the same; the next call asks for the rest.
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
