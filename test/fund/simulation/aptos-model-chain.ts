import { blake2b } from "@noble/hashes/blake2.js";
import type { AptosExecution, AptosSequenceReading } from "../../../shared/chain/aptos/node.ts";
import type { AptosLedgerState } from "../../../shared/chain/aptos/seen.ts";
import { sequenceSeen } from "../../support/seen.ts";

export const CHAIN_ID = 4;
const GAS_UNITS = 20n;
/** Freed by a user who deletes what he once paid for: more than the transaction costs. */
const LARGE_REFUND_OCTAS = 3_000_000n;

/** What becomes of a transaction that a block takes. `all_gas`: it uses all that it may. `refund`: it frees more than it costs. */
export const aptosFates = ["success", "abort", "all_gas", "refund"] as const;
export type AptosFate = (typeof aptosFates)[number];

/** A transaction with all its signatures. */
export interface AptosModelTransaction {
  /** Of the raw transaction. */
  readonly bytes: Uint8Array;
  readonly sender: string;
  readonly sequenceNumber: bigint;
  /** Null: its sequence number protects it. */
  readonly nonce: bigint | null;
  readonly maxGasUnits: bigint;
  readonly gasUnitPriceOctas: bigint;
  readonly expirationSecs: bigint;
  readonly secondarySigners: readonly string[];
  /** Null: the sender pays. */
  readonly feePayer: string | null;
  /** Which of the many signatures that a sender can make over the same bytes. */
  readonly signature: number;
  /** What it takes out of its sender's balance, beside gas. */
  readonly paidOutOctas: bigint;
}

export function hashOf({ bytes, feePayer, signature }: AptosModelTransaction): string {
  const signed = new TextEncoder().encode(`${Buffer.from(bytes).toString("hex")} ${feePayer} ${signature}`);
  return `0x${Buffer.from(blake2b(signed, { dkLen: 32 })).toString("hex")}`;
}

/** Where one transaction can be committed: at a sender's number, or with a nonce until an expiration. */
export interface Place {
  readonly sender: string;
  readonly sequenceNumber: bigint;
  readonly nonce: bigint | null;
  readonly expiresAtMs: number;
}

export function placeOf({ sender, sequenceNumber, nonce, expiresAtMs }: Place): string {
  return nonce === null ? `${sender} ${sequenceNumber}` : `${sender} #${nonce} ${expiresAtMs}`;
}

/** The place of a transaction. */
export function placed({ sender, sequenceNumber, nonce, expirationSecs }: AptosModelTransaction): Place {
  return { sender, sequenceNumber, nonce, expiresAtMs: Number(expirationSecs) * 1_000 };
}

/** The place of a transaction of the fund's own. */
export function ownPlace(fund: string, sequenceNumber: bigint): Place {
  return { sender: fund, sequenceNumber, nonce: null, expiresAtMs: 0 };
}

/** A nonce is not used again for so long after its transaction's expiration. */
const NONCE_OVERLAP_SECONDS = 100n;

interface Committed {
  readonly execution: AptosExecution;
  /** By how much it changed the fund's balance. */
  readonly fundOctas: bigint;
}

/** The chain as one endpoint shows it. */
export interface AptosChainView {
  readonly ledger: AptosLedgerState;
  readonly fundOctas: bigint;
  sequenceNumber(sender: string): bigint;
  transactionAt(place: Place): AptosSequenceReading;
}

/**
 * One fund's balance, its users' sequence numbers, and the transactions that change them: just enough chain to judge a
 * fund's bookkeeping. Each change is a ledger version of its own, so that an endpoint can lag by any number of them.
 */
export class AptosModelChain {
  /** By place. */
  readonly executed = new Map<string, Committed>();
  readonly #fund: string;
  /** When each version was committed; index is the version. */
  readonly #times: number[];
  readonly #balances: bigint[] = [0n];
  /** What no endpoint shows any more, or nobody can read, by place. */
  readonly #hidden = new Set<string>();
  readonly #deposits: { readonly version: number; readonly octas: bigint }[] = [];
  readonly #next = new Map<string, bigint>();
  /** By sender and nonce: the expiration of the latest transaction, seconds. */
  readonly #nonces = new Map<string, bigint>();
  #parked: { readonly transaction: AptosModelTransaction; readonly fate: AptosFate }[] = [];
  nowMs: number;

  constructor(fund: string, startMs: number) {
    this.#fund = fund;
    this.nowMs = startMs;
    this.#times = [startMs];
  }

