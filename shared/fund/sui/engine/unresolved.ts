/* Sui only: On Aptos a used sequence number ends such a row (`settle.ts`). */

import { upToEpoch } from "../../../chain/sui/seen.ts";
import { Deadline } from "../../../deadline.ts";
import type { LookUpPlaces } from "../../look-up-places.ts";
import { isClosed } from "../../recovery.ts";
import { SETTLE_LIMIT } from "../../upkeep.ts";
import { isOver } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import { closeByCoins, type ShownCoins, UNRESOLVED_RETRY_MS, type UnresolvedOwn } from "../unresolved.ts";
import { MAX_COMPARED_DIGESTS } from "./address-balance.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiDeposits } from "./deposits.ts";
import { allHostsButOne, believedEpoch, observeCoins } from "./evidence.ts";
import { HostLookUps } from "./host-look-ups.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** Sponsorships of one run whose coins are read. */
const MOST_ALONE = 20;
/** A run reads the coins of no more sponsorships after this time. The fund's other work waits for it. */
const RUN_MS = 5_000;
/**
 * Look-ups of sponsorships from the address balance end after this time. Only all rows together explain missing money.
 */
const LOOK_UPS_MS = 15_000;

/** One run over such sponsorships. */
interface Run {
  /** All other hosts, for each host that has answered all calls so far. */
  readonly hosts: Set<readonly string[]>;
  readonly deadline: Deadline;
}

/** Closes sponsorships whose last epoch is over, and that no look-up has settled for an hour. Every host is asked. */
export class UnresolvedRows {
  readonly #core: SuiFundCore;
  readonly #deposits: SuiDeposits;
  readonly #watch: SuiStateWatch;
  readonly #lookUps: HostLookUps;

  constructor(core: SuiFundCore, deposits: SuiDeposits, watch: SuiStateWatch, places: LookUpPlaces) {
    this.#core = core;
    this.#deposits = deposits;
    this.#watch = watch;
    this.#lookUps = new HostLookUps(core, places);
  }

  async runDue(): Promise<void> {
    const core = this.#core;
    const nowMs = core.nowMs();
    const due = this.#listUntil(nowMs, SETTLE_LIMIT);
    if (due.length === 0) return;
    const rows = this.#openRows(due);
    const withCoins = rows.filter(hasCoin).slice(0, MOST_ALONE);
    const fromBalance = withCoins.length < rows.length ? this.#rowsFromBalance(rows) : [];
    const planned = [...withCoins, ...fromBalance].map(({ digest }) => digest);
    const ended = due.filter((digest) => this.#openRow(digest) === null);
    // If the run does not finish, these times count. The other rows stay due.
    this.#setNext([...ended, ...planned]);
    const tried = await this.#close(withCoins, fromBalance);
    if (tried !== null) this.#setNext(tried);
    // Rows that stay due would only wake the alarm again and again.
    else core.due.postpone("unresolved", core.nowMs(), core.nowMs() + UNRESOLVED_RETRY_MS);
  }

  /** Closes a sponsorship that the address balance pays for, with all others that may have taken the missing money. */
  async closeFromBalance(row: SuiSponsorship): Promise<void> {
    await this.#close([], this.#rowsFromBalance([row]));
  }

  /** Closes transactions of the fund itself that change the address balance, with all such sponsorships that are due. */
  async closeOwn(own: readonly UnresolvedOwn[]): Promise<void> {
    await this.#close([], this.#rowsFromBalance([]), own);
  }

  /**
   * Closes the sponsorships that every answering host proves to have no other end.
   *
   * @param own transactions of the fund itself that are proved to have no other end.
   * @returns the rows that it tried. Null if no host has answered all calls.
   */
  async #close(
    withCoins: readonly SuiSponsorship[],
    fromBalance: readonly SuiSponsorship[],
    own: readonly UnresolvedOwn[] = [],
  ) {
    const core = this.#core;
    const facts = await core.factsForSigning();
    if (!facts.ok) return null;
    const run: Run = { hosts: new Set(allHostsButOne(core)), deadline: new Deadline(RUN_MS) };
    const isStopped = () => run.hosts.size === 0 || isOverdue(run) || isClosed(core.record);
    const tried: string[] = [];
    for (const { digest } of withCoins) {
      if (isStopped()) break;
      tried.push(digest);
      await this.#closeWithCoins(digest, run);
    }
    if (fromBalance.length + own.length > 0 && !isStopped()) {
      tried.push(...fromBalance.map(({ digest }) => digest));
      const looked = { ...run, deadline: new Deadline(LOOK_UPS_MS) };
      const digests = await this.#missedByAll(fromBalance, looked);
      if (digests.length + own.length > 0 && !isClosed(core.record))
        await this.#deposits.closeUnresolved({ digests, own });
    }
    return run.hosts.size > 0 ? tried : null;
  }

