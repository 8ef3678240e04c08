import { Deadline } from "../../../deadline.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { Shortage } from "../../shortage.ts";
import { type AptosRequestBase, precheck } from "../checks.ts";
import { findSameRequest } from "../reserve.ts";
import { recordHandedOut, releaseIfDead } from "../sponsorships.ts";
import type { AptosFundCore } from "./chain.ts";
import {
  type AptosReservation,
  type AptosScreenInput,
  type AptosSponsorInput,
  compiledPolicy,
  repeatOf,
  signAsFeePayer,
} from "./reserve.ts";

/** The fund's signature, and its address as the fee payer. */
export interface AptosSponsored {
  readonly feePayerAddress: string;
  /** The fund's account authenticator, BCS. */
  readonly authenticator: Uint8Array;
}

/** Sponsors transactions. It reserves gas first, and signs only rows that are on disk. */
export class AptosSponsoring {
  readonly #core: AptosFundCore;
  readonly #reservation: AptosReservation;
  readonly #shortage: Shortage;

  constructor(core: AptosFundCore, reservation: AptosReservation, shortage: Shortage) {
    this.#core = core;
    this.#reservation = reservation;
    this.#shortage = shortage;
  }

  /**
   * Checks everything that does not need the sender's account. Writes nothing. Refusals: see `FundObject.aptosScreen`.
   */
  screen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    return this.#shortage.retry(() => this.#screenNow(input));
  }

  async #screenNow(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    const core = this.#core;
    const decoded = this.#reservation.decode(input);
    if (!decoded.ok) return decoded;
    const { address, rawTransaction } = decoded.value;
    const repeat = repeatOf(input, null, null);
    // A repeat without authenticators and key only reads.
    const known = findSameRequest(core.store, repeat, { address, nowMs: core.nowMs() });
    if (known !== null) return known.ok ? done({ feePayerAddress: address }) : known;
    const archived = await this.#reservation.findArchived(repeat, rawTransaction, address);
    if (archived !== null) return archived.ok ? done({ feePayerAddress: address }) : archived;
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const terms = { ...input, rawTransaction, keyPolicy: compiledPolicy(input) };
    const screened = precheck(core.store, terms, core.context(address, facts.value));
    return screened.ok ? done({ feePayerAddress: address }) : screened;
  }

  /** Reserves gas, signs as fee payer, and hands the signature out. Refusals: see `FundObject.aptosSponsor`. */
  async sponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>> {
    const deadline = new Deadline(input.leftMs);
    const repeat = repeatOf(input, null, input.idempotency);
    const reserved = await this.#reservation.reserveOnce(input, repeat, deadline);
    if (!reserved.ok) return reserved;
    const { address } = this.#core;
    if (address === null) throw new Error("the fund has a sponsorship but no address");
    const refused = reserved.value.authenticators === null ? null : this.#handOut(repeat, reserved.value.id, address);
    if (refused !== null) return refused;
    await this.#core.durable();
    return done({ feePayerAddress: address, authenticator: await signAsFeePayer(this.#core, reserved.value, address) });
  }

  /**
   * Records that the signature of a row that we submit is handed out, too. A refused row may have given way to another
   * one since its reservation. Nothing is withheld for it then.
   *
   * @returns the refusal of a row that has ended. A dead one releases its Idempotency-Key. Null if the signature may
   * leave.
   */
  #handOut(repeat: AptosRequestBase, id: string, address: string): Outcome<never> | null {
    const core = this.#core;
    const { store } = core;
    return core.commit(() => {
      const nowMs = core.nowMs();
      const row = findSameRequest(store, repeat, { address, nowMs });
      if (row?.ok === false) {
        releaseIfDead(store, repeat.idempotency, id, nowMs);
        return row;
      }
      if (row !== null) recordHandedOut(store, row.value.id);
      return null;
    });
  }
}
