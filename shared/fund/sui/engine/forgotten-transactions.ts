/* Sui only: On Aptos the sequence numbers of the account name its forgotten transactions. */

import { MAX_U64 } from "../../../amounts.ts";
import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { batchesOf } from "../../../paging.ts";
import type { FoundForgotten } from "../../recovery.ts";
import { forgottenOf } from "../forgotten.ts";
import type { SuiFundCore } from "./chain.ts";
import { observeCoins } from "./evidence.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The most coins whose last writers are read. */
const MOST_COINS = 10 * NODE_BATCH_LIMIT;
/** The most forgotten transactions that are followed to their inputs. */
const MOST_FOLLOWED = 1_000;
/** The most digests whose payers are read. Users of the fund can name many inputs, so they take at most half of them. */
const MOST_MET = 10_000;
/** Calls of one look back that may fail. The search for one digest that spoils its batch takes seven. */
const MOST_FAILURES = 20;

/** The result of one look back. */
export interface LookedBack extends FoundForgotten {
  /** False if a question had no answer. Another look back may then find more. */
  readonly isAnswered: boolean;
}

/** An answer about one digest. */
type Answer<T> = T | "no_answer";

/** Digests of one origin that wait. */
interface Waiting {
  /** Forgotten transactions whose inputs are not read yet. */
  readonly unfollowed: string[];
  /** Digests whose payers are not read yet. */
  readonly unread: string[];
}

/**
 * Finds the fund's own transactions that its state has forgotten. Runs before a sweep, which gives the coins another
 * last writer. Each coin names its last writer, and each transaction names the last writers of its inputs. Follows only
 * transactions that the fund has paid for, and first those that it has sent. An address balance names no writer.
 *
 * @param objectIds the fund's coins, as they are listed.
 */
export function findForgotten(
  core: SuiFundCore,
  watch: SuiStateWatch,
  address: string,
  objectIds: readonly string[],
): Promise<LookedBack> {
  return new LookBack(core, watch, address).run(objectIds);
}

/** A transaction has a higher version than those that wrote its inputs, also within one checkpoint. */
function oldestFirst(one: SuiExecution, other: SuiExecution): number {
  const [first, second] = [one.checkpoint ?? MAX_U64, other.checkpoint ?? MAX_U64];
  if (first !== second) return first < second ? -1 : 1;
  return one.lamportVersion < other.lamportVersion ? -1 : 1;
}

class LookBack {
  readonly #core: SuiFundCore;
  readonly #watch: SuiStateWatch;
  readonly #address: string;
  /** Transactions that the fund has sent, and the digests that these and the fund's coins name. */
  readonly #own: Waiting = { unfollowed: [], unread: [] };
  /** Transactions that the fund has sponsored, and the digests that these name. */
  readonly #sponsored: Waiting = { unfollowed: [], unread: [] };
  readonly #met = new Set<string>();
  readonly #found: SuiExecution[] = [];
  #followed = 0;
  #failures = 0;
  #isAnswered = true;
  /** True if a bound, or a node without the history, has left something out. */
  #isCut = false;

  constructor(core: SuiFundCore, watch: SuiStateWatch, address: string) {
    this.#core = core;
    this.#watch = watch;
    this.#address = address;
  }

