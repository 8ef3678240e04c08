import { done, type Outcome } from "../../errors.ts";
import { closeByEvidence, recordMiss } from "../../fund/aptos-fund.ts";
import { closeOwnByEvidence, openReferences, takeBalance } from "../../fund/aptos-own-transactions.ts";
import { batchesOf } from "../../paging.ts";
import { RETRY_MS, SETTLE_LIMIT } from "../fund-upkeep.ts";
import type { AptosFundCore } from "./core.ts";

/** Questions to the node at once. */
const ASKED_AT_ONCE = 6;

/** What a comparison of the books with the chain has come to. */
export interface Compared {
  readonly bookedOctas: bigint;
  readonly onChainOctas: bigint;
}

interface Open {
  readonly kind: "settle" | "own";
  readonly sender: string;
  readonly sequenceNumber: bigint;
}

/** Finds out what became of what is out, and what others have paid in. */
export class AptosSettlement {
  readonly #core: AptosFundCore;

  constructor(core: AptosFundCore) {
    this.#core = core;
  }

  /** Every sponsorship that is due by now. */
  async settleDue(): Promise<void> {
    const { due } = this.#core;
    const nowMs = this.#core.nowMs();
    const ids = due.take("settle", nowMs, SETTLE_LIMIT).map(({ reference }) => reference);
    // No node answers: what was not asked about would only wake the alarm again and again.
    if ((await this.settle(ids)) === null) due.postpone("settle", nowMs, this.#core.nowMs() + RETRY_MS);
  }

  /**
   * Asks the chain for what it shows at the sequence number of each row, sponsorships and withdrawals.
   *
   * @returns by reference, the ledger version at which the sequence number was still unused; null where no node
   * answered.
   */
  async settle(references: readonly string[]): Promise<ReadonlyMap<string, bigint> | null> {
    const absentAt = new Map<string, bigint>();
    for (const batch of batchesOf(references, ASKED_AT_ONCE)) {
      const answered = await Promise.all(batch.map((reference) => this.#settleOne(reference, absentAt)));
      if (!answered.some((answer) => answer)) return null;
    }
    return absentAt;
  }

  /** False where no node answered. */
  async #settleOne(reference: string, absentAt: Map<string, bigint>): Promise<boolean> {
    const core = this.#core;
    const { address, store } = core;
    const open = this.#open(reference);
    if (address === null || open === null) {
      for (const kind of ["settle", "own"] as const) core.due.set(kind, reference, null);
      return true;
    }
    const { kind, sender, sequenceNumber } = open;
    const shown = await core.node.executedAt(sender, sequenceNumber);
    if (!shown.ok) {
      // Somebody else may have closed it meanwhile: then nothing is due any more.
      if (this.#open(reference) !== null) core.due.set(kind, reference, core.nowMs() + RETRY_MS);
      return false;
    }
    if (!core.takeLedger(shown.value.ledger).ok) return true;
    if (shown.value.execution === null) absentAt.set(reference, shown.value.ledger.version);
    core.commit(() => {
      if (kind === "own") closeOwnByEvidence(store, reference, shown.value, address, core.nowMs());
      else if (closeByEvidence(store, reference, shown.value, address, core.nowMs()) === "signed")
        recordMiss(store, reference, core.nowMs());
    });
    return true;
  }

  /** Where the chain has to be asked for a row; null: nothing is open about it. */
  #open(reference: string): Open | null {
    const { address, store } = this.#core;
    const row = store.sponsorship(reference);
    if (row !== null) return row.state === "signed" ? { ...row, kind: "settle" } : null;
    const own = store.ownTransaction(reference);
    return own === null || own.state !== "pending" || address === null
      ? null
      : { kind: "own", sender: address, sequenceNumber: own.sequenceNumber };
  }

  /**
   * Reads the fund's balance and books what differs from the books, once everything is known that may have changed it by
   * then.
   *
   * @returns the balance and what the books have by its version; `node_unavailable`, `fund_paused` for another chain.
   */
  async compare(address: string): Promise<Outcome<Compared>> {
    const core = this.#core;
    const { store } = core;
    const reading = await core.node.balance(address);
    if (!reading.ok) return reading;
    const { octas, ledger } = reading.value;
    const taken = core.takeLedger(ledger);
    if (!taken.ok) return taken;
    const open = openReferences(store);
    const booked = () => store.totals().balanceAtoms - store.bookedAfter(ledger.version);
    // Nobody has to be asked about what is out while the balance is what the books say without it.
    const isOld = ledger.version < store.comparedVersion();
    if (octas === booked() || isOld) return done({ bookedOctas: booked(), onChainOctas: octas });
    const absentAt = (await this.settle(open.slice(0, SETTLE_LIMIT))) ?? new Map<string, bigint>();
    const { version } = ledger;
    const differenceOctas = core.commit(() => takeBalance(store, { octas, version, open }, absentAt, core.nowMs()));
    if (differenceOctas !== null && differenceOctas !== 0n)
      core.deps.log(differenceOctas > 0n ? "fund.deposit" : "fund.books_disagree", {
        fund: core.record.fundId,
        amountAtoms: differenceOctas.toString(),
      });
    return done({ bookedOctas: booked(), onChainOctas: octas });
  }
}
