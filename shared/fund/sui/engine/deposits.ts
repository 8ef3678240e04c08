/* Sui only: settle.ts finds the deposits of an Aptos fund. */

import { SharedRounds } from "../../../durable/shared-rounds.ts";
import { done, type Outcome } from "../../../errors.ts";
import { ADDRESS_BALANCE, MissingMoney } from "../../ledger/missing-money.ts";
import type { LookUpPlaces } from "../../look-up-places.ts";
import { isClosed } from "../../recovery.ts";
import type { DepositSource } from "../../shortage.ts";
import { AddressBalanceDeposits } from "./address-balance.ts";
import type { SuiFundCore } from "./chain.ts";
import { SuiListing } from "./listing.ts";
import type { SuiStateWatch } from "./state-watch.ts";
import type { Missed } from "./unresolved-balance.ts";

/** The coins are listed at this interval even if the balance matches, because two changes may cancel out. */
const FULL_LISTING_INTERVAL_MS = 600_000;
/** Finds deposits into the fund, as coins and into its address balance. */
export class SuiDeposits implements DepositSource {
  readonly #core: SuiFundCore;
  readonly #missing: MissingMoney;
  readonly #listing: SuiListing;
  readonly #addressBalance: AddressBalanceDeposits;
  /** A listing continues from the end of the last one. Two at the same time would each miss a part. */
  readonly #rounds = new SharedRounds(() => this.#findOnce());
  #nextListsAlways = false;

  constructor(core: SuiFundCore, watch: SuiStateWatch, places: LookUpPlaces) {
    this.#core = core;
    this.#missing = new MissingMoney(core.store.doubts, core.endpointCount);
    this.#listing = new SuiListing(core, this.#missing, watch);
    this.#addressBalance = new AddressBalanceDeposits(core, this.#missing, places);
  }

  /** Returns the sum of the deposits that this instance has found, MIST. */
  foundAtoms(): bigint {
    return this.#listing.foundMist + this.#addressBalance.paidInMist;
  }

  /** True if the next look continues a listing that takes more than one. */
  get isListing(): boolean {
    return this.#listing.isUnderWay;
  }

  look(): Promise<Outcome<bigint>> {
    return this.find("when_changed");
  }

  /**
   * Books the chain's changes beyond the fund's own books, in a look that begins after the call. Several callers share
   * one look.
   *
   * @returns the deposits found, MIST. `node_unavailable` if a reading or a listing fails.
   */
  find(listing: "always" | "when_changed"): Promise<Outcome<bigint>> {
    this.#nextListsAlways ||= listing === "always";
    return this.#rounds.run();
  }

  /** Closes rows that change the address balance and that no host shows. Books the missing money as their cost. */
  async closeUnresolved(missed: Missed): Promise<void> {
    const { address, record } = this.#core;
    if (address !== null && !isClosed(record)) await this.#addressBalance.find(address, missed);
  }

  async #findOnce(): Promise<Outcome<bigint>> {
    const core = this.#core;
    const { address } = core;
    const listsAlways = this.#nextListsAlways;
    this.#nextListsAlways = false;
    // A state that may be older than the chain would take the fund's own coins for deposits.
    if (address === null || isClosed(core.record)) return done(0n);
    const foundBeforeMist = this.foundAtoms();
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    core.commit(() => this.#missing.tell(reading.value, core.nowMs()));
    const { coinBalanceMist, addressBalanceMist: shownMist } = reading.value.value;
    const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = core.store.totals();
    const unchanged = coinBalanceMist === balanceMist - addressBalanceMist + this.#listing.elsewhereMist();
    // Holds too if the clock was ahead at the last listing.
    const listedLately = Math.abs(core.nowMs() - this.#listing.completedAtMs) < FULL_LISTING_INTERVAL_MS;
    // A listing that breaks off must not delay deposits into the address balance.
    const isListed = listsAlways || !unchanged || !listedLately;
    const listed = isListed ? await this.#takeListing(address, coinBalanceMist) : done(null);
    if (isClosed(core.record)) return listed.ok ? done(0n) : listed;
    if (shownMist === addressBalanceMist) core.commit(() => this.#missing.confirm(ADDRESS_BALANCE));
    const isPaidIn = shownMist !== null && shownMist !== addressBalanceMist;
    const paidIn = isPaidIn ? await this.#addressBalance.find(address) : done(null);
    const depositedMist = this.foundAtoms() - foundBeforeMist;
    if (depositedMist > 0n)
      core.deps.log("fund.deposit", { fund: core.record.fundId, amountMist: depositedMist.toString() });
    if (!listed.ok) return listed;
    return paidIn.ok ? done(depositedMist) : paidIn;
  }

  async #takeListing(address: string, coinBalanceMist: bigint): Promise<Outcome<null>> {
    const listed = await this.#listing.takeIn(address);
    if (listed.ok && coinBalanceMist < bookedCoinsMist(this.#core)) await this.#listing.dropInvented();
    return listed;
  }
}

function bookedCoinsMist({ store }: SuiFundCore): bigint {
  const { balanceAtoms, addressBalanceAtoms } = store.totals();
  return balanceAtoms - addressBalanceAtoms;
}
