import { type Found, NODE_BATCH_LIMIT } from "../../chain/sui/node.ts";
import { closeByEvidence, recordMiss, releasePrepared, settle } from "../../fund/sui-fund.ts";
import { batchesOf } from "../../paging.ts";
import { RETRY_MS, SETTLE_LIMIT } from "../fund-upkeep.ts";
import type { SuiFundCore } from "./core.ts";
import { evidenceBefore } from "./reads.ts";

/** Finds out what became of sponsorships that are out: by their digests, and by the coins that they name. */
export class FundSettlement {
  readonly #core: SuiFundCore;

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /** Everything that is due by now. */
  async settleDue(): Promise<void> {
    const { store, due } = this.#core;
    const signed: string[] = [];
    const expired: string[] = [];
    const prepared: string[] = [];
    const nowMs = this.#core.nowMs();
    for (const { reference } of due.take("settle", nowMs, SETTLE_LIMIT)) {
      const state = store.stateOf(reference);
      if (state === "signed") signed.push(reference);
      else if (state === "expired") expired.push(reference);
      else if (state === "prepared") prepared.push(reference);
      else due.set("settle", reference, null);
    }
    if (prepared.length > 0)
      this.#core.commit(() => {
        for (const digest of prepared) releasePrepared(store, digest, nowMs);
      });
    for (const batch of batchesOf(signed, NODE_BATCH_LIMIT))
      if (!(await this.#settleSigned(batch))) return this.#putOff();
    for (const batch of batchesOf(expired, NODE_BATCH_LIMIT))
      if (!(await this.settleExpired(batch))) return this.#putOff();
  }

  /** No node answers: what is due would only wake the alarm again and again. */
  #putOff(): void {
    const nowMs = this.#core.nowMs();
    this.#core.due.postpone("settle", nowMs, nowMs + RETRY_MS);
  }

  /** False where no node answered: the rest of the batches would only wait for the same time-outs. */
  async #settleSigned(digests: readonly string[]): Promise<boolean> {
    const core = this.#core;
    const looked = await core.node.lookUp(digests, "settlement");
    core.commit(() => {
      for (const [index, digest] of digests.entries()) {
        if (!looked.ok) this.#retry(digest);
        else this.#book(digest, looked.value.findings[index] ?? null, looked.value.checkpointTimeMs);
      }
    });
    return looked.ok;
  }

  /**
   * At most `NODE_BATCH_LIMIT` expired sponsorships: executed late, proved dead, or still to be recycled. Versions are
   * read before the look-up: only then does its miss say that somebody else moved them. False where no node answered.
   */
  async settleExpired(digests: readonly string[]): Promise<boolean> {
    const core = this.#core;
    const coinIds = digests.flatMap((digest) => core.store.coinsOf(digest).map(({ objectId }) => objectId));
    const before = await evidenceBefore(core, coinIds);
    const looked = before === null ? null : await core.node.lookUp(digests, "settlement");
    core.commit(() => {
      for (const [index, digest] of digests.entries()) {
        if (before === null || looked === null || !looked.ok) {
          this.#retry(digest);
          continue;
        }
        const found = looked.value.findings[index] ?? null;
        const { checkpointTimeMs } = looked.value;
        if (found === null && closeByEvidence(core.store, digest, { ...before, checkpointTimeMs }, core.nowMs()))
          continue;
        this.#book(digest, found, checkpointTimeMs);
      }
    });
    return looked?.ok === true;
  }

  #book(digest: string, found: Found, checkpointTimeMs: number): void {
    const core = this.#core;
    const nowMs = core.nowMs();
    if (found === null) recordMiss(core.store, digest, checkpointTimeMs, nowMs, "by_schedule");
    else if (found === "no_answer") this.#retry(digest);
    else if (!settle(core.store, found, nowMs)) {
      core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest });
      this.#retry(digest);
    }
  }

  /** Only while it is live: it may have been settled by somebody else meanwhile. */
  #retry(digest: string): void {
    const { store, due } = this.#core;
    const state = store.stateOf(digest);
    if (state === "signed" || state === "expired") due.set("settle", digest, this.#core.nowMs() + RETRY_MS);
  }
}
