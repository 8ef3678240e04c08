import type { DryRun } from "../../../chain/sui/node.ts";
import { signTransaction } from "../../../chain/sui/transaction.ts";
import { Deadline } from "../../../deadline.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { IdempotencyClaim } from "../../../idempotency.ts";
import type { UpstreamTally } from "../../../observe/upstream-calls.ts";
import { boundsRefusal, type CallBounds } from "../call-bounds.ts";
import { findByIdempotencyKey, findUnexpiredByIdempotencyKey } from "../reserve.ts";
import { cancelForCaller } from "../sponsorships.ts";
import type { SuiSponsorship } from "../store.ts";
import type { SuiFundCore } from "./chain.ts";
import { failedDryRun, type Replay, type SuiReservation } from "./reserve.ts";
import type { Call, SponsorInput } from "./sponsor-input.ts";

/** A request for gas within bounds of the call's own. */
export interface BoundedSponsorInput extends SponsorInput {
  readonly bounds: CallBounds;
}

/** The result of a dry run that succeeds. */
export type Simulation = Pick<DryRun, "gasUsed" | "balanceChanges">;

/** A reserved sponsorship that its sender may sign. */
export interface Prepared {
  readonly txBytes: Uint8Array;
  readonly digest: string;
  readonly expiresAtMs: number;
}

/** A reserved sponsorship with its dry run. */
export interface Simulated extends Prepared {
  /** Null if it was not requested, or if the transaction was already executed. */
  readonly simulation: Simulation | null;
}

/** A sponsorship with the fund's signature. */
export interface Sponsored extends Prepared {
  /** The fund's signature, Base64 of `flag ‖ signature ‖ public key`. */
  readonly signature: string;
}

/** Sponsors transactions. Reserves gas, and signs only bytes that are on disk. */
export class SuiSponsoring {
  readonly #core: SuiFundCore;
  readonly #reservation: SuiReservation;

  constructor(core: SuiFundCore, reservation: SuiReservation) {
    this.#core = core;
    this.#reservation = reservation;
  }

  /**
   * Reserves gas, signs, and hands the signature out. Refusals: see `FundObject.sponsor`.
   *
   * @param tally of the call's requests of nodes. If absent, `countInto` around the call has it.
   */
  async sponsor(input: SponsorInput, tally?: UpstreamTally): Promise<Outcome<Sponsored>> {
    const call = callOf(input, tally);
    const reserved = await this.#reservation.reserveOnce(call, "at_once", findUnexpiredByIdempotencyKey);
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    await this.#core.durable();
    const signature = await signTransaction(await this.#core.signer(), transactionBytes);
    return done({ txBytes: transactionBytes, digest, expiresAtMs, signature });
  }

  /** Reserves gas and signs nothing. Refusals: see `FundObject.sponsor`. */
  async prepare(input: SponsorInput & Pick<Call, "screen">): Promise<Outcome<Simulated>> {
    const deadline = new Deadline(input.leftMs);
    let heard: DryRun | null = null;
    const call = {
      ...input,
      deadline,
      heard: (dryRun: DryRun) => {
        heard = dryRun;
      },
    };
    const reserved = await this.#reservation.reserveOnce(call, "after_sender", findUnexpiredByIdempotencyKey);
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    const prepared = { txBytes: transactionBytes, digest, expiresAtMs };
    if (input.simulate !== true) return done({ ...prepared, simulation: null });
    const simulated = await this.#simulation(heard, reserved.value, deadline);
    return simulated.ok ? done({ ...prepared, simulation: simulated.value }) : simulated;
  }

  /**
   * Prepares, if the transaction keeps to the call's own bounds. A repeat gets the sponsorship of the first call, even
   * if the policies have changed since. Refusals: see `FundObject.prepareBounded`.
   */
  async prepareBounded({ bounds, ...input }: BoundedSponsorInput): Promise<Outcome<Simulated>> {
    return this.prepare({ ...input, screen: () => boundsRefusal(input, bounds, this.#core.record) });
  }

  /** Makes a dry run for a repeat, which made none. Its caller thus gets as much as from the first call. */
  async #simulation(
    heard: DryRun | null,
    { digest, state, transactionBytes }: SuiSponsorship,
    deadline: Deadline,
  ): Promise<Outcome<Simulation | null>> {
    if (heard === null && state !== "prepared") return done(null);
    const dryRun = heard === null ? await this.#core.node.within(deadline).dryRun(transactionBytes) : done(heard);
    // The first call may execute it at the same time. Its objects are then spent, and a dry run proves nothing.
    if (heard === null && this.#core.store.stateOf(digest) !== "prepared") return done(null);
    if (!dryRun.ok) return dryRun;
    const { success, gasUsed, balanceChanges } = dryRun.value;
    return success ? done({ gasUsed, balanceChanges }) : failedDryRun(dryRun.value);
  }

  /**
   * Prepares for a call that continues with `execute`. A repeat gets the first call's sponsorship, even past its time,
   * because only its execution shows the outcome. Refusals: see `FundObject.sponsor`.
   */
  async prepareExecution(input: SponsorInput): Promise<Outcome<Prepared>> {
    return this.#prepare(input, findByIdempotencyKey);
  }

  /** Frees the sponsorship of a call that was refused before `execute` signed. */
  abandon(digest: string, idempotency: IdempotencyClaim | null): void {
    const core = this.#core;
    core.commit(() => cancelForCaller(core.store, digest, idempotency, core.nowMs()));
  }

  async #prepare(input: SponsorInput, replayed: Replay): Promise<Outcome<Prepared>> {
    const reserved = await this.#reservation.reserveOnce(callOf(input), "after_sender", replayed);
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    return done({ txBytes: transactionBytes, digest, expiresAtMs });
  }
}

function callOf(input: SponsorInput, tally?: UpstreamTally): Call {
  return { ...input, deadline: new Deadline(input.leftMs, tally), heard: () => {} };
}