  async run(objectIds: readonly string[]): Promise<LookedBack> {
    await this.#readCoins(objectIds);
    while (this.#failures < MOST_FAILURES && (await this.#step()));
    return {
      transactions: this.#found.toSorted(oldestFirst).map((execution) => forgottenOf(execution, this.#address)),
      isComplete: this.#isAnswered && !this.#isCut,
      isAnswered: this.#isAnswered,
    };
  }

  async #readCoins(objectIds: readonly string[]): Promise<void> {
    if (objectIds.length > MOST_COINS) this.#isCut = true;
    for (const batch of batchesOf(objectIds.slice(0, MOST_COINS), NODE_BATCH_LIMIT)) {
      const observed = await observeCoins(this.#core, batch);
      const coins = observed === "no_answer" ? ["no_answer" as const] : (observed?.value.values() ?? []);
      for (const coin of coins)
        if (coin === "no_answer") this.#isAnswered = false;
        else if (coin === null) this.#isCut = true;
        else this.#meet([coin.previousTransaction], this.#own);
    }
  }

  /** Does the next piece of work. Returns false if none is left. */
  async #step(): Promise<boolean> {
    for (const waiting of [this.#own, this.#sponsored]) {
      const { unfollowed, unread } = waiting;
      if (unfollowed.length > 0) {
        const batch = unfollowed.splice(0, NODE_BATCH_LIMIT);
        this.#followed += batch.length;
        if (this.#followed <= MOST_FOLLOWED) await this.#follow(batch, waiting);
        else this.#isCut = true;
        return true;
      }
      if (unread.length > 0) {
        await this.#readPayers(unread.splice(0, NODE_BATCH_LIMIT));
        return true;
      }
    }
    return false;
  }

  #meet(digests: readonly string[], waiting: Waiting): void {
    const most = waiting === this.#own ? MOST_MET : MOST_MET / 2;
    for (const digest of digests) {
      if (this.#met.has(digest)) continue;
      if (this.#met.size >= most) this.#isCut = true;
      else {
        this.#met.add(digest);
        waiting.unread.push(digest);
      }
    }
  }

  /** Selects the transactions that the fund has paid for and that no row of it knows. */
  #readPayers(digests: readonly string[]): Promise<void> {
    const { node, record } = this.#core;
    const adopted = record.recovery?.adoptedCheckpoint ?? -1n;
    const ask = async (batch: readonly string[]) => {
      const paid = await node.gasOwners(batch);
      return paid.ok ? paid.value.value : null;
    };
    return this.#ask(digests, ask, async (owner, digest) => {
      if (owner === null) return this.#missed(digest);
      // An earlier recovery has taken it into the books.
      const isAdopted = owner.checkpoint !== null && owner.checkpoint <= adopted;
      if (owner.address !== this.#address || isAdopted) return;
      const known = await this.#watch.isKnown(digest);
      if (known === "no_answer") this.#isAnswered = false;
      else if (!known) (owner.sender === this.#address ? this.#own : this.#sponsored).unfollowed.push(digest);
    });
  }

  /** Records that no node shows a transaction. It may be a forgotten one. */
  async #missed(digest: string): Promise<void> {
    if (!this.#isCut && (await this.#watch.isKnown(digest)) !== true) this.#isCut = true;
  }

  /** Reads what forgotten transactions have paid, and the transactions that have written their inputs. */
  #follow(digests: readonly string[], waiting: Waiting): Promise<void> {
    const ask = async (batch: readonly string[]) => {
      const looked = await this.#core.node.lookUp(batch, "history");
      if (!looked.ok) return null;
      return looked.value.value.map((shown) => (shown.kind === "executed" ? shown.execution : "no_answer"));
    };
    return this.#ask(digests, ask, (execution) => {
      this.#meet(execution.dependencies, waiting);
      if (waiting === this.#own) this.#found.push(execution);
    });
  }

  /** Asks about digests. Those without an answer are asked again in halves, because one can spoil its batch. */
  async #ask<T>(
    digests: readonly string[],
    ask: (batch: readonly string[]) => Promise<readonly Answer<T>[] | null>,
    take: (answer: T, digest: string) => void | Promise<void>,
  ): Promise<void> {
    const batches = [digests];
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const answers = this.#failures < MOST_FAILURES ? await ask(batch) : null;
      const unanswered: string[] = [];
      for (const [index, digest] of batch.entries()) {
        const answer = answers?.[index];
        if (answer === undefined || answer === "no_answer") unanswered.push(digest);
        else await take(answer, digest);
      }
      if (unanswered.length === 0) continue;
      this.#failures += 1;
      if (batch.length === 1 || this.#failures >= MOST_FAILURES) this.#isAnswered = false;
      else batches.push(...batchesOf(unanswered, Math.ceil(unanswered.length / 2)));
    }
  }
}
