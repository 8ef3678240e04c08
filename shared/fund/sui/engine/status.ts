/* Sui only: The interface of Aptos has no method for a status. */

import { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import { UNRESOLVABLE } from "../../views.ts";
import { decodeSponsorship } from "../archived.ts";
import { coversLife, isPastEpoch } from "../payment.ts";
import { recordNotFound, showsExpiry } from "../settle.ts";
import { expirePrepared } from "../sponsorships.ts";
import type { ExecutionAnswers } from "./answer.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence } from "./evidence.ts";
import { lookUpBatch } from "./look-up-batch.ts";
import type { Finding, SuiLookUps } from "./look-ups.ts";
import type { UnknownDigests } from "./unknown-digests.ts";

/**
 * The status that a caller may rely on. `COMPLETE` comes from the chain. `INVALID`: the transaction can never execute.
 */
export type SponsorshipStatus = "IN_FLIGHT" | "COMPLETE" | "INVALID";

/** The parts that a status needs. */
export interface StatusParts {
  readonly answers: ExecutionAnswers;
  readonly lookUps: SuiLookUps;
  readonly unknown: UnknownDigests;
}

/** Reads the status of a digest for callers. */
export class SuiStatus {
  readonly #core: SuiFundCore;
  readonly #rows: ArchiveReader;
  readonly #answers: ExecutionAnswers;
  /** Reads only the charge, and none of the sender's own data in the transaction. */
  readonly #lookUpCharge: (digest: string) => Promise<Outcome<Finding>>;

  readonly #unknown: UnknownDigests;

  constructor(core: SuiFundCore, rows: ArchiveReader, { answers, lookUps, unknown }: StatusParts) {
    this.#core = core;
    this.#rows = rows;
    this.#answers = answers;
    this.#unknown = unknown;
    this.#lookUpCharge = lookUpBatch((digests) => lookUps.settling(digests));
  }

  /**
   * Reads the status of a digest. For a live row this is one look-up, which concurrent calls share.
   *
   * @param leftMs the rest of the call's time. Absent for all of it.
   * @returns `node_unavailable` if the hour is over and no node shows the end yet, or if none could look up a digest
   * that no row knows. `storage` if an archive does not answer.
   */
  async read(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>> {
    const core = this.#core;
    const row = core.store.sponsorship(digest);
    if (row === null) return this.#archived(digest, leftMs);
    if (row.state === "dead") return done("INVALID");
    if (row.state === "complete") return done("COMPLETE");
    if (row.state === "prepared") {
      core.commit(() => expirePrepared(core.store, digest, core.nowMs()));
      return done(core.store.sponsorship(digest)?.state === "prepared" ? "IN_FLIGHT" : "INVALID");
    }
    const believed = believedEpoch(core);
    const looked = await new Deadline(leftMs).within(this.#lookUpCharge(digest));
    // A sponsorship that was given up stays in flight until its coin has moved.
    const pending = row.state !== UNRESOLVABLE && core.nowMs() < row.expiresAtMs;
    if (!looked.ok) return pending ? done("IN_FLIGHT") : looked;
    const finding = looked.value;
    if (finding.value !== null)
      return this.#answers.book(finding.value, "charge") !== null
        ? done("COMPLETE")
        : refuse(
            "node_unavailable",
            "the node's answer does not fit the sponsored bytes: look up the digest at another node",
          );
    core.commit(() => recordNotFound(core.store, digest, finding, core.nowMs(), "by_caller"));
    const now = core.store.sponsorship(digest);
    switch (now?.state) {
      case UNRESOLVABLE:
        return isPastEpoch(now.expirationEpoch, deathEvidence(believed, null, finding)) && coversLife(now, finding)
          ? done("INVALID")
          : refuse(
              "node_unavailable",
              "no node shows the end of the sponsorship any more: look the digest up at a node with the full history",
            );
      case "complete":
        return done("COMPLETE");
      case "signed":
        return pending
          ? done("IN_FLIGHT")
          : refuse("node_unavailable", "the node has not reached the expiry time yet: repeat later");
      case "expired":
        if (pending) return done("IN_FLIGHT");
        // A revocation makes the row expired by our clock. Only an endpoint that has seen that moment can prove it.
        return showsExpiry(now, finding)
          ? done("INVALID")
          : refuse("node_unavailable", "the node has not reached the expiry time yet: repeat later");
      default:
        return done("INVALID");
    }
  }

  /** Reads the status of a digest that only an archive may know, or that a restored state has forgotten. */
  async #archived(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>> {
    const archived = await this.#rows.sponsorship(digest);
    if (!archived.ok) return archived;
    if (archived.value !== null)
      return done(decodeSponsorship(archived.value.record).state === "complete" ? "COMPLETE" : "INVALID");
    const paid = await new Deadline(leftMs).within(this.#unknown.isPaidByFund(digest));
    return paid.ok ? done(paid.value ? "COMPLETE" : "INVALID") : paid;
  }
}
