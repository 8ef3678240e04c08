import { GroupCommit } from "../../../durable/group-commit.ts";
import { done, type Outcome } from "../../../errors.ts";
import { LookUpPlaces } from "../../look-up-places.ts";
import { onGridMs } from "../../look-up-schedule.ts";
import { DUE_ROWS_LIMIT, RETRY_MS } from "../../upkeep.ts";
import type { KnownSenders } from "../known-senders.ts";
import { closeByEvidence, recordNotFound } from "../settle.ts";
import type { AptosSponsorship } from "../store.ts";
import { closeTreasuryByEvidence } from "../treasury-settle.ts";
import { recordUsedSequence } from "../used-sequences.ts";
import type { AptosFundCore } from "./chain.ts";
import { Evidence } from "./evidence.ts";

/** The rows that are looked up at the same time, one call each. If Cloudflare opens only six, six more wait. */
const ROWS_AT_ONCE = { least: 12, most: 256 };
/** Answers within this time share a commit. No caller waits for it. */
const GATHER_MS = 25;
/** The pause after a fault of ours that repeats. */
const FAILED_RETRY_MS = 300_000;
const DUE_KINDS = ["settle", "own"] as const;

interface Open
  extends Pick<AptosSponsorship, "createdAtMs" | "expiresAtMs" | "sender" | "sequenceNumber" | "nonce" | "hash"> {
  readonly kind: "settle" | "own";
  /** All signatures but the fund's, if the fund submits. Null for a transaction of its own. */
  readonly authenticators: AptosSponsorship["authenticators"];
  /** A ledger version before our signature of an orderless transaction. */
  readonly sinceVersion: bigint;
  /** The fund's address. */
  readonly address: string;
}

/** Stores an answer, alone or with others. */
type Commit = (transition: () => Outcome<null>) => Promise<Outcome<null>>;

/** Finds the outcomes of open rows. */
export class AptosSettlement {
  /** The evidence about the rows that were read and are still open. */
  readonly evidence: Evidence;
  readonly #core: AptosFundCore;
  readonly #senders: KnownSenders;
  readonly #places: LookUpPlaces;
  readonly #atOnce: Commit;
  readonly #together: Commit;

