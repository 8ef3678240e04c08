/* Sui only: On Aptos a used sequence number ends such a row (`settle.ts`). */

import { withValue } from "../../../chain/seen.ts";
import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { type LookUpDetail, NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { type SuiSeen, upToEpoch } from "../../../chain/sui/seen.ts";
import { batchesOf } from "../../../paging.ts";
import { SETTLE_LIMIT } from "../../upkeep.ts";
import { closeByEvidence, recordNotFound, settle } from "../settle.ts";
import { isOver } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import { closeByCoins, type ShownCoins, UNRESOLVED_RETRY_MS } from "../unresolved.ts";
import type { SuiFundCore } from "./chain.ts";
import type { SuiDeposits } from "./deposits.ts";
import { allHostsButOne, believedEpoch, deathEvidence, observeCoins } from "./evidence.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/** Sponsorships of one run whose coins are read, or which are looked up alone. */
const MOST_ALONE = 20;

/** The answer of one host about digests. */
interface HostLookUp {
  readonly shown: ReadonlySet<string>;
  /** The host's epoch, for each digest that it does not show, or about which it never answers. */
  readonly missed: ReadonlyMap<string, bigint>;
}

/** Closes sponsorships whose last epoch is over, and that no look-up has settled for an hour. Every host is asked. */
export class UnresolvedRows {
  readonly #core: SuiFundCore;
  readonly #deposits: SuiDeposits;
  readonly #watch: SuiStateWatch;

  constructor(core: SuiFundCore, deposits: SuiDeposits, watch: SuiStateWatch) {
    this.#core = core;
    this.#deposits = deposits;
    this.#watch = watch;
  }

  async runDue(): Promise<void> {
    const core = this.#core;
    const due = core.due.listDue("unresolved", core.nowMs(), SETTLE_LIMIT).map(({ reference }) => reference);
    if (due.length === 0) return;
    // If the run does not come to its end, these times count.
    this.#setNext(due);
    await this.close(due);
    this.#setNext(due);
  }

  /** Closes those of these sponsorships of which every host that answers proves that nothing else will end them. */
  async close(digests: readonly string[]): Promise<void> {
    const core = this.#core;
    const facts = await core.factsForSigning();
    if (!facts.ok) return;
    const rows = digests.flatMap((digest) => this.#openRow(digest) ?? []);
    const withCoins = rows.filter(({ gasObjectId }) => gasObjectId !== null);
    for (const { digest } of withCoins.slice(0, MOST_ALONE)) await this.#closeWithCoins(digest);
    const fromBalance = rows.filter(({ gasObjectId }) => gasObjectId === null);
    if (fromBalance.length === 0) return;
    const unresolved = await this.#missedByAll(fromBalance);
    if (unresolved.length > 0) await this.#deposits.closeUnresolved(unresolved);
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
  async #closeWithCoins(digest: string): Promise<void> {
    const core = this.#core;
    const { store, address } = core;
    const ids = store.coinsHeldBy(digest).map(({ objectId }) => objectId);
    const believed = believedEpoch(core);
    const readings: ShownCoins[] = [];
    for (const besides of allHostsButOne(core)) {
      const coins = await observeCoins(core, ids, besides);
      const { shown } = await this.#lookUp([digest], "effects", besides);
      if (shown.has(digest)) return;
      if (coins === "no_answer" || coins === null) continue;
      if (await this.#watch.isBehindCoins(coins)) return;
      readings.push(upToEpoch(coins, believed));
    }
    if (address !== null) core.commit(() => closeByCoins(store, digest, readings, { address, nowMs: core.nowMs() }));
  }

  /** Lists the sponsorships that no host shows, and that one has missed after their last epoch. */
  async #missedByAll(rows: readonly SuiSponsorship[]): Promise<readonly string[]> {
    const core = this.#core;
    const believed = believedEpoch(core);
    const digests = rows.map(({ digest }) => digest);
    const shown = new Set<string>();
    const missed = new Map<string, bigint>();
    for (const besides of allHostsButOne(core)) {
      const looked = await this.#lookUp(digests, "charge", besides);
      for (const digest of looked.shown) shown.add(digest);
      for (const [digest, epoch] of looked.missed) {
        const least = epoch < believed ? epoch : believed;
        if (least > (missed.get(digest) ?? -1n)) missed.set(digest, least);
      }
    }
    return rows
      .filter(({ digest, expirationEpoch }) => !shown.has(digest) && (missed.get(digest) ?? -1n) > expirationEpoch)
      .map(({ digest }) => digest);
  }

  /** Looks digests up at one host, and settles those that it shows. A digest that spoils its batch is looked up alone. */
  async #lookUp(digests: readonly string[], detail: LookUpDetail, besides: readonly string[]): Promise<HostLookUp> {
    const core = this.#core;
    const believed = believedEpoch(core);
    const shown = new Set<string>();
    const missed = new Map<string, bigint>();
    const waiting = [...batchesOf(digests, NODE_BATCH_LIMIT)];
    let alone = 0;
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const looked = await core.node.lookUp(batch, detail, besides);
      if (!looked.ok) break;
      for (const [index, digest] of batch.entries()) {
        const found = looked.value.value[index];
        if (found?.kind === "executed") {
          shown.add(digest);
          this.#settle(found.execution);
        } else if (found?.kind === "missing" || batch.length === 1) {
          missed.set(digest, looked.value.epoch);
          if (found?.kind === "missing")
            this.#closeByMiss(
              digest,
              withValue(looked.value, () => null),
              believed,
            );
        } else if (alone < MOST_ALONE) {
          alone += 1;
          waiting.push([digest]);
        }
      }
    }
    return { shown, missed };
  }

  /** Closes a sponsorship from the address balance as dead, if this host still has the whole of its life. */
  #closeByMiss(digest: string, miss: SuiSeen<null>, believed: bigint): void {
    const core = this.#core;
    const { store } = core;
    if (store.sponsorship(digest)?.gasObjectId !== null) return;
    core.commit(() => {
      recordNotFound(store, digest, miss, core.nowMs(), "by_caller");
      closeByEvidence(store, digest, deathEvidence(believed, null, miss), core.nowMs());
    });
  }

  #settle(execution: SuiExecution): void {
    const core = this.#core;
    if (!core.commit(() => settle(core.store, execution, core.nowMs())))
      core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest: execution.digest });
  }
}
