import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { RecentHeights } from "../../../chain/sui/recent-heights.ts";
import { STORAGE_FAILED } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { sleep } from "../../../timing.ts";
import { LookUpPlaces } from "../../look-up-places.ts";
import { onGridMs } from "../../look-up-schedule.ts";
import { DUE_ROWS_LIMIT, RETRY_MS, SETTLE_LIMIT, whileUnderWay } from "../../upkeep.ts";
import { closeByEvidence, noteUnresolved, recordNotFound, settle } from "../settle.ts";
import { expirePrepared } from "../sponsorships.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence, type ObservedCoins, observeCoins } from "./evidence.ts";
import type { Finding, LookedUp, SuiLookUps } from "./look-ups.ts";
import type { SuiStateWatch } from "./state-watch.ts";

/**
 * The batches at the same time, one connection each, those at single hosts included. Cloudflare opens six connections
 * for an object, and lets further calls wait. One is left for callers.
 */
const BATCHES_AT_ONCE = { least: 4, most: 5 };
/** The batches at the same time beside work that takes a connection of its own. */
const BATCHES_BESIDE = BATCHES_AT_ONCE.most - 1;

/** The prepared rows that one commit expires. They take some thirty milliseconds. */
const PREPARED_AT_ONCE = SETTLE_LIMIT;

/**
 * The end of a look at expired sponsorships. `deaf`: a node answers, but could look up none of many digests. `silent`:
 * no node answers.
 */
export type LookEnd = "looked" | "deaf" | "silent";

/** Finds out the outcome of live sponsorships, by their digests and by the coins that they name. */
export class SuiSettlement {
  readonly #core: SuiFundCore;
  readonly #lookUps: SuiLookUps;
  readonly #watch: SuiStateWatch;
  /** The places of all look-ups of open rows. */
  readonly places: LookUpPlaces;

  constructor(core: SuiFundCore, lookUps: SuiLookUps, watch: SuiStateWatch) {
    this.#core = core;
    this.#watch = watch;
    this.#lookUps = lookUps;
    this.places = new LookUpPlaces(BATCHES_AT_ONCE, (error) =>
      core.deps.log("fund.settlement_failed", { fund: core.record.fundId, error: String(error) }),
    );
  }

  /**
   * Does work that may wait for many answers of a node, and settles meanwhile what falls due.
   *
   * @returns the result of the work, and throws its error.
   */
  async beside<T>(work: Promise<T>): Promise<T> {
    await whileUnderWay(work, () => this.settleDue(BATCHES_BESIDE), this.#core);
    return work;
  }

  /**
   * Settles sponsorships that are due by now, the oldest first.
   *
   * @param most the most batches at once.
   */
  async settleDue(most = BATCHES_AT_ONCE.most): Promise<void> {
    const { store, due } = this.#core;
    const signed: string[] = [];
    const expired: string[] = [];
    const prepared: string[] = [];
    const nowMs = this.#core.nowMs();
    for (const { reference } of due.listDue("settle", nowMs, DUE_ROWS_LIMIT)) {
      const state = store.stateOf(reference);
      if (state === "signed") signed.push(reference);
      else if (state === "expired") expired.push(reference);
      else if (state === "prepared") prepared.push(reference);
      else due.drop("settle", reference);
    }
    for (const digests of batchesOf(prepared, PREPARED_AT_ONCE)) {
      this.#forEach(digests, (digest) => expirePrepared(store, digest, nowMs));
      // Callers get their turn between two commits.
      await sleep(0);
    }
    const heights = new RecentHeights();
    const batches = [
      ...[...batchesOf(signed, NODE_BATCH_LIMIT)].map((digests) => ({
        digests,
        settle: () => this.#settleSigned(digests, heights),
      })),
      ...[...batchesOf(expired, NODE_BATCH_LIMIT)].map((digests) => ({
        digests,
        settle: async () => (await this.settleExpired(digests)) === "looked",
      })),
    ];
    const { isUseful, slow } = await this.places.run(batches, ({ settle }) => settle(), most);
    if (!isUseful) return this.#putOff();
    // The slow answers still count. A crash repeats the look-ups.
    for (const { digests } of slow) this.#forEach(digests, (digest) => this.#retry(digest));
  }

  /** Postpones due rows while no node answers. Otherwise they would wake the alarm again and again. */
  #putOff(): void {
    const nowMs = this.#core.nowMs();
    this.#core.due.postpone("settle", nowMs, onGridMs(nowMs + RETRY_MS));
  }

