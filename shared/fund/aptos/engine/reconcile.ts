import { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { isClosed, isRecovering, type Recovery } from "../../recovery.ts";
import { pausedRefusal } from "../../refusals.ts";
import type { DepositSource } from "../../shortage.ts";
import { SETTLE_LIMIT } from "../../upkeep.ts";
import { RECOVERING } from "../../views.ts";
import {
  adoptBalance,
  type BalanceReading,
  differenceAt,
  givenUpBy,
  type SequenceEvidence,
  unknownRows,
  unsettledIds,
} from "../adopt.ts";
import { adoptCorrection, missingOctas } from "../recover.ts";
import { usedUpBy } from "../used-sequences.ts";
import type { AptosFundCore } from "./chain.ts";
import type { Evidence } from "./evidence.ts";
import type { AptosSettlement } from "./settle.ts";

/** The time for which a forced close looks other open rows up. Its caller waits for it. */
const LOOK_UPS_MS = 12_000;

/** The two balances of a comparison of the books with the chain. */
export interface Compared {
  readonly bookedOctas: bigint;
  readonly onChainOctas: bigint;
}

/** Compares a fund's books with the chain, and finds the deposits of others. */
export class AptosReconciliation implements DepositSource {
  readonly #core: AptosFundCore;
  readonly #settlement: AptosSettlement;
  readonly #evidence: Evidence;
  #foundOctas = 0n;

  constructor(core: AptosFundCore, settlement: AptosSettlement) {
    this.#core = core;
    this.#settlement = settlement;
    this.#evidence = settlement.evidence;
  }

  /** Returns the sum of all deposits that this instance found, octas. */
  foundAtoms(): bigint {
    return this.#foundOctas;
  }

  look(address: string): Promise<Outcome<Compared>> {
    return this.compare(address);
  }

  /**
   * Reads the fund's balance, and books the difference once every change up to that version is known. The reading waits
   * if more rows are open than one call can read. Evidence about each row is kept in the meantime.
   *
   * @returns the balance and the booked one at its version. `node_unavailable`, or `fund_paused` for another chain.
   */
  async compare(address: string): Promise<Outcome<Compared>> {
    const core = this.#core;
    const { store } = core;
    const asked = await core.node.balance(address);
    if (!asked.ok) return core.pausedOr(asked);
    const balance = asked.value;
    const taken = core.takeLedger(balance);
    if (!taken.ok) return taken;
    const { value: octas, version } = balance;
    const booked = () => store.totals().balanceAtoms - store.balanceChangeAfter(version);
    const open = unsettledIds(store);
    this.#keep(open);
    const isGivenUp = this.#evidence.known().usedAt.size > 0;
    // If the balance matches the books without open rows, they need no look-up.
    const isMatch = octas === booked() && !isGivenUp;
    // A state that may be older than the chain explains no difference. The recovery books the difference.
    if (isMatch || version < store.reconciledVersion() || isClosed(core.record)) {
      this.#noteCompared(octas === booked() ? version : -1n);
      return done({ bookedOctas: booked(), onChainOctas: octas });
    }
    const reading = this.#evidence.waitingOr({ balance, open });
    const unknown = unknownRows(store, reading, this.#evidence.known());
    await this.#settlement.settle(unknown.slice(0, SETTLE_LIMIT));
    await this.#judge(reading, address);
    return done({ bookedOctas: booked(), onChainOctas: octas });
  }

  /**
   * Stores the version of an equal balance if ended rows wait for it. Older readings then no longer count. So rows that
   * they would have to count may leave for the archive.
   */
  #noteCompared(version: bigint): void {
    const { store } = this.#core;
    if (version > store.reconciledVersion() && store.archiveProgress.hasLater())
      this.#core.commitIfTaken(() => store.setReconciledVersion(version));
  }

  /** Forgets the evidence about rows that are no longer open. */
  #keep(open: readonly string[]): void {
    const { store } = this.#core;
    this.#evidence.keep(open);
    const isOpen = new Set(open);
    const over = [...store.usedSequences().keys()].filter((reference) => !isOpen.has(reference));
    if (over.length === 0) return;
    this.#core.commit(() => {
      for (const reference of over) store.putUsedSequence(reference, null);
    });
  }

  /**
   * Takes the fund's balance into the books of a recovery, once the end of every open row is known.
   *
   * @param sinceMs the chain's time before which a reply may lack a forgotten transaction.
   * @param book runs in the same commit. Receives the current recovery, the correction, and whether every row is
   * closed.
   * @returns false if a node must be called again.
   */
  async adopt(
    address: string,
    sinceMs: number,
    book: (recovery: Recovery, correctionOctas: bigint, isSettled: boolean) => void,
  ): Promise<boolean> {
    const core = this.#core;
    const { store } = core;
    const reading = await this.#read(address);
    if (!reading.ok || reading.value.balance.timestampMs < sinceMs) return false;
    const other = await this.#read(address, reading.value.balance.endpoint);
    const unknown = unknownRows(store, reading.value, this.#evidence.known());
    await this.#settlement.settle(unknown.slice(0, SETTLE_LIMIT));
    return core.commit(() => {
      const { recovery } = core.record;
      if (recovery === null || !isRecovering(core.record)) return false;
      const evidence = this.#evidence.known();
      const differenceOctas = differenceAt(store, reading.value, evidence);
      // One endpoint may lie. If no other one answers, its reply still counts.
      const isAnswer = other.ok && other.value.balance.timestampMs >= sinceMs;
      if (isAnswer && differenceAt(store, other.value, evidence) !== differenceOctas) return false;
      const correctionOctas = adoptCorrection(store, reading.value, evidence, core.nowMs());
      if (correctionOctas === null) return false;
      book(recovery, correctionOctas, unsettledIds(store).length === 0);
      return true;
    });
  }

  /**
   * Closes an open row by an operator's order, as unresolvable. Its sequence number is used, and no block includes it
   * any more. So a balance from after its end includes its cost. Books the difference as a correction. Closes other
   * open rows in the same situation with it, because nothing shows the cost of each.
   *
   * @param fromMs the chain's time after which the balance counts.
   * @returns `node_unavailable` if the nodes disagree, or do not show how other open rows have ended. `fund_paused` if
   * more is missing than the closed rows can have cost.
   */
  async forceClose(address: string, reference: string, fromMs: number): Promise<Outcome<null>> {
    const core = this.#core;
    const { store } = core;
    const reading = await this.#read(address);
    if (!reading.ok) return reading;
    const { timestampMs, endpoint } = reading.value.balance;
    if (timestampMs < fromMs)
      return refuse("node_unavailable", "the node's ledger is older than the end of the transaction: repeat later");
    const other = core.endpointCount > 1 ? await this.#read(address, endpoint) : null;
    const isAnswer = other?.ok === true && other.value.balance.timestampMs >= fromMs;
    const readings = isAnswer ? [reading.value, other.value] : [reading.value];
    const earliestMs = Math.min(...readings.map(({ balance }) => balance.timestampMs));
    const evidenceAt = ({ balance: { version } }: BalanceReading): SequenceEvidence => {
      const { unusedAt, usedAt } = this.#evidence.known();
      const over = [...usedUpBy(store, earliestMs), reference].map((one): [string, bigint] => [one, version]);
      return { unusedAt, usedAt: new Map([...usedAt, ...over]) };
    };
    const unknown = new Set(readings.flatMap((one) => unknownRows(store, one, evidenceAt(one))));
    const deadline = new Deadline(LOOK_UPS_MS);
    for (const batch of batchesOf([...unknown], SETTLE_LIMIT)) {
      const isAnswered = await this.#settlement.settle(batch);
      if (!isAnswered || deadline.leftMs() === 0) break;
    }
    return core.commitOrRefuse(() => {
      if (isClosed(core.record)) return pausedRefusal(RECOVERING);
      if (!unsettledIds(store).includes(reference)) return done(null);
      const [differenceOctas = null, ...others] = readings.map((one) => differenceAt(store, one, evidenceAt(one)));
      if (differenceOctas === null)
        return refuse("node_unavailable", "no node shows yet how other open transactions have ended: repeat later");
      if (others.some((one) => one !== differenceOctas))
        return refuse("node_unavailable", "the nodes disagree about the balance: repeat later");
      const evidence = evidenceAt(reading.value);
      if (missingOctas(store, reading.value, evidence) !== 0n)
        return refuse(
          "fund_paused",
          "more has left the balance than the transactions without an end can have cost: run recover",
        );
      adoptCorrection(store, reading.value, evidence, core.nowMs());
      return done(null);
    });
  }

  /** Reads the balance and then the open rows. */
  async #read(address: string, besides?: string): Promise<Outcome<BalanceReading>> {
    const core = this.#core;
    const asked = await core.node.balance(address, besides);
    if (!asked.ok) return asked;
    const taken = core.takeLedger(asked.value);
    return taken.ok ? done({ balance: asked.value, open: unsettledIds(core.store) }) : taken;
  }

  /**
   * Books a reading. Pauses the fund if transactions that no row knows have taken money from it. One endpoint may lie
   * about that. If several hosts are configured, two of them must agree.
   */
  async #judge(reading: BalanceReading, address: string): Promise<void> {
    const core = this.#core;
    const missing = missingOctas(core.store, reading, this.#evidence.known()) ?? 0n;
    if (missing === 0n) return this.#take(reading);
    const { value: octas, version, endpoint } = reading.balance;
    if (core.endpointCount > 1) {
      const other = await this.#read(address, endpoint);
      const isAgreed = other.ok && (missingOctas(core.store, other.value, this.#evidence.known()) ?? 0n) > 0n;
      if (!isAgreed) {
        this.#evidence.wait(null);
        core.deps.log("fund.balance_doubted", { fund: core.record.fundId, host: endpoint, octas: octas.toString() });
        return other.ok ? this.#take(other.value) : undefined;
      }
    }
    core.pauseBehindChain(
      `the balance at version ${version} is ${octas} octas, and ${missing} octas have left it by transactions that no row of the fund knows`,
    );
  }

  /** Books a reading. Does nothing if a recovery has begun, because that books differences itself. */
  #take(reading: BalanceReading): void {
    const core = this.#core;
    const { store, deps, record } = core;
    if (isClosed(record)) return;
    const evidence = this.#evidence.known();
    const givenUp = givenUpBy(store, reading, evidence);
    const differenceOctas = core.commit(() => adoptBalance(store, reading, evidence, core.nowMs()));
    const mayStillCount = differenceOctas === null && reading.balance.version >= store.reconciledVersion();
    this.#evidence.wait(mayStillCount ? reading : null);
    if (differenceOctas === null) return;
    if (differenceOctas > 0n) this.#foundOctas += differenceOctas;
    for (const reference of givenUp) deps.log("fund.unresolvable", { fund: record.fundId, reference });
    if (differenceOctas !== 0n)
      deps.log(differenceOctas > 0n && givenUp.length === 0 ? "fund.deposit" : "fund.books_disagree", {
        fund: record.fundId,
        amountAtoms: differenceOctas.toString(),
      });
  }
}
