/* Sui only: An Aptos fund has one balance, which settle.ts compares. */

import type { BalanceReading, SuiFound } from "../../../chain/sui/node.ts";
import { done, type Outcome } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import { ADDRESS_BALANCE, type Doubt, type MissingMoney } from "../../ledger/missing-money.ts";
import type { LookUpPlaces } from "../../look-up-places.ts";
import { isClosed } from "../../recovery.ts";
import { adoptAddressBalance, mayBeInvented } from "../adopt.ts";
import { lastSeen, spentMist, unseenChanges } from "../balance-reading.ts";
import { settle } from "../settle.ts";
import type { AddressChange } from "../sqlite-store.ts";
import { settleTreasury } from "../treasury-settle.ts";
import { changesAddressBalance } from "../unresolved.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch } from "./evidence.ts";
import { digestsOf, lowestEpoch, type Missed, NOTHING_MISSED, UnresolvedBalance } from "./unresolved-balance.ts";

/** The reading of an endpoint that lags further than this does not count. */
const MAX_LAG_MS = 300_000;
/** Digests that are compared with one reading of the address balance. */
export const MAX_COMPARED_DIGESTS = 5_000;
/** Readings of the address balance. The last one gives a lower bound of the balance. */
const MAX_ATTEMPTS = 3;
/** Changes of the address balance whose deposits missing money is compared with. */
const MOST_DEPOSITS_COMPARED = 1_000;
/** A chain makes about four checkpoints a second. */
const CHECKPOINT_WAIT_MS = 300;

/** Finds deposits into the fund's address balance, and money that is missing from it. */
export class AddressBalanceDeposits {
  readonly #core: SuiFundCore;
  readonly #missing: MissingMoney;
  readonly #unresolved: UnresolvedBalance;
  #paidInMist = 0n;
  /** The last ledger row up to which endpoints show all rows in the address balance. */
  #confirmedSequence = 0;

  constructor(core: SuiFundCore, missing: MissingMoney, places: LookUpPlaces) {
    this.#core = core;
    this.#missing = missing;
    this.#unresolved = new UnresolvedBalance(core, missing, places);
  }

  /** Deposits that this instance has booked, MIST. */
  get paidInMist(): bigint {
    return this.#paidInMist;
  }

  /**
   * Books deposits. Repeats the reading if a treasury transaction is too young to be distinguished from a deposit.
   *
   * @param missed rows that no host shows. If the reading shows their cost, they are closed.
   * @returns `node_unavailable`.
   */
  async find(address: string, missed: Missed = NOTHING_MISSED): Promise<Outcome<null>> {
    for (let attempt = 1; ; attempt++) {
      const compared = await this.#compareAddressBalance(address, missed, attempt === MAX_ATTEMPTS);
      if (!compared.ok) return compared;
      if (compared.value.isExact || attempt === MAX_ATTEMPTS) return done(null);
      await sleep(CHECKPOINT_WAIT_MS);
    }
  }

