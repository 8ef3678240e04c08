import { withValue } from "../../../chain/seen.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { ArchiveReader } from "../../archive/reader.ts";
import { isClosed } from "../../recovery.ts";
import { pausedRefusal } from "../../refusals.ts";
import { type ForceClosed, RECOVERING } from "../../views.ts";
import { decodeSponsorship } from "../archived.ts";
import { closeByEvidence } from "../settle.ts";
import { closeTreasuryByEvidence } from "../treasury-settle.ts";
import { YOUNG_MS } from "../used-sequences.ts";
import type { AptosFundCore } from "./chain.ts";
import type { AptosReconciliation } from "./reconcile.ts";
import type { AptosSettlement } from "./settle.ts";

/** An open row. */
interface Open {
  /** The id of a sponsorship, or the hash of a withdrawal. */
  readonly reference: string;
  readonly sender: string;
  readonly sequenceNumber: bigint;
  readonly nonce: bigint | null;
  readonly expiresAtMs: number;
}

/** Ends single rows by an operator's order, after no block can include them any more. */
export class AptosForceClose {
  readonly #core: AptosFundCore;
  readonly #rows: ArchiveReader;
  readonly #settlement: AptosSettlement;
  readonly #reconciliation: AptosReconciliation;

  constructor(
    core: AptosFundCore,
    rows: ArchiveReader,
    settlement: AptosSettlement,
    reconciliation: AptosReconciliation,
  ) {
    this.#core = core;
    this.#rows = rows;
    this.#settlement = settlement;
    this.#reconciliation = reconciliation;
  }

  /** Implements `FundEngine.forceClose`. The digest is an id or a hash. */
  async forceClose(digest: string): Promise<Outcome<ForceClosed | null>> {
    const core = this.#core;
    const { address, record, store } = core;
    const reference = store.referenceOf(digest);
    const open = this.#open(reference);
    if (open === null || address === null) return this.#ended(digest, reference);
    if (isClosed(record)) return pausedRefusal(record.pausedCause ?? RECOVERING);
    await this.#settlement.settle([reference]);
    if (this.#open(reference) === null) return this.#ended(digest, reference);
    const fromMs = open.expiresAtMs + YOUNG_MS;
    const isOver = await this.#endUnused(open, fromMs, address);
    if (!isOver.ok) return isOver;
    if (!isOver.value) {
      const closed = await this.#reconciliation.forceClose(address, reference, fromMs);
      if (!closed.ok) return closed;
    }
    return this.#ended(digest, reference);
  }

  /**
   * Closes a row whose sequence number is unused after its expiration. Every endpoint that answers must agree.
   *
   * @returns false if the number is used. `bad_params` if the row may still execute, `node_unavailable`.
   */
  async #endUnused(open: Open, fromMs: number, address: string): Promise<Outcome<boolean>> {
    const core = this.#core;
    const { reference, sender, sequenceNumber, nonce } = open;
    const account = await core.node.account(sender);
    if (!account.ok) return account;
    const taken = core.takeLedger(account.value);
    if (!taken.ok) return taken;
    if (account.value.timestampMs < fromMs)
      return refuse(
        "bad_params",
        `it can be closed from ${new Date(fromMs).toISOString()} by the chain's clock: repeat the call after that`,
      );
    // If a node could show the nonce as unused, the earlier look-up would have closed the row.
    if (nonce !== null) return done(false);
    const isUsed = account.value.value.sequenceNumber > sequenceNumber;
    const other = core.endpointCount > 1 ? await core.node.account(sender, account.value.endpoint) : null;
    const counts = other?.ok === true && other.value.timestampMs >= fromMs;
    if (counts && other.value.value.sequenceNumber > sequenceNumber !== isUsed)
      return refuse("node_unavailable", "the nodes disagree about its sequence number: repeat later");
    if (isUsed) return done(false);
    const unused = withValue(account.value, () => ({ kind: "unused" }) as const);
    return core.commitOrRefuse(() => {
      if (isClosed(core.record)) return pausedRefusal(RECOVERING);
      const nowMs = core.nowMs();
      closeByEvidence(core.store, reference, unused, address, nowMs);
      closeTreasuryByEvidence(core.store, reference, unused, address, nowMs);
      core.store.putUsedSequence(reference, null);
      return done(true);
    });
  }

  #open(reference: string): Open | null {
    const { store, address } = this.#core;
    const row = store.sponsorship(reference);
    if (row !== null) return row.state === "signed" ? { ...row, reference } : null;
    const own = store.treasuryTransaction(reference);
    return own?.state === "pending" && address !== null ? { ...own, reference, sender: address, nonce: null } : null;
  }

  /** Answers with the state of a row. Archives have only ended rows. */
  async #ended(digest: string, reference: string): Promise<Outcome<ForceClosed | null>> {
    const { store } = this.#core;
    const state = store.sponsorship(reference)?.state ?? store.treasuryTransaction(reference)?.state ?? null;
    if (state !== null) return done({ digest, state });
    const archived = await this.#rows.sponsorship(reference);
    if (!archived.ok) return archived;
    return done(archived.value && { digest, state: decodeSponsorship(archived.value.record).state });
  }
}
