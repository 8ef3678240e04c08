/* Sui only: A node on Aptos looks one hash up at a time. */

import { withValue } from "../../../chain/seen.ts";
import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { type LookUpDetail, NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import type { RecentHeights } from "../../../chain/sui/recent-heights.ts";
import type { SuiSeen } from "../../../chain/sui/seen.ts";
import { batchesOf } from "../../../paging.ts";
import type { LookUpFailures } from "../../explain/story.ts";
import { RETRY_MS } from "../../upkeep.ts";
import type { SuiFundCore } from "./chain.ts";

/**
 * Calls of one run that may answer nothing. They are enough to find a few digests among many that spoil their batches.
 */
const MAX_SPOILT_CALLS = 12;
const LONGEST_RETRY_MS = 600_000;
const MAX_REMEMBERED_FAILURES = 10_000;

/** An endpoint's answer about a digest. Its value is null if the endpoint does not have the digest. */
export type Finding = SuiSeen<SuiExecution> | SuiSeen<null>;

/** The result of one run of look-ups. */
export interface LookedUp {
  /** The digests that were answered. */
  readonly findings: ReadonlyMap<string, Finding>;
  /**
   * The fault that makes more look-ups useless now, because they would only wait for the same time-outs. Null if no
   * such fault occurred.
   */
  readonly fault: string | null;
  /** True with a fault if a node answers, but could look up none of many digests. */
  readonly isDeaf: boolean;
}

interface Batch {
  readonly digests: readonly string[];
  readonly detail: LookUpDetail;
}

/**
 * Looks digests up on the chain, many at a time. Halves a batch without any answer, down to the digest that spoils it.
 * From then on, looks that digest up alone, so that the others get their answers.
 */
export class SuiLookUps {
  readonly #core: SuiFundCore;
  /** Failures of each digest, alone: it was not answered, or its answer was refused. */
  readonly #failures = new Map<string, LookUpFailures>();

  constructor(core: SuiFundCore) {
    this.#core = core;
  }

  /**
   * Looks up as much of each digest as its settlement needs.
   *
   * @param heights those of a run of several calls. Absent for a call whose answer must follow other readings.
   */
  settling(digests: readonly string[], heights?: RecentHeights): Promise<LookedUp> {
    // Only the full list of a transaction's changes shows a merged coin.
    const merging = this.#core.store.holdersOfSeveral(digests);
    const isMerging = (digest: string) => merging.has(digest);
    const batches = [
      ...this.#batchesOf(
        digests.filter((digest) => !isMerging(digest)),
        "charge",
      ),
      ...this.#batchesOf(digests.filter(isMerging), "effects"),
    ];
    return this.#run(batches, heights);
  }

  /** Looks up all of them in the same detail. */
  find(digests: readonly string[], detail: LookUpDetail): Promise<LookedUp> {
    return this.#run(this.#batchesOf(digests, detail));
  }

  /** Returns the wait before a digest is looked up again, ms. It grows each time that the digest fails alone. */
  retryMs(digest: string): number {
    const failures = this.#failures.get(digest)?.inARow ?? 0;
    return Math.min(RETRY_MS * 2 ** Math.max(failures - 1, 0), LONGEST_RETRY_MS);
  }

  /** Returns why the last look-ups of the digest failed alone. Null if the last one was good. */
  failuresOf(digest: string): LookUpFailures | null {
    return this.#failures.get(digest) ?? null;
  }

  /** True if the last look-up of the digest failed alone, or its answer was refused. */
  hasFailed(digest: string): boolean {
    return this.#failures.has(digest);
  }

  /**
   * Records that a digest was not answered, or that its answer was refused. The other digests of its batch were fine.
   */
  failed(digest: string, why: string): void {
    const failures = (this.#failures.get(digest)?.inARow ?? 0) + 1;
    if (this.#failures.size > MAX_REMEMBERED_FAILURES) this.#failures.clear();
    this.#failures.set(digest, { inARow: failures, why });
    const { deps, record } = this.#core;
    deps.log("fund.look_up_failed", { fund: record.fundId, digest, failures, why });
  }

  #batchesOf(digests: readonly string[], detail: LookUpDetail): readonly Batch[] {
    const batches = [
      ...batchesOf(
        digests.filter((digest) => !this.hasFailed(digest)),
        NODE_BATCH_LIMIT,
      ),
    ];
    const alone = digests.filter((digest) => this.hasFailed(digest)).map((digest) => [digest]);
    return [...batches, ...alone].map((batch) => ({ digests: batch, detail }));
  }

  async #run(batches: readonly Batch[], heights?: RecentHeights): Promise<LookedUp> {
    const findings = new Map<string, Finding>();
    const waiting = [...batches];
    let spoilt = 0;
    for (let batch = waiting.shift(); batch !== undefined && spoilt < MAX_SPOILT_CALLS; batch = waiting.shift()) {
      const { digests, detail } = batch;
      const looked = await this.#core.node.lookUp(digests, detail, undefined, heights);
      if (!looked.ok) return { findings, fault: looked.error.details, isDeaf: false };
      const answers = looked.value.value;
      const untold = digests.filter((_, index) => answers[index]?.kind === "no_answer");
      for (const [index, digest] of digests.entries()) {
        const found = answers[index];
        if (found === undefined || found.kind === "no_answer") continue;
        const finding =
          found.kind === "executed"
            ? withValue(looked.value, () => found.execution)
            : withValue(looked.value, () => null);
        findings.set(digest, finding);
      }
      if (untold.length === digests.length) spoilt += 1;
      if (untold.length === digests.length && digests.length > 1) {
        const middle = Math.ceil(digests.length / 2);
        waiting.unshift({ digests: digests.slice(0, middle), detail }, { digests: digests.slice(middle), detail });
      } else for (const digest of untold) this.failed(digest, "no node answered about it");
    }
    for (const digest of findings.keys()) this.#failures.delete(digest);
    const isDeaf = spoilt >= MAX_SPOILT_CALLS && findings.size === 0;
    return { findings, fault: isDeaf ? "no node could look up any of many digests" : null, isDeaf };
  }
}
