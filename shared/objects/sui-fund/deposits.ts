import type { BalanceReading, Found } from "../../chain/sui/node.ts";
import { done, type Outcome } from "../../errors.ts";
import { settleOwn, takeAddressBalance, takeListing } from "../../fund/own-transactions.ts";
import type { AddressChange } from "../../fund/sqlite-fund-store.ts";
import { settle } from "../../fund/sui-fund.ts";
import { sleep } from "../../timing.ts";
import type { SuiFundCore } from "./core.ts";

/** A balance that matches may still hide two changes that cancel out, so the coins are listed now and then anyway. */
const FULL_LISTING_INTERVAL_MS = 600_000;
/** An endpoint that lags further than this is not believed about the address balance. */
const MAX_LAG_MS = 300_000;
/** Digests that one reading of the address balance is compared with. */
const MAX_COMPARED_DIGESTS = 5_000;
/** Readings of the address balance before one is taken for what it shows at least. */
const MAX_ATTEMPTS = 3;
/** A chain makes about four checkpoints a second. */
const CHECKPOINT_WAIT_MS = 300;

/** Finds what others have paid into the fund: as coins, and into its address balance. */
export class FundDeposits {
  readonly #core: SuiFundCore;
  #listedAtMs = 0;
  /** Ledger rows up to here are contained in what endpoints show of the address balance. */
  #confirmedSequence = 0;

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /**
   * Books what the chain shows beyond the fund's own books.
   *
   * @returns the deposits found, MIST; `node_unavailable`.
   */
  async find(address: string, listing: "always" | "when_changed"): Promise<Outcome<bigint>> {
    const core = this.#core;
    const reading = await core.node.balances(address, []);
    if (!reading.ok) return reading;
    let depositedMist = 0n;
    const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = core.store.totals();
    const unchanged = reading.value.coinBalanceMist === balanceMist - addressBalanceMist;
    const listedLately = core.nowMs() - this.#listedAtMs < FULL_LISTING_INTERVAL_MS;
    if (listing === "always" || !unchanged || !listedLately) {
      const coins = await core.node.coins(address);
      if (!coins.ok) return coins;
      depositedMist += core.commit(() => takeListing(core.store, coins.value, core.nowMs()));
      this.#listedAtMs = core.nowMs();
    }
    if (reading.value.addressBalanceMist !== addressBalanceMist) {
      const paidIn = await this.#findInAddressBalance(address);
      if (!paidIn.ok) return paidIn;
      depositedMist += paidIn.value;
    }
    if (depositedMist > 0n)
      core.deps.log("fund.deposit", { fund: core.record.fundId, amountMist: depositedMist.toString() });
    return done(depositedMist);
  }