  get #balanceOctas(): bigint {
    return this.#balances[this.#balances.length - 1] ?? 0n;
  }

  #append(changeOctas: bigint): bigint {
    this.nowMs += 1;
    this.#balances.push(this.#balanceOctas + changeOctas);
    this.#times.push(this.nowMs);
    return BigInt(this.#times.length - 1);
  }

  /** Time passes, and nothing changes. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  deposit(octas: bigint): void {
    this.#deposits.push({ version: Number(this.#append(octas)), octas });
  }

  /** What had been deposited up to a version. */
  depositedOctas(version: bigint): bigint {
    return this.#deposits.reduce((sum, row) => (row.version <= Number(version) ? sum + row.octas : sum), 0n);
  }

  nextSequence(sender: string): bigint {
    return this.#next.get(sender) ?? 0n;
  }

  at(place: Place): Committed | undefined {
    return this.executed.get(placeOf(place));
  }

  /** From here on nobody shows what was committed there. */
  hide(place: Place): boolean {
    const isCommitted = this.at(place) !== undefined;
    if (isCommitted) this.#hidden.add(placeOf(place));
    return isCommitted;
  }

  /** An endpoint so many versions behind. Its time is the latest that it can claim without lying. */
  view(lag: number): AptosChainView {
    const version = Math.max(this.#times.length - 1 - lag, 0);
    const nextMs = this.#times[version + 1];
    const ledger = {
      endpoint: "model",
      chain: CHAIN_ID,
      version: BigInt(version),
      lowestAvailable: 0n,
      timestampMs: nextMs === undefined ? this.nowMs : nextMs - 1,
    };
    const shown = (place: Place) => {
      const execution = this.at(place)?.execution;
      return execution !== undefined && execution.version <= ledger.version ? execution : null;
    };
    return {
      ledger,
      fundOctas: this.#balances[version] ?? 0n,
      sequenceNumber: (sender) => {
        let next = 0n;
        while (shown({ sender, sequenceNumber: next, nonce: null, expiresAtMs: 0 }) !== null) next += 1n;
        return next;
      },
      transactionAt: (place) => {
        const execution = shown(place);
        if (execution === null) return sequenceSeen({ kind: "unused" }, ledger);
        // An endpoint that cannot show an orderless one says nothing of it before its expiration.
        const isOver = place.nonce === null || ledger.timestampMs >= place.expiresAtMs;
        const isHidden = isOver && this.#hidden.has(placeOf(place));
        return sequenceSeen(isHidden ? { kind: "used", support: "agreed" } : { kind: "shown", execution }, ledger);
      },
    };
  }

  /** Whether a block can still take it, now or later. */
  canEverAccept({ sender, sequenceNumber, nonce, expirationSecs }: AptosModelTransaction): boolean {
    if (this.nowMs + 1 >= Number(expirationSecs) * 1_000) return false;
    if (nonce === null) return sequenceNumber >= this.nextSequence(sender);
    const before = this.#nonces.get(`${sender} ${nonce}`);
    return before === undefined || expirationSecs > before + NONCE_OVERLAP_SECONDS;
  }

  /** A node takes it, and a block where its turn has come: before its turn it waits in the mempool. */
  submit(transaction: AptosModelTransaction, fate: AptosFate): void {
    if (!this.canEverAccept(transaction)) return;
    this.#parked.push({ transaction, fate });
    this.#drain();
  }

  #drain(): void {
    for (let more = true; more; ) {
      this.#parked = this.#parked.filter(({ transaction }) => this.canEverAccept(transaction));
      const ready = this.#parked.find(({ transaction }) => this.#isReady(transaction));
      more = ready !== undefined;
      if (ready !== undefined) this.#commit(ready.transaction, ready.fate);
    }
  }

  #isReady(transaction: AptosModelTransaction): boolean {
    const { sender, feePayer, sequenceNumber, nonce, maxGasUnits, gasUnitPriceOctas } = transaction;
    const payable = (feePayer ?? sender) !== this.#fund || this.#balanceOctas >= maxGasUnits * gasUnitPriceOctas;
    return payable && (nonce !== null || sequenceNumber === this.nextSequence(sender));
  }

  #commit(transaction: AptosModelTransaction, fate: AptosFate): void {
    const { sender, sequenceNumber, nonce, maxGasUnits, gasUnitPriceOctas, feePayer, paidOutOctas } = transaction;
    const gasUsedUnits = fate === "all_gas" ? maxGasUnits : GAS_UNITS;
    const storageRefundOctas = fate === "refund" ? LARGE_REFUND_OCTAS : 0n;
    const gasOctas = gasUsedUnits * gasUnitPriceOctas - storageRefundOctas;
    const success = fate !== "abort" && (paidOutOctas === 0n || this.#balanceOctas - gasOctas >= paidOutOctas);
    const paysGas = (feePayer ?? sender) === this.#fund;
    const fundOctas = -(paysGas ? gasOctas : 0n) - (success ? paidOutOctas : 0n);
    const version = this.#append(fundOctas);
    const { expirationSecs, secondarySigners } = transaction;
    if (nonce === null) this.#next.set(sender, sequenceNumber + 1n);
    else this.#nonces.set(`${sender} ${nonce}`, expirationSecs);
    const execution: AptosExecution = {
      hash: hashOf(transaction),
      version,
      success,
      vmStatus: success ? "Executed successfully" : "Move abort",
      sender,
      sequenceNumber,
      nonce,
      maxGasUnits,
      gasUnitPriceOctas,
      expirationSecs,
      feePayer,
      secondarySigners,
      gasUsedUnits,
      storageRefundOctas,
      timestampMs: this.nowMs,
    };
    this.executed.set(placeOf(placed(transaction)), { execution, fundOctas });
  }
}