  constructor(core: AptosFundCore, senders: KnownSenders) {
    this.#core = core;
    this.#senders = senders;
    this.evidence = new Evidence(core.store);
    this.#places = new LookUpPlaces(ROWS_AT_ONCE, (error) =>
      core.deps.log("fund.settlement_failed", { fund: core.record.fundId, error: String(error) }),
    );
    const commit = <T>(transition: () => T): T => core.commit(transition);
    const commits = new GroupCommit(commit, () => core.nowMs(), GATHER_MS);
    this.#atOnce = async (transition) => commit(transition);
    this.#together = (transition) => commits.run(transition);
  }

  /** Settles every sponsorship that is due by now. */
  async settleDue(): Promise<void> {
    const { due } = this.#core;
    const nowMs = this.#core.nowMs();
    const ids = due.listDue("settle", nowMs, DUE_ROWS_LIMIT).map(({ reference }) => reference);
    // If no node answers, unread rows would only wake the alarm again and again.
    if (!(await this.settle(ids))) due.postpone("settle", nowMs, onGridMs(this.#core.nowMs() + RETRY_MS));
  }

  /**
   * Reads the chain at the sequence number of each sponsorship and withdrawal, several at the same time. Postpones an
   * undecidable or slow row, which then stops no other.
   *
   * @returns false if no node answers at all.
   */
  async settle(references: readonly string[]): Promise<boolean> {
    const [only, another] = references;
    // A caller may wait for this row, so it does not queue behind others.
    if (only !== undefined && another === undefined) return this.#settleAlone(only);
    let isNodeKnownToAnswer = false;
    let check: Promise<boolean> | null = null;
    const { isUseful, slow } = await this.#places.run(references, async (reference, answered) => {
      const commit: Commit = (transition) => {
        answered();
        return this.#together(transition);
      };
      isNodeKnownToAnswer = (await this.#settleOne(reference, commit)) || isNodeKnownToAnswer;
      if (isNodeKnownToAnswer) return true;
      check ??= this.#hasLedger();
      isNodeKnownToAnswer = await check;
      return isNodeKnownToAnswer;
    });
    for (const reference of slow) this.#retry(reference);
    return isUseful;
  }

  async #settleAlone(reference: string): Promise<boolean> {
    return (await this.#settleOne(reference, this.#atOnce)) || this.#hasLedger();
  }

  /** Checks whether a node answers at all. A few unreadable rows do not yet prove that it is down. */
  async #hasLedger(): Promise<boolean> {
    return (await this.#core.node.ledger()).ok;
  }

  /** Postpones an open row. If another call has closed it, nothing is due. */
  #retry(reference: string): void {
    const open = this.#open(reference);
    if (open !== null) this.#core.due.set(open.kind, reference, onGridMs(this.#core.nowMs() + RETRY_MS));
  }

  /** Settles one row. Returns true if a node answered. Never throws, so that the other rows continue. */
  async #settleOne(reference: string, commit: Commit): Promise<boolean> {
    const core = this.#core;
    const { due, deps, record } = core;
    try {
      const open = this.#open(reference);
      if (open !== null) return await this.#settleOpen(reference, open, commit);
      for (const kind of DUE_KINDS) due.drop(kind, reference);
    } catch (error) {
      deps.log("fund.settlement_failed", { fund: record.fundId, reference, error: String(error) });
      for (const kind of DUE_KINDS)
        if (due.dueAt(kind, reference) !== null) due.set(kind, reference, core.nowMs() + FAILED_RETRY_MS);
    }
    return true;
  }

  async #settleOpen(reference: string, open: Open, commit: Commit): Promise<boolean> {
    const { kind, sender, sequenceNumber, nonce, expiresAtMs, address } = open;
    const core = this.#core;
    const { store } = core;
    const asked =
      nonce === null
        ? await core.node.transactionAtSequence(sender, sequenceNumber)
        : await core.node.transactionByNonce({ ...open, nonce });
    const seen = asked.ok && core.takeLedger(asked.value).ok ? asked.value : null;
    if (seen === null) {
      this.#retry(reference);
      return asked.ok;
    }
    // Memory no longer has an ended row, and reading it again would cost as much as ending it.
    let isOpen = true;
    let isComplete = false;
    const committed = await commit(() => {
      const nowMs = core.nowMs();
      if (kind === "own") isOpen = closeTreasuryByEvidence(store, reference, seen, address, nowMs) === "pending";
      else {
        const state = closeByEvidence(store, reference, seen, address, nowMs);
        isOpen = state === "signed";
        isComplete = state === "complete";
      }
      if (!isOpen) store.putUsedSequence(reference, null);
      else {
        if (kind === "settle") recordNotFound(store, reference, nowMs);
        recordUsedSequence(store, reference, seen, expiresAtMs, nowMs);
      }
      return done(null);
    });
    if (!committed.ok) throw new Error(committed.error.details);
    this.evidence.note(reference, isOpen ? seen : null);
    if (isComplete && seen.value.kind === "shown") this.#senders.noteExecuted(open, seen.value.execution);
    return true;
  }

  /** Finds the sequence number or the nonce that decides a row. Null if the row is not open. */
  #open(reference: string): Open | null {
    const { address, store } = this.#core;
    if (address === null) return null;
    const row = store.sponsorship(reference);
    if (row !== null)
      return row.state === "signed" ? { ...row, kind: "settle", sinceVersion: row.sinceVersion ?? 0n, address } : null;
    const own = store.treasuryTransaction(reference);
    return own?.state === "pending"
      ? { ...own, kind: "own", sender: address, nonce: null, authenticators: null, sinceVersion: 0n, address }
      : null;
  }
}
