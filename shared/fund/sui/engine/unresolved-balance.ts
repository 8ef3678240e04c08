/* Sui only: On Aptos a used sequence number ends such a row (`settle.ts`). */

import { lags } from "../../../chain/lag.ts";
import type { BalanceReading } from "../../../chain/sui/node.ts";
import { ADDRESS_BALANCE, type MissingMoney } from "../../ledger/missing-money.ts";
import type { SuiSponsorship } from "../store.ts";
import {
  canHaveTaken,
  changesAddressBalance,
  closeByBalance,
  doubtedMist,
  liveFromBalance,
  mostCostMist,
} from "../unresolved.ts";
import type { SuiFundCore } from "./chain.ts";

/** Readings of one moment. If the fund has several hosts, a second host's reading follows the first. */
export type BalanceReadings = readonly [BalanceReading, ...BalanceReading[]];

/** Closes sponsorships that the address balance pays for, and that no host shows. */
export class UnresolvedBalance {
  readonly #core: SuiFundCore;
  readonly #missing: MissingMoney;

  constructor(core: SuiFundCore, missing: MissingMoney) {
    this.#core = core;
    this.#missing = missing;
  }

  /** Adds the reading of a second host, if there are sponsorships to close and it answers. */
  async withSecond(address: string, first: BalanceReading, unresolved: readonly string[]): Promise<BalanceReadings> {
    const { node, endpointCount } = this.#core;
    if (unresolved.length === 0 || endpointCount <= 1) return [first];
    const second = await node.balances(address, [], [], first.endpoint);
    return second.ok && second.value.endpoint !== first.endpoint ? [first, second.value] : [first];
  }

  /** Lists those of these sponsorships that are live, and had their last epoch before this one. */
  liveBefore(epoch: bigint, digests: readonly string[]): readonly SuiSponsorship[] {
    return liveFromBalance(this.#core.store, digests).filter(({ expirationEpoch }) => expirationEpoch < epoch);
  }

  /**
   * Closes sponsorships with the money that is missing in a reading. Other open ones may have taken it, so money has to
   * be missing for minutes, while no transaction of the fund itself is open. Of several hosts, two must show the same
   * balance.
   *
   * @param epoch has begun in each reading.
   * @returns false if the readings explain nothing yet. True if there is none to close.
   */
  close(rows: readonly SuiSponsorship[], epoch: bigint, readings: BalanceReadings): boolean {
    const { store } = this.#core;
    const [reading] = readings;
    const missingMist = store.totals().addressBalanceAtoms - (reading.value.addressBalanceMist ?? 0n);
    // More has gone than they can have cost. That is judged without them.
    if (rows.length === 0 || missingMist > mostCostMist(rows)) return true;
    if (!this.#isAgreed(readings)) return false;
    if (missingMist > 0n && !this.#isProved(rows, epoch, { reading, missingMist })) return false;
    closeByBalance(store, rows, { checkpoint: reading.checkpoint, missingMist }, this.#core.nowMs());
    return true;
  }

  /** One host's word costs the fund money, or pauses it later. */
  #isAgreed([first, second]: BalanceReadings): boolean {
    if (this.#core.endpointCount <= 1) return true;
    if (second === undefined || lags(second.timestampMs, this.#core.nowMs())) return false;
    return second.value.addressBalanceMist === first.value.addressBalanceMist;
  }

  #isProved(
    rows: readonly SuiSponsorship[],
    epoch: bigint,
    { reading, missingMist }: { readonly reading: BalanceReading; readonly missingMist: bigint },
  ): boolean {
    const { store } = this.#core;
    if (store.pendingTreasury().some(changesAddressBalance) || canHaveTaken(store, rows, epoch)) return false;
    const doubted = doubtedMist(store.doubts.doubt(ADDRESS_BALANCE), rows, missingMist);
    return this.#missing.disprove(ADDRESS_BALANCE, String(doubted), reading, this.#core.nowMs()) !== null;
  }
}

/** Returns the lowest epoch of these readings that the fund believes has begun. */
export function lowestEpoch(believed: bigint, readings: BalanceReadings): bigint {
  return readings.reduce((lowest, { epoch }) => (epoch < lowest ? epoch : lowest), believed);
}
