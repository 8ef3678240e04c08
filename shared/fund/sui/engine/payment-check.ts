/* Sui only: On Aptos the account's sequence number shows a forgotten withdrawal. */

import { MAX_U64 } from "../../../amounts.ts";
import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import { pausedRefusal } from "../../refusals.ts";
import type { DepositSource } from "../../shortage.ts";
import { STATE_BEHIND_CHAIN } from "../../views.ts";
import type { FundCoin } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { type ObservedCoins, observeCoins } from "./evidence.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The most coins of the books that are read. A withdrawal takes the largest ones. */
const MOST_COINS = 10 * NODE_BATCH_LIMIT;
/** The most coins that are new to the books. Nodes list the largest first. */
const MOST_NEW_COINS = NODE_BATCH_LIMIT;
/** The waits before missing money is read again. An endpoint may not show the last deposit or coin yet. */
const READ_AGAIN_MS = [300, 1_000] as const;

/**
 * Compares the chain with the books before a new withdrawal is journaled. A restored state has forgotten its later
 * withdrawals, and would pay them again. The alarm finds that, too, but perhaps after the caller repeats.
 *
 * A deposit after the backup can hide a withdrawal from an address balance, which has no versions. Budgets of open rows
 * can hide it, too. A forgotten conversion hides it once its coin is dropped as an invented one.
 */
export class PaymentCheck {
  readonly #core: SuiFundCore;
  readonly #watch: SuiStateWatch;
  readonly #deposits: DepositSource;
  readonly #resend: (digest: string) => Promise<unknown>;

  /** @param resend sends a pending treasury transaction again, and books its outcome. */
  constructor(
    core: SuiFundCore,
    watch: SuiStateWatch,
    deposits: DepositSource,
    resend: (digest: string) => Promise<unknown>,
  ) {
    this.#core = core;
    this.#watch = watch;
    this.#deposits = deposits;
    this.#resend = resend;
  }

  /**
   * @returns `fund_paused` if the state is older than the chain. `node_unavailable` if no node answers, if no row
   * explains a payment that one node alone shows, or if the address balance is below the books.
   */
  async run(address: string): Promise<Outcome<null>> {
    // This call checks that the chain is still the fund's.
    const facts = await this.#core.factsForSigning();
    if (!facts.ok) return facts;
    const coins = await this.#coins(address);
    return coins.ok ? this.#addressBalance(address) : coins;
  }