  #listUntil(untilMs: number, limit: number): readonly string[] {
    return this.#core.due.listDue("unresolved", untilMs, limit).map(({ reference }) => reference);
  }

  /**
   * Adds the other sponsorships from the address balance that are due soon. Only all rows together explain missing
   * money.
   */
  #rowsFromBalance(rows: readonly SuiSponsorship[]): readonly SuiSponsorship[] {
    const soon = this.#listUntil(this.#core.nowMs() + UNRESOLVED_RETRY_MS, MAX_COMPARED_DIGESTS);
    const digests = new Set([...rows.map(({ digest }) => digest), ...soon]);
    return this.#openRows([...digests]).filter((row) => !hasCoin(row));
  }

  #openRows(digests: readonly string[]): readonly SuiSponsorship[] {
    return digests.flatMap((digest) => this.#openRow(digest) ?? []);
  }

  #openRow(digest: string): SuiSponsorship | null {
    const row = this.#core.store.sponsorship(digest);
    return row === null || isOver(row) || row.state === "prepared" ? null : row;
  }

  #setNext(digests: readonly string[]): void {
    const core = this.#core;
    core.commit(() => {
      const atMs = core.nowMs() + UNRESOLVED_RETRY_MS;
      for (const digest of digests)
        core.store.setDue("unresolved", digest, this.#openRow(digest) === null ? null : atMs);
    });
  }

  /** Reads the coins and then the digest at each host. */
  async #closeWithCoins(digest: string, run: Run): Promise<void> {
    const core = this.#core;
    const { store, address } = core;
    const ids = store.coinsHeldBy(digest).map(({ objectId }) => objectId);
    const believed = believedEpoch(core);
    const readings: ShownCoins[] = [];
    for (const besides of run.hosts) {
      const coins = await observeCoins(core, ids, besides);
      if (coins === "no_answer") {
        run.hosts.delete(besides);
        continue;
      }
      const looked = await this.#lookUps.lookUp([digest], "effects", besides);
      if (!looked.isAnswered) run.hosts.delete(besides);
      if (looked.shown.has(digest)) return;
      if (coins === null) continue;
      if (await this.#watch.isBehindCoins(coins)) return;
      readings.push(upToEpoch(coins, believed));
    }
    core.commit(() => {
      // A recovery may have begun during the await. It books the unexplained difference.
      if (address === null || isClosed(core.record)) return;
      closeByCoins(store, digest, readings, { address, nowMs: core.nowMs() });
    });
  }

  /**
   * Lists the sponsorships that no host shows and that at least one host misses after their last epoch. Empty if the
   * time of the run ends before every host was called.
   */
  async #missedByAll(rows: readonly SuiSponsorship[], run: Run): Promise<readonly string[]> {
    const core = this.#core;
    const believed = believedEpoch(core);
    const digests = rows.map(({ digest }) => digest);
    const shown = new Set<string>();
    const missed = new Map<string, bigint>();
    const isStopped = () => isOverdue(run) || isClosed(core.record);
    for (const besides of run.hosts) {
      const looked = await this.#lookUps.lookUp(digests, "charge", besides, isStopped);
      if (!looked.isAnswered) run.hosts.delete(besides);
      for (const digest of looked.shown) shown.add(digest);
      for (const [digest, epoch] of looked.missed) {
        const least = epoch < believed ? epoch : believed;
        if (least > (missed.get(digest) ?? -1n)) missed.set(digest, least);
      }
    }
    if (isOverdue(run)) return [];
    return rows
      .filter(({ digest, expirationEpoch }) => !shown.has(digest) && (missed.get(digest) ?? -1n) > expirationEpoch)
      .map(({ digest }) => digest);
  }
}

function isOverdue({ deadline }: Run): boolean {
  return deadline.leftMs() === 0;
}

function hasCoin({ gasObjectId }: SuiSponsorship): boolean {
  return gasObjectId !== null;
}