  /**
   * Settles signed sponsorships. False if no node answered: the other batches would only wait for the same time-outs.
   */
  async #settleSigned(digests: readonly string[], heights: RecentHeights): Promise<boolean> {
    const looked = await this.#lookUps.settling(digests, heights);
    const isUnread = digests.some((digest) => !looked.findings.has(digest));
    // The last epoch of a digest that no node can look up may be over.
    if (looked.fault === null && isUnread) await this.#core.factsForSigning();
    this.#forEach(digests, (digest) => this.#book(digest, looked));
    return looked.fault === null;
  }

  /**
   * Settles expired sponsorships: executed late, proved dead, or still to be recycled. Coin versions are read before
   * the look-up. Only then does its miss prove that another transaction moved them.
   *
   * @param digests at most `NODE_BATCH_LIMIT`.
   */
  async settleExpired(digests: readonly string[]): Promise<LookEnd> {
    const core = this.#core;
    // The fund must believe in the epoch that ends a signature.
    const facts = await core.factsForSigning();
    const believed = believedEpoch(core);
    const coinIds = digests.flatMap((digest) => core.store.coinsHeldBy(digest).map(({ objectId }) => objectId));
    const coins = facts.ok ? await observeCoins(core, coinIds) : "no_answer";
    if (coins === "no_answer") {
      this.#forEach(digests, (digest) => this.#retry(digest));
      return "silent";
    }
    const looked = await this.#lookUps.settling(digests);
    // A coin that a forgotten transaction has moved proves no death by the books.
    const missed = new Set(digests.filter((digest) => looked.findings.get(digest)?.value === null));
    if (missed.size > 0 && (await this.#watch.isBehindCoins(coins))) return "silent";
    this.#forEach(digests, (digest) => {
      const finding = looked.findings.get(digest);
      if (finding !== undefined && this.#isClosed(digest, believed, coins, finding)) return;
      this.#book(digest, looked);
      // The fund will believe the epoch of this finding in a moment, or never.
      if (finding !== undefined && finding.epoch > (core.record.seen?.epoch ?? 0n)) this.#retry(digest);
    });
    if (looked.fault === null) return "looked";
    return looked.isDeaf ? "deaf" : "silent";
  }

  /** Returns true if no node could look the digest up the last time. It is looked up alone again, later each time. */
  isUntold(digest: string): boolean {
    return this.#lookUps.hasFailed(digest);
  }

  #isClosed(digest: string, believed: bigint, coins: ObservedCoins, finding: Finding): boolean {
    const core = this.#core;
    if (finding.value !== null) return false;
    return closeByEvidence(core.store, digest, deathEvidence(believed, coins, finding), core.nowMs());
  }

  #book(digest: string, { findings }: LookedUp): void {
    const core = this.#core;
    const nowMs = core.nowMs();
    const finding = findings.get(digest);
    if (finding === undefined) this.#retry(digest);
    else if (finding.value === null) recordNotFound(core.store, digest, finding, nowMs, "by_schedule");
    else if (!settle(core.store, finding.value, nowMs)) {
      this.#lookUps.failed(digest, "its effects cannot be those of what was signed");
      this.#retry(digest);
      noteUnresolved(core.store, digest, finding.epoch, nowMs);
    }
  }

  /** Books all in one commit. If that fails, books each in its own, so that one faulty row stops no other. */
  #forEach(digests: readonly string[], book: (digest: string) => void): void {
    if (digests.length === 0) return;
    const core = this.#core;
    const each = (some: readonly string[]) => core.commit(() => some.forEach(book));
    try {
      each(digests);
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      for (const digest of digests)
        try {
          each([digest]);
        } catch (alone) {
          if (isStorageFailure(alone)) throw alone;
          this.#lookUps.failed(digest, String(alone));
          core.commit(() => this.#retry(digest));
        }
    }
  }

  /** Sets the next look-up, only while the row is live. Another call may have settled it during an await. */
  #retry(digest: string): void {
    const core = this.#core;
    const state = core.store.stateOf(digest);
    if (state !== "signed" && state !== "expired" && state !== "prepared") return;
    core.due.set("settle", digest, onGridMs(core.nowMs() + this.#lookUps.retryMs(digest)));
    noteUnresolved(core.store, digest, believedEpoch(core), core.nowMs());
  }
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && error.message === STORAGE_FAILED;
}