  /**
   * Reads the coins that a forgotten withdrawal has probably spent: the largest of the books, and new ones. Avoids a
   * whole listing, because strangers can make it long.
   */
  async #coins(address: string): Promise<Outcome<null>> {
    const { node, store } = this.#core;
    const listed = await node.coins(address, null);
    if (!listed.ok) return listed;
    const unknown = listed.value.coins.value.filter(({ objectId }) => store.coin(objectId) === null);
    const free = [...store.maintenanceCoins(), ...store.largestFree(MAX_U64, MOST_COINS)];
    const pending = this.#core.mode === "coin" ? [] : store.pendingTreasury();
    const spending = pending.flatMap(({ digest }) => store.coinsHeldBy(digest));
    const checked = [...free, ...spending, ...unknown.slice(0, MOST_NEW_COINS)];
    const ids = new Set(checked.map(({ objectId }) => objectId));
    for (const batch of batchesOf([...ids], NODE_BATCH_LIMIT)) {
      let missing = await this.#missing(batch);
      for (const waitMs of READ_AGAIN_MS) {
        if (!missing.ok || missing.value.length === 0) break;
        // A conversion whose answer was lost has taken the coin. Its answer books that.
        const holders = new Set(missing.value.flatMap(({ heldByDigest }) => heldByDigest ?? []));
        for (const digest of holders) await this.#resend(digest);
        await sleep(waitMs);
        missing = await this.#missing(batch);
      }
      if (!missing.ok) return missing;
      const [coin] = missing.value;
      if (coin !== undefined) return this.#refuseMissing(coin);
    }
    return done(null);
  }

  /**
   * Explains the coins of a batch. A conversion into the address balance takes coins away, and no other coin names it.
   * A restored state has forgotten it, and takes the balance for a deposit.
   *
   * @returns the coins that the chain lacks, and that such a conversion may have taken.
   */
  async #missing(objectIds: readonly string[]): Promise<Outcome<readonly FundCoin[]>> {
    const { mode, store } = this.#core;
    const observed = await observeCoins(this.#core, objectIds);
    if (observed === "no_answer") return this.#refuseUnexplained();
    const explained = await this.#explain(observed);
    if (!explained.ok) return explained;
    if (mode === "coin") return done([]);
    const unseen = objectIds.filter((objectId) => observed?.value.get(objectId) === null);
    const coins = unseen.map((objectId) => store.coin(objectId)).filter((coin) => coin !== null);
    return done(coins.filter(({ state }) => state === "free" || state === "spending"));
  }

  async #explain(observed: ObservedCoins): Promise<Outcome<null>> {
    const { store, record } = this.#core;
    const explanation = await this.#watch.explainCoins(observed);
    if (explanation === "behind") return pausedRefusal(record.pausedCause ?? STATE_BEHIND_CHAIN);
    if (explanation === "unconfirmed") return this.#refuseUnexplained();
    // Only the fund can move its own coins. So each move needs a row, for any payer.
    for (const [objectId, seen] of observed?.value ?? []) {
      const known = store.coin(objectId);
      if (known?.state !== "free" || seen === null) continue;
      if (seen === "no_answer") return this.#refuseUnexplained();
      const isMoved = seen.version > known.version;
      if (isMoved && (await this.#watch.isKnown(seen.previousTransaction)) !== true) return this.#refuseUnexplained();
    }
    return done(null);
  }

  #refuseMissing({ objectId, heldByDigest }: FundCoin) {
    const { fundId } = this.#core.record;
    const remedy = heldByDigest === null ? "drop-coin for it" : `force-close for ${heldByDigest}, which spends it`;
    return refuse(
      "node_unavailable",
      `no node shows the fund's coin ${objectId}: repeat later. If it stays so, run POST /admin/v1/funds/${fundId}/recover if a backup was put back, and ${remedy} otherwise`,
    );
  }

  #refuseUnexplained() {
    const { fundId } = this.#core.record;
    return refuse(
      "node_unavailable",
      `no node confirms which transaction moved the fund's coins: repeat later, or run POST /admin/v1/funds/${fundId}/recover if a backup was put back`,
    );
  }

  async #addressBalance(address: string): Promise<Outcome<null>> {
    let missing = await this.#missingMist(address);
    for (const waitMs of READ_AGAIN_MS) {
      if (!missing.ok || missing.value <= 0n) break;
      // This look books the spending of open rows.
      const looked = await this.#deposits.look(address);
      if (!looked.ok) return looked;
      await sleep(waitMs);
      missing = await this.#missingMist(address);
    }
    if (!missing.ok) return missing;
    if (missing.value <= 0n) return done(null);
    const { fundId } = this.#core.record;
    return refuse(
      "node_unavailable",
      `the address balance is ${missing.value} MIST below the books, and no row has spent them: repeat later, or run POST /admin/v1/funds/${fundId}/recover if a backup was put back`,
    );
  }

  /** Returns the amount that the chain lacks against the books, beyond all that open rows may have spent, MIST. */
  async #missingMist(address: string): Promise<Outcome<bigint>> {
    const core = this.#core;
    const { store, mode } = core;
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    const shownMist = reading.value.value.addressBalanceMist;
    if (shownMist === null) return done(0n);
    const { addressBalanceAtoms, inFlightAtoms } = store.totals();
    let openMist = mode === "address_balance" ? inFlightAtoms : 0n;
    for (const { gasBudgetAtoms, fromAddressBalanceMist } of store.pendingTreasury())
      openMist += gasBudgetAtoms + (fromAddressBalanceMist > 0n ? fromAddressBalanceMist : 0n);
    return done(addressBalanceAtoms - openMist - shownMist);
  }
}
