import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { STORAGE_FAILED } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { RETRY_MS, SETTLE_LIMIT } from "../../upkeep.ts";
import { closeByEvidence, recordNotFound, settle } from "../settle.ts";
import { expirePrepared } from "../sponsorships.ts";
import type { SuiFundCore } from "./chain.ts";
import { deathEvidence, type ObservedCoins, observeCoins } from "./evidence.ts";
import type { Finding, LookedUp, SuiLookUps } from "./look-ups.ts";

/**
 * How a look at expired sponsorships ended. `deaf`: a node answers, and could look up none of many digests. `silent`: no
 * node answers.
 */
export type LookEnd = "looked" | "deaf" | "silent";

/** Finds out what became of sponsorships that are out: by their digests, and by the coins that they name. */
export class SuiSettlement {
  readonly #core: SuiFundCore;
  readonly #lookUps: SuiLookUps;

  constructor(core: SuiFundCore, lookUps: SuiLookUps) {
    this.#core = core;
    this.#lookUps = lookUps;
  }

  /** Everything that is due by now. */
  async settleDue(): Promise<void> {
    const { store, due } = this.#core;
    const signed: string[] = [];
    const expired: string[] = [];
    const prepared: string[] = [];
    const nowMs = this.#core.nowMs();
    for (const { reference } of due.listDue("settle", nowMs, SETTLE_LIMIT)) {
      const state = store.stateOf(reference);
      if (state === "signed") signed.push(reference);
      else if (state === "expired") expired.push(reference);
      else if (state === "prepared") prepared.push(reference);
      else due.set("settle", reference, null);
    }
    this.#forEach(prepared, (digest) => expirePrepared(store, digest, nowMs));
    for (const batch of batchesOf(signed, NODE_BATCH_LIMIT))
      if (!(await this.#settleSigned(batch))) return this.#putOff();
    for (const batch of batchesOf(expired, NODE_BATCH_LIMIT))
      if ((await this.settleExpired(batch)) !== "looked") return this.#putOff();
  }

  /** No node answers: what is due would only wake the alarm again and again. */
  #putOff(): void {
    const nowMs = this.#core.nowMs();
    this.#core.due.postpone("settle", nowMs, nowMs + RETRY_MS);
  }

  /** False where no node answered: the rest of the batches would only wait for the same time-outs. */
  async #settleSigned(digests: readonly string[]): Promise<boolean> {
    const looked = await this.#lookUps.settling(digests);
    this.#forEach(digests, (digest) => this.#book(digest, looked));
    return looked.fault === null;
  }

  /**
   * At most `NODE_BATCH_LIMIT` expired sponsorships: executed late, proved dead, or still to be recycled. Versions are
   * read before the look-up: only then does its miss say that somebody else moved them.
   */
  async settleExpired(digests: readonly string[]): Promise<LookEnd> {
    const core = this.#core;
    // The epoch that ends a signature has to be one that the fund believes in.
    const facts = await core.factsForSigning();
    const coinIds = digests.flatMap((digest) => core.store.coinsHeldBy(digest).map(({ objectId }) => objectId));
    const coins = facts.ok ? await observeCoins(core, coinIds) : "no_answer";
    if (coins === "no_answer") {
      this.#forEach(digests, (digest) => this.#retry(digest));
      return "silent";
    }
    const looked = await this.#lookUps.settling(digests);
    this.#forEach(digests, (digest) => {
      const finding = looked.findings.get(digest);
      if (finding !== undefined && this.#isClosed(digest, coins, finding)) return;
      this.#book(digest, looked);
      // The epoch that it tells of is believed in a moment, or not at all.
      if (finding !== undefined && finding.epoch > (core.record.seen?.epoch ?? 0n)) this.#retry(digest);
    });
    if (looked.fault === null) return "looked";
    return looked.isDeaf ? "deaf" : "silent";
  }

  /** Whether no node could tell of it the last time. It is asked for again by itself, later each time. */
  isUntold(digest: string): boolean {
    return this.#lookUps.hasFailed(digest);
  }

  #isClosed(digest: string, coins: ObservedCoins, finding: Finding): boolean {
    const core = this.#core;
    if (finding.value !== null) return false;
    return closeByEvidence(core.store, digest, deathEvidence(core, coins, finding), core.nowMs());
  }

  #book(digest: string, { findings }: LookedUp): void {
    const core = this.#core;
    const nowMs = core.nowMs();
    const finding = findings.get(digest);
    if (finding === undefined) this.#retry(digest);
    else if (finding.value === null)
      recordNotFound(core.store, digest, { ...finding, value: null }, nowMs, "by_schedule");
    else if (!settle(core.store, finding.value, nowMs)) {
      this.#lookUps.failed(digest, "its effects cannot be those of what was signed");
      this.#retry(digest);
    }
  }

  /** All in one commit; where that fails, each in its own, so that a row that cannot be booked stops no other. */
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

  /** Only while it is live: it may have been settled by somebody else meanwhile. */
  #retry(digest: string): void {
    const core = this.#core;
    const state = core.store.stateOf(digest);
    if (state === "signed" || state === "expired" || state === "prepared")
      core.due.set("settle", digest, core.nowMs() + this.#lookUps.retryMs(digest));
  }
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && error.message === STORAGE_FAILED;
}
