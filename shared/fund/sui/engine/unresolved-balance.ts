/* Sui only: On Aptos a used sequence number ends such a row (`settle.ts`). */

import { lags } from "../../../chain/lag.ts";
import { type BalanceReading, NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { Deadline } from "../../../deadline.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import { ADDRESS_BALANCE, type MissingMoney } from "../../ledger/missing-money.ts";
import type { LookUpPlaces } from "../../look-up-places.ts";
import {
  canHaveTaken,
  changesAddressBalance,
  closeByBalance,
  doubtedMist,
  liveFromBalance,
  mostCostMist,
  type Unresolved,
  type UnresolvedOwn,
} from "../unresolved.ts";
import type { SuiFundCore } from "./chain.ts";
import { inLanes } from "./host-look-ups.ts";

/** The time after which a look-up shows all that a balance has shown. */
const LOOK_UP_LAG_MS = 1_000;
/** Rows that are booked during the reading make it useless. After this time it hardly counts any more. */
const LOOK_UPS_MS = 10_000;

/** Readings of one moment. If the fund has several hosts, a second host's reading follows the first. */
export type BalanceReadings = readonly [BalanceReading, ...BalanceReading[]];

/** Rows that at least one host has missed after their last epoch, and that no host shows. */
export interface Missed {
  /** Sponsorships that the address balance pays for. */
  readonly digests: readonly string[];
  readonly own: readonly UnresolvedOwn[];
}

/** The value if no rows are to be closed. */
export const NOTHING_MISSED: Missed = { digests: [], own: [] };

/** Returns the digests of all these rows. */
export function digestsOf({ digests, own }: Missed): readonly string[] {
  return [...digests, ...own.map(({ transaction }) => transaction.digest)];
}

/** Closes rows that change the address balance, and that no host shows. */
export class UnresolvedBalance {
  readonly #core: SuiFundCore;
  readonly #missing: MissingMoney;
  readonly #places: LookUpPlaces;

  constructor(core: SuiFundCore, missing: MissingMoney, places: LookUpPlaces) {
    this.#core = core;
    this.#missing = missing;
    this.#places = places;
  }

  /** Adds the reading of a second host, if there are rows to close and it answers. */
  async withSecond(address: string, first: BalanceReading, unresolved: readonly string[]): Promise<BalanceReadings> {
    const { node, endpointCount } = this.#core;
    if (unresolved.length === 0 || endpointCount <= 1) return [first];
    const second = await node.balances(address, [], [], first.endpoint);
    return second.ok && second.value.endpoint !== first.endpoint ? [first, second.value] : [first];
  }

  /**
   * Looks the other open rows up again, if rows are to be closed with missing money. A look-up may lag behind the
   * balance, and one of these rows may have taken that money.
   *
   * @param open the digests of the last findings, in their order.
   * @returns false if one of them may have. Another reading must then be compared.
   */
  async isOfNoOther(reading: BalanceReading, open: readonly string[], unresolved: readonly string[]): Promise<boolean> {
    const { node, store } = this.#core;
    const { addressBalanceMist, findings } = reading.value;
    if (unresolved.length === 0 || store.totals().addressBalanceAtoms <= (addressBalanceMist ?? 0n)) return true;
    const closing = new Set(unresolved);
    const first = findings.length - open.length;
    const missed = open.filter((digest, index) => findings[first + index]?.kind === "missing" && !closing.has(digest));
    if (missed.length > 0) await sleep(LOOK_UP_LAG_MS);
    const deadline = new Deadline(LOOK_UPS_MS);
    const isOverdue = () => deadline.leftMs() === 0;
    let isMissed = true;
    await inLanes(
      this.#places,
      [...batchesOf(missed, NODE_BATCH_LIMIT)],
      async (batch) => {
        const looked = await node.lookUp(batch, "charge");
        const isCurrent = looked.ok && looked.value.checkpoint >= reading.newestCheckpoint;
        isMissed &&= isCurrent && looked.value.value.every(({ kind }) => kind === "missing");
      },
      () => !isMissed || isOverdue(),
    );
    // Look-ups that were not begun in time prove nothing.
    return isMissed && !isOverdue();
  }

  /** Lists the live rows whose last epoch was before this one. */
  liveBefore(epoch: bigint, { digests, own }: Missed): Unresolved {
    const { store } = this.#core;
    const isPending = ({ digest }: { readonly digest: string }) =>
      store.treasuryTransaction(digest)?.state === "pending";
    return {
      sponsorships: liveFromBalance(store, digests).filter(({ expirationEpoch }) => expirationEpoch < epoch),
      own: own.filter(({ transaction }) => transaction.expirationEpoch < epoch && isPending(transaction)),
    };
  }

  /**
   * Closes rows with the money that is missing in a reading. Other open rows may have taken it. So money must be
   * missing for minutes, while no other transaction of the fund itself is open. If there are several hosts, two must
   * show the same balance.
   *
   * @param epoch has begun in each reading.
   * @returns false if the readings explain nothing yet. True if no row is to be closed.
   */
  close(rows: Unresolved, epoch: bigint, readings: BalanceReadings): boolean {
    const { store, address } = this.#core;
    const [reading] = readings;
    const missingMist = store.totals().addressBalanceAtoms - (reading.value.addressBalanceMist ?? 0n);
    // The missing amount exceeds their cost. It is judged without them.
    const isEmpty = rows.sponsorships.length === 0 && rows.own.length === 0;
    if (isEmpty || address === null || missingMist > mostCostMist(rows)) return true;
    if (!this.#isAgreed(readings)) return false;
    if (missingMist > 0n && !this.#isProved(rows, epoch, { reading, missingMist })) return false;
    const shown = { checkpoint: reading.checkpoint, missingMist };
    closeByBalance(store, rows, shown, { address, nowMs: this.#core.nowMs() });
    return true;
  }

  /** A lie of one host would cost the fund money, or pause it later. */
  #isAgreed([first, second]: BalanceReadings): boolean {
    if (this.#core.endpointCount <= 1) return true;
    if (second === undefined || lags(second.timestampMs, this.#core.nowMs())) return false;
    return second.value.addressBalanceMist === first.value.addressBalanceMist;
  }

  #isProved(
    rows: Unresolved,
    epoch: bigint,
    { reading, missingMist }: { readonly reading: BalanceReading; readonly missingMist: bigint },
  ): boolean {
    const { store } = this.#core;
    const closing = new Set(rows.own.map(({ transaction }) => transaction.digest));
    const isOpen = store.pendingTreasury().some((row) => changesAddressBalance(row) && !closing.has(row.digest));
    if (isOpen || canHaveTaken(store, rows.sponsorships, epoch)) return false;
    const doubted = doubtedMist(store.doubts.doubt(ADDRESS_BALANCE), rows, missingMist);
    return this.#missing.disprove(ADDRESS_BALANCE, String(doubted), reading, this.#core.nowMs()) !== null;
  }
}

/** Returns the lowest epoch of these readings that the fund believes has begun. */
export function lowestEpoch(believed: bigint, readings: BalanceReadings): bigint {
  return readings.reduce((lowest, { epoch }) => (epoch < lowest ? epoch : lowest), believed);
}
