/* Sui only: On Aptos the account's sequence number shows a forgotten withdrawal. */

import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import { pausedRefusal } from "../../refusals.ts";
import type { DepositSource } from "../../shortage.ts";
import { STATE_BEHIND_CHAIN } from "../../views.ts";
import type { SuiFundCore } from "./chain.ts";
import { observeCoins } from "./evidence.ts";
import { everyCoin } from "./listing.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** The most coins whose last transactions are looked up. Those that the books have at a lower version come first. */
const MOST_COINS = 10 * NODE_BATCH_LIMIT;
/** The waits before missing money is read again. An endpoint may not show the last deposit yet. */
const READ_AGAIN_MS = [300, 1_000] as const;

/**
 * Compares the chain with the books before a new withdrawal is journaled. A state that was put back has forgotten its
 * later withdrawals, and would pay them again. The alarm finds that, too, but may find it later than the caller repeats.
 *
 * A deposit of after the copy can hide a withdrawal from an address balance, which has no versions.
 */
export class PaymentCheck {
  readonly #core: SuiFundCore;
  readonly #watch: SuiStateWatch;
  readonly #deposits: DepositSource;

  constructor(core: SuiFundCore, watch: SuiStateWatch, deposits: DepositSource) {
    this.#core = core;
    this.#watch = watch;
    this.#deposits = deposits;
  }

  /**
   * @returns `fund_paused` if the state is older than the chain. `node_unavailable` if no node answers, or if the
   * address balance is below the books.
   */
  async run(address: string): Promise<Outcome<null>> {
    // This finds out whether the chain is still the fund's.
    const facts = await this.#core.factsForSigning();
    if (!facts.ok) return facts;
    const coins = await this.#coins(address);
    return coins.ok ? this.#addressBalance(address) : coins;
  }

  async #coins(address: string): Promise<Outcome<null>> {
    const core = this.#core;
    const listed = await everyCoin(core, address);
    if (!listed.ok) return listed;
    const moved: string[] = [];
    const unknown: string[] = [];
    for (const { objectId, version } of listed.value ?? []) {
      const known = core.store.coin(objectId);
      if (known === null) unknown.push(objectId);
      else if (known.version < version) moved.push(objectId);
    }
    for (const batch of batchesOf([...moved, ...unknown].slice(0, MOST_COINS), NODE_BATCH_LIMIT)) {
      const observed = await observeCoins(core, batch);
      if (observed === "no_answer")
        return refuse("node_unavailable", "no node shows the coins that have changed: repeat the call");
      if (await this.#watch.isBehindCoins(observed))
        return pausedRefusal(core.record.pausedCause ?? STATE_BEHIND_CHAIN);
    }
    return done(null);
  }

  async #addressBalance(address: string): Promise<Outcome<null>> {
    let missing = await this.#missingMist(address);
    for (const waitMs of READ_AGAIN_MS) {
      if (!missing.ok || missing.value <= 0n) break;
      // This books what open rows have spent meanwhile.
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

  /** Reads how much less the chain shows than the books, beyond all that open rows may have spent, MIST. */
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