  /** Looks a few times where a transaction of the fund's own is too young to be told from the reading. */
  async #findInAddressBalance(address: string): Promise<Outcome<bigint>> {
    let paidInMist = 0n;
    for (let attempt = 1; ; attempt++) {
      const compared = await this.#compareAddressBalance(address, attempt === MAX_ATTEMPTS);
      if (!compared.ok) return compared;
      paidInMist += compared.value.paidInMist;
      if (compared.value.isExact || attempt === MAX_ATTEMPTS) return done(paidInMist);
      await sleep(CHECKPOINT_WAIT_MS);
    }
  }

  /**
   * The address balance has no versions, so a difference is a deposit only when every transaction of the fund's is
   * accounted for at the moment of the reading: those that it had seen and the books had not are booked first, and one
   * of which that is not certain makes the reading inexact.
   *
   * @param isLast of an inexact reading, what has been paid in for certain is booked.
   */
  async #compareAddressBalance(
    address: string,
    isLast: boolean,
  ): Promise<Outcome<{ readonly paidInMist: bigint; readonly isExact: boolean }>> {
    const core = this.#core;
    const { store } = core;
    const nothing = { paidInMist: 0n, isExact: true };
    const confirmed = Math.max(this.#confirmedSequence, store.sequenceBefore(core.nowMs() - MAX_LAG_MS));
    const booked = store.addressChangesAfter(confirmed);
    const open = this.#openDigests();
    const digests = [...booked.map(({ digest }) => digest), ...open];
    if (digests.length > MAX_COMPARED_DIGESTS) {
      core.deps.log("fund.address_balance_busy", { fund: core.record.fundId, digests: digests.length });
      return done(nothing);
    }
    const reading = await core.node.balances(address, digests);
    if (!reading.ok) return reading;
    const { addressBalanceMist, fromCheckpoint, checkpointTimeMs, findings } = reading.value;
    return done(
      core.commit(() => {
        // What was booked while the node was asked is in neither list.
        if (store.addressChangesAfter(confirmed).length !== booked.length) return { ...nothing, isExact: false };
        if (checkpointTimeMs < core.nowMs() - MAX_LAG_MS) return nothing;
        const changes = booked.map(({ changeMist }) => changeMist);
        for (const found of findings.slice(booked.length)) changes.push(this.#bookOpen(found, address));
        const unseen = unseenChanges(reading.value, changes, open.length);
        const isExact = unseen.length === 0;
        this.#confirmedSequence = lastSeen(booked, reading.value) ?? confirmed;
        const unseenMist = unseen.reduce((sum, changeMist) => sum + (changeMist < 0n ? changeMist : 0n), 0n);
        const certainMist = addressBalanceMist + unseenMist;
        const isDeposit = certainMist > store.totals().addressBalanceAtoms;
        if (!isExact && !(isLast && isDeposit)) return { ...nothing, isExact };
        // What is missing may be the charge of an open one that the node's look-up does not show yet.
        if (!isDeposit && open.length > 0) return nothing;
        const reference = `checkpoint ${fromCheckpoint}`;
        return { isExact, paidInMist: takeAddressBalance(store, certainMist, reference, core.nowMs()) };
      }),
    );
  }

  #openDigests(): readonly string[] {
    const { store, mode } = this.#core;
    const own = store
      .pendingOwnTransactions()
      .filter((row) => row.gasObjectId === null || row.redeemedMist > 0n || row.sweeps);
    return [...(mode === "address_balance" ? store.live(null) : []), ...own.map(({ digest }) => digest)];
  }

  /** Books what the reading's endpoint has executed; tells what that changed in the address balance. */
  #bookOpen(found: Found | undefined, address: string): bigint {
    if (found == null || found === "no_answer") return 0n;
    const { store } = this.#core;
    const beforeMist = store.totals().addressBalanceAtoms;
    const nowMs = this.#core.nowMs();
    const booked = settle(store, found, nowMs) || settleOwn(store, found, address, nowMs);
    if (!booked) this.#core.deps.log("fund.effects_refused", { fund: this.#core.record.fundId, digest: found.digest });
    return store.totals().addressBalanceAtoms - beforeMist;
  }
}

/** A node reads an address balance from its live state: only an older checkpoint than it reports is in it for certain. */
function isSeen(found: Found | undefined, { fromCheckpoint }: BalanceReading): boolean {
  return found != null && found !== "no_answer" && found.checkpoint !== null && found.checkpoint < fromCheckpoint;
}

/** The last ledger row before the first that the reading may not have seen; null: that is the very first. */
function lastSeen(booked: readonly AddressChange[], reading: BalanceReading): number | null {
  const unseen = booked.findIndex((_, index) => !isSeen(reading.findings[index], reading));
  const seen = unseen === -1 ? booked : booked.slice(0, unseen);
  return seen.at(-1)?.sequence ?? null;
}

/**
 * What those transactions changed, MIST, of which it is not certain that the reading has seen them (sui-rpc-api,
 * `get_balance.rs`).
 *
 * @param changes one for each finding; the last `openCount` findings may be of transactions that never execute.
 */
function unseenChanges(reading: BalanceReading, changes: readonly bigint[], openCount: number): readonly bigint[] {
  const { findings } = reading;
  return findings.flatMap((found, index) => {
    const isOpen = index >= findings.length - openCount;
    return (found === null && isOpen) || isSeen(found, reading) ? [] : (changes[index] ?? 0n);
  });
}
