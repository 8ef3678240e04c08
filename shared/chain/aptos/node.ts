import type { Outcome } from "../../errors.ts";
import type { CallTime } from "../failover.ts";
import type { FunctionAbi } from "./entry-call.ts";
import type { PendingTransaction } from "./pending-transaction.ts";

/** Where an endpoint's ledger was when it answered: the `X-Aptos-*` headers, which come with a 404 too. */
export interface LedgerState {
  readonly chainId: number;
  readonly version: bigint;
  /** The oldest version whose transactions this endpoint still has. What it does not show may be older than that. */
  readonly oldestVersion: bigint;
  /** The chain's time, of the last block. A later block has a later one, by which transactions expire. */
  readonly timeMs: number;
}

export interface AptosAccount {
  /** Of the next transaction. */
  readonly sequenceNumber: bigint;
  /** Whose signatures the chain takes: `0x` and 64 hex digits. An address that has no account yet is its own. */
  readonly authenticationKey: string;
  readonly ledger: LedgerState;
}

export interface AptosBalance {
  readonly octas: bigint;
  readonly ledger: LedgerState;
}

/** A committed transaction, executed or aborted: gas is charged either way. Addresses are in full length. */
export interface AptosExecution {
  readonly hash: string;
  readonly version: bigint;
  readonly success: boolean;
  readonly vmStatus: string;
  readonly sender: string;
  readonly sequenceNumber: bigint;
  readonly maxGasUnits: bigint;
  readonly gasUnitPriceOctas: bigint;
  readonly expirationSecs: bigint;
  /** Null: the sender paid. */
  readonly feePayer: string | null;
  /** In the order of their signatures. */
  readonly secondarySigners: readonly string[];
  readonly gasUsedUnits: bigint;
  /** What the payer was given back for storage, beside `gasUsedUnits × gasUnitPriceOctas` that it paid. */
  readonly storageRefundOctas: bigint;
  readonly timestampMs: number;
}

export type AptosFound =
  /** `transaction` is what its pending JSON was. */
  | { readonly kind: "committed"; readonly execution: AptosExecution; readonly transaction: PendingTransaction }
  | { readonly kind: "pending"; readonly transaction: PendingTransaction }
  /** This endpoint knows nothing of the hash. */
  | { readonly kind: "missing" };

export interface AptosLookUp {
  readonly found: AptosFound;
  /** What it did not show had not happened by then, or is older than `oldestVersion`. */
  readonly ledger: LedgerState;
}

/** What one reply shows of a sequence number, by the state of its endpoint's ledger. */
export type AptosSequenceReading =
  | { readonly kind: "shown"; readonly execution: AptosExecution; readonly ledger: LedgerState }
  /** No transaction of the sender has used it. */
  | { readonly kind: "unused"; readonly ledger: LedgerState }
  /** The account is past it, and no endpoint shows the transaction: it is pruned, or nobody can read it. */
  | { readonly kind: "used"; readonly ledger: LedgerState; readonly support: UsedSupport };

/**
 * How far one call's replies agree that a sequence number is used. `agreed`: two endpoints say so, or the only one that
 * is configured. `alone`: one of several says so. `disputed`: one says so, and another one's later ledger has it unused.
 */
export type UsedSupport = "agreed" | "alone" | "disputed";

/** How a transaction would end on the state of now. */
export type AptosSimulation =
  /** `success` false: it would abort, and be paid for. */
  | { readonly kind: "executed"; readonly success: boolean; readonly vmStatus: string; readonly gasUsedUnits: bigint }
  /** No block would take it: an old sequence number, an expiration in the past. It costs nothing. */
  | { readonly kind: "discarded"; readonly vmStatus: string };

export type AptosSubmitOutcome =
  /**
   * A mempool has taken it, or had it already. That the chain commits this hash is not said: where the mempool holds the
   * same raw transaction under another signature, the first stays, and the other is answered as if it were taken.
   */
  | { readonly kind: "accepted"; readonly transaction: PendingTransaction }
  /**
   * No mempool has taken it in this call. `status` is the node's `error_code`. Of earlier calls with the same bytes this
   * says nothing: `SEQUENCE_NUMBER_TOO_OLD` (3) is also what a node answers once the transaction is committed.
   */
  | {
      readonly kind: "refused";
      readonly status: string;
      readonly text: string;
      readonly vmErrorCode: number | null;
    }
  /** No answer, or one that leaves it open. Only the hash can tell. */
  | { readonly kind: "unknown"; readonly text: string };

/**
 * An Aptos full node, over as many endpoints as are configured. Every method has a time-out; replies are checked against
 * these shapes before they are returned, and an endpoint of another chain is never believed. On devnet, whose chain id
 * changes with every reset, that is up to who is asked with `accepts`. An endpoint that lags is believed where no other is up to
 * date, or about what stays as it is. Addresses and hashes are `0x` and 64 lower-case hex digits. Refusals are
 * `node_unavailable`.
 */
export interface AptosNode {
  /** The same node for one call: whatever it is asked ends with the call's time, over all endpoints. */
  within(call: CallTime): AptosNode;
  /** `GET /`. */
  ledger(): Promise<Outcome<LedgerState>>;
  /** `GET /accounts/:address`. An address that has no account yet is one with sequence number 0 (AIP-115). */
  account(address: string): Promise<Outcome<AptosAccount>>;
  /** Whether the resource `0x1::account::Account` is there. */
  accountExists(address: string): Promise<Outcome<boolean>>;
  /** What can pay for gas: the APT in the primary fungible store, at the version of `ledger`. */
  balance(address: string): Promise<Outcome<AptosBalance>>;
  /** `GET /transactions/by_hash/:hash`. */
  lookUp(hash: string): Promise<Outcome<AptosLookUp>>;
  /** The committed transaction of a sender at a sequence number, or else what the sender's account says of the number. */
  transactionAtSequence(sender: string, sequenceNumber: bigint): Promise<Outcome<AptosSequenceReading>>;
  /**
   * `POST /transactions`, once per endpoint at most. `signedTransaction` is BCS, `hash` its transaction hash. Resending
   * the same bytes is safe: they have one hash, and the chain executes one transaction per sequence number.
   */
  submit(signedTransaction: Uint8Array, hash: string): Promise<AptosSubmitOutcome>;
  /**
   * `POST /transactions/simulate` of a transaction that somebody else pays for: without signatures, and with the zero
   * address as the fee payer, whose balance a simulation does not ask for.
   */
  simulate(rawTransaction: Uint8Array): Promise<Outcome<AptosSimulation>>;
  /** `GET /estimate_gas_price`, octas per unit: what the node expects to be included at once. */
  estimateGasPrice(): Promise<Outcome<bigint>>;
  /** `GET /accounts/:address/module/:name`, of which one exposed function; null: there is no such module or function. */
  functionAbi(address: string, module: string, name: string): Promise<Outcome<FunctionAbi | null>>;
}