  /**
   * Compares a reading with the books. The address balance has no versions. A difference is a deposit only if the
   * reading accounts for every transaction of the fund. Transactions that the reading had seen and the books had not
   * are booked first. A transaction that may or may not be in the reading makes it inexact.
   *
   * @param isLast books the certain deposits of an inexact reading.
   */
  async #compareAddressBalance(
    address: string,
    missed: Missed,
    isLast: boolean,
  ): Promise<Outcome<{ readonly isExact: boolean }>> {
    const core = this.#core;
    const { store } = core;
    const exact = { isExact: true };
    const unresolved = digestsOf(missed);
    const believed = believedEpoch(core);
    const confirmed = Math.max(this.#confirmedSequence, store.sequenceBefore(core.nowMs() - MAX_LAG_MS));
    const booked = store.addressChangesAfter(confirmed);
    const own = this.#openOwnDigests();
    const open = [...this.#openSponsorships(), ...own];
    const digests = [...booked.map(({ digest }) => digest), ...open];
    if (digests.length > MAX_COMPARED_DIGESTS) return this.#takeLowerBound(address, booked, confirmed);
    const read = (besides?: string) =>
      core.node.balances(address, digests.slice(0, digests.length - own.length), own, besides);
    const besides = this.#missing.besides(ADDRESS_BALANCE);
    const other = besides === undefined ? null : await read(besides);
    const reading = other?.ok ? other : await read();
    if (!reading.ok) return reading;
    const { timestampMs, value } = reading.value;
    const { addressBalanceMist, findings } = value;
    if (addressBalanceMist === null) return done(exact);
    const readings = await this.#unresolved.withSecond(address, reading.value, unresolved);
    if (!(await this.#unresolved.isOfNoOther(reading.value, open, unresolved))) return done({ isExact: false });
    return done(
      core.commit(() => {
        // A recovery may have begun during the await. It books the unexplained difference.
        if (isClosed(core.record)) return exact;
        // A row that was booked during the reading is in neither list.
        if (store.addressChangesAfter(confirmed).length !== booked.length) return { isExact: false };
        if (timestampMs < core.nowMs() - MAX_LAG_MS) return exact;
        const changes = booked.map(({ changeMist }) => changeMist);
        for (const found of findings.slice(booked.length)) changes.push(this.#bookOpen(found, address));
        const epoch = lowestEpoch(believed, readings);
        const closing = this.#unresolved.liveBefore(epoch, missed);
        const closingDigests = new Set([
          ...closing.sponsorships.map(({ digest }) => digest),
          ...closing.own.map(({ transaction }) => transaction.digest),
        ]);
        if (this.#isPayingIn(closingDigests)) return { isExact: false };
        const unseen = unseenChanges(reading.value, changes, open, closingDigests);
        const isExact = unseen.length === 0;
        this.#confirmedSequence = lastSeen(booked, reading.value) ?? confirmed;
        if (isExact && !this.#unresolved.close(closing, epoch, readings)) return exact;
        const uncertainMist = spentMist(unseen);
        const isDeposit = addressBalanceMist - uncertainMist > store.totals().addressBalanceAtoms;
        if (!isExact && !(isLast && isDeposit)) return { isExact };
        // The missing money may be the charge of an open transaction that the node's look-up does not show yet.
        if (!isDeposit && open.length > closingDigests.size) return exact;
        const doubt = isDeposit ? null : this.#disprove(reading.value);
        if (!isDeposit && doubt === null) return exact;
        const missingMist = store.totals().addressBalanceAtoms - (addressBalanceMist - uncertainMist);
        if (!isDeposit && !mayBeInvented(missingMist, store.lastAddressDeposits(MOST_DEPOSITS_COMPARED))) {
          core.pauseBehindChain(`${missingMist} MIST of the address balance are gone, and no row has spent them`);
          return exact;
        }
        this.#take(reading.value, uncertainMist);
        if (doubt !== null) this.#logDisproved(doubt, reading.value);
        return { isExact };
      }),
    );
  }

  /**
   * Books the certain deposits if too many transactions are open to look each of them up. Executed ones have taken at
   * most the withheld amount. Booked amounts that the reading has not seen may still be in it. Money beyond both is a
   * deposit. A later reading with fewer open transactions finds the rest.
   */
  async #takeLowerBound(
    address: string,
    booked: readonly AddressChange[],
    confirmed: number,
  ): Promise<Outcome<{ readonly isExact: boolean }>> {
    const core = this.#core;
    const { store } = core;
    const exact = { isExact: true };
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    const { timestampMs, value } = reading.value;
    const { addressBalanceMist } = value;
    if (addressBalanceMist === null || timestampMs < core.nowMs() - MAX_LAG_MS) return done(exact);
    return done(
      core.commit(() => {
        if (isClosed(core.record) || this.#isPayingIn()) return exact;
        if (store.addressChangesAfter(confirmed).length !== booked.length) return exact;
        const { inFlightAtoms, addressBalanceAtoms } = store.totals();
        const uncertainMist = inFlightAtoms + spentMist(booked.map(({ changeMist }) => changeMist));
        if (addressBalanceMist - uncertainMist <= addressBalanceAtoms) return exact;
        this.#take(reading.value, uncertainMist);
        return exact;
      }),
    );
  }

  /**
   * Weighs a reading that differs from the books. A lower one may come from an endpoint that has not seen the last
   * deposit. Null if the reading disproves nothing yet.
   */
  #disprove(reading: BalanceReading): Doubt | null {
    const isTheSame = reading.value.addressBalanceMist === this.#core.store.totals().addressBalanceAtoms;
    return isTheSame ? null : this.#missing.disprove(ADDRESS_BALANCE, "", reading, this.#core.nowMs());
  }

  #logDisproved({ endpoint }: Doubt, reading: BalanceReading): void {
    const { deps, record } = this.#core;
    deps.log("fund.address_balance_lowered", {
      fund: record.fundId,
      endpoints: [endpoint, reading.endpoint].join(" "),
    });
  }

  #take(reading: BalanceReading, uncertainMist: bigint): void {
    const { store } = this.#core;
    this.#missing.confirm(ADDRESS_BALANCE);
    this.#paidInMist += adoptAddressBalance(store, reading, uncertainMist, this.#core.nowMs());
  }

  /**
   * Checks for an open treasury transaction that pays into the address balance. The balance may show the payment before
   * a look-up does. Such a payment is no deposit.
   *
   * @param closing the transactions whose changes the reading has in full.
   */
  #isPayingIn(closing: ReadonlySet<string> = new Set()): boolean {
    return this.#core.store
      .pendingTreasury()
      .some(
        ({ digest, paysToAddressBalance, fromAddressBalanceMist }) =>
          !closing.has(digest) && (paysToAddressBalance || fromAddressBalanceMist < 0n),
      );
  }

  #openSponsorships(): readonly string[] {
    const { store, mode } = this.#core;
    return mode === "address_balance" ? store.liveIds(null) : [];
  }

  #openOwnDigests(): readonly string[] {
    return this.#core.store
      .pendingTreasury()
      .filter(changesAddressBalance)
      .map(({ digest }) => digest);
  }

  /** Books a transaction that the reading's endpoint has executed. Returns its change of the address balance, MIST. */
  #bookOpen(found: SuiFound | undefined, address: string): bigint {
    if (found?.kind !== "executed") return 0n;
    const { execution } = found;
    const { store } = this.#core;
    const beforeMist = store.totals().addressBalanceAtoms;
    const nowMs = this.#core.nowMs();
    const booked = settle(store, execution, nowMs) || settleTreasury(store, execution, address, nowMs);
    if (!booked)
      this.#core.deps.log("fund.effects_refused", { fund: this.#core.record.fundId, digest: execution.digest });
    return store.totals().addressBalanceAtoms - beforeMist;
  }
}
