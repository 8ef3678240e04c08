/* Sui only: On Aptos a used sequence number ends such a row (`settle.ts`). */

import { withValue } from "../../../chain/seen.ts";
import type { SuiExecution } from "../../../chain/sui/execution.ts";
import { type LookUpDetail, NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import type { SuiSeen } from "../../../chain/sui/seen.ts";
import { batchesOf } from "../../../paging.ts";
import type { LookUpPlaces } from "../../look-up-places.ts";
import { isClosed } from "../../recovery.ts";
import { closeByEvidence, recordNotFound, settle } from "../settle.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence } from "./evidence.ts";

/**
 * The most look-ups of one run at once. They share their places with settlement, which has at least four (`settle.ts`).
 * A host that hangs leaves it one.
 */
const AT_ONCE = 3;

/** Works on batches of digests, several at a time, each in one place. Begins no batch after it is stopped. */
export async function inLanes(
  places: LookUpPlaces,
  batches: readonly (readonly string[])[],
  work: (batch: readonly string[]) => Promise<void>,
  isStopped: () => boolean,
): Promise<void> {
  const waiting = [...batches];
  const lane = async () => {
    while (!isStopped() && waiting.length > 0)
      await places.inPlace(async () => {
        const batch = isStopped() ? undefined : waiting.shift();
        if (batch === undefined) return;
        try {
          await work(batch);
        } catch (error) {
          waiting.length = 0;
          throw error;
        }
      });
  };
  // No lane may continue after an error has ended the call.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** The answer of one host about digests. */
export interface HostLookUp {
  /** The digests whose effects the host shows, and the fund has booked. */
  readonly shown: ReadonlySet<string>;
  /**
   * The host's epoch for each digest that the host does not show. Includes digests that it never answers about, and
   * digests whose effects do not fit the signed bytes.
   */
  readonly missed: ReadonlyMap<string, bigint>;
  /** False if a call has failed. */
  readonly isAnswered: boolean;
}

/** A look-up that continues. */
interface LookingUp {
  readonly detail: LookUpDetail;
  /** All hosts but the one that is asked. */
  readonly besides: readonly string[];
  readonly isStopped: () => boolean;
  readonly believed: bigint;
  readonly shown: Set<string>;
  readonly missed: Map<string, bigint>;
  isAnswered: boolean;
}

/** Looks digests up at one host, several batches at once, and settles those that it shows. */
export class HostLookUps {
  readonly #core: SuiFundCore;
  readonly #places: LookUpPlaces;

  constructor(core: SuiFundCore, places: LookUpPlaces) {
    this.#core = core;
    this.#places = places;
  }

  /**
   * Looks digests up. A digest that spoils its batch is looked up alone.
   *
   * @param besides all hosts but one.
   * @param isStopped ends the look-up. The remaining digests are neither shown nor missed.
   */
  async lookUp(
    digests: readonly string[],
    detail: LookUpDetail,
    besides: readonly string[],
    isStopped: () => boolean = () => false,
  ): Promise<HostLookUp> {
    const believed = believedEpoch(this.#core);
    const looking: LookingUp = {
      ...{ detail, besides, isStopped, believed },
      ...{ shown: new Set(), missed: new Map(), isAnswered: true },
    };
    const alone = await this.#lookUpBatches([...batchesOf(digests, NODE_BATCH_LIMIT)], looking);
    await this.#lookUpBatches(
      alone.map((digest) => [digest]),
      looking,
    );
    return looking;
  }

  /** Returns the digests that have spoiled their batches. */
  async #lookUpBatches(batches: readonly (readonly string[])[], looking: LookingUp): Promise<readonly string[]> {
    const alone: string[] = [];
    await inLanes(
      this.#places,
      batches,
      async (batch) => void alone.push(...(await this.#lookUpBatch(batch, looking))),
      () => !looking.isAnswered || looking.isStopped(),
    );
    return alone;
  }

  async #lookUpBatch(batch: readonly string[], looking: LookingUp): Promise<readonly string[]> {
    const { detail, besides, believed, shown, missed } = looking;
    const looked = await this.#core.node.lookUp(batch, detail, besides);
    if (!looked.ok) {
      looking.isAnswered = false;
      return [];
    }
    const { value: findings, epoch } = looked.value;
    const alone: string[] = [];
    for (const [index, digest] of batch.entries()) {
      const found = findings[index];
      if (found?.kind === "executed") {
        if (this.#settle(found.execution)) shown.add(digest);
        else missed.set(digest, epoch);
      } else if (found?.kind === "missing") {
        missed.set(digest, epoch);
        const miss = withValue(looked.value, () => null);
        this.#closeByMiss(digest, miss, believed);
      } else if (batch.length === 1) missed.set(digest, epoch);
      else alone.push(digest);
    }
    return alone;
  }

  /** Closes a sponsorship from the address balance as dead, if this host still has the whole of its life. */
  #closeByMiss(digest: string, miss: SuiSeen<null>, believed: bigint): void {
    const core = this.#core;
    const { store } = core;
    if (store.sponsorship(digest)?.gasObjectId !== null) return;
    core.commit(() => {
      if (isClosed(core.record)) return;
      recordNotFound(store, digest, miss, core.nowMs(), "by_caller");
      closeByEvidence(store, digest, deathEvidence(believed, null, miss), core.nowMs());
    });
  }

  #settle(execution: SuiExecution): boolean {
    const core = this.#core;
    const isBooked = core.commit(() => settle(core.store, execution, core.nowMs()));
    if (!isBooked) core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest: execution.digest });
    return isBooked;
  }
}
