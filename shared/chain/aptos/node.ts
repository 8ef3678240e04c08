import type { Outcome } from "../../errors.ts";
import type { CallTime } from "../failover.ts";
import type { FunctionAbi } from "./entry-call.ts";
import type { PendingTransaction } from "./pending-transaction.ts";
import type { AptosSeen } from "./seen.ts";

/** An account as an endpoint shows it. */
export interface AptosAccount {
  /** The sequence number of the next transaction. */
  readonly sequenceNumber: bigint;
  /** The chain takes signatures of this key: `0x` and 64 hex digits. An address without an account is its own key. */
  readonly authenticationKey: string;
}

/** A committed transaction, executed or aborted: gas is charged either way. Addresses are in full length. */
export interface AptosExecution {
  readonly hash: string;
  readonly version: bigint;
  readonly success: boolean;
  readonly vmStatus: string;
  readonly sender: string;
  /** Means nothing in an orderless transaction. */
  readonly sequenceNumber: bigint;
  /** The nonce of an orderless transaction. Null for any other. */
  readonly nonce: bigint | null;
  readonly maxGasUnits: bigint;
  readonly gasUnitPriceOctas: bigint;
  readonly expirationSecs: bigint;
  /** Null if the sender paid. */
  readonly feePayer: string | null;
  /** They stand in the order of their signatures. */
  readonly secondarySigners: readonly string[];
  readonly gasUsedUnits: bigint;
  /** The chain gave the payer this back for storage, beside `gasUsedUnits × gasUnitPriceOctas` that it paid. */
  readonly storageRefundOctas: bigint;
  readonly timestampMs: number;
}

/** The answer of one endpoint about a transaction hash. */
export type AptosFound =
  /** `transaction` has the form of its pending JSON. */
  | { readonly kind: "committed"; readonly execution: AptosExecution; readonly transaction: PendingTransaction }
  | { readonly kind: "pending"; readonly transaction: PendingTransaction }
  /** This endpoint knows nothing of the hash. */
  | { readonly kind: "missing" };

/** The use of a sequence number, or of a nonce until its transaction expires, by one reply. */
export type SequenceUse =
  | { readonly kind: "shown"; readonly execution: AptosExecution }
  /** No transaction of the sender has used it. */
  | { readonly kind: "unused" }
  /**
   * The account is past it, and no endpoint shows the transaction: it is pruned or unreadable. Of several replies that
   * agree, the one of the latest ledger counts. A nonce is over once its transaction has expired.
   */
  | { readonly kind: "used"; readonly support: UsedSupport };

/** An orderless transaction, as a node is asked about it. */
export interface OrderlessQuery {
  readonly sender: string;
  readonly nonce: bigint;
  readonly expiresAtMs: number;
  /** Its hash under one signature of the sender's. Null if no signature is known. */
  readonly hash: string | null;
  /** A ledger version before the fund signed it. */
  readonly sinceVersion: bigint;
}

/** One reply about a sequence number, or about the nonce of an orderless transaction. */
export type AptosSequenceReading = AptosSeen<SequenceUse>;

/**
 * The agreement of one call's replies that a sequence number is used. `agreed`: two endpoints say so, or the only one
 * that is configured. `alone`: one of several says so. `disputed`: one says so, and another one's later ledger has it
 * unused.
 */
export type UsedSupport = "agreed" | "alone" | "disputed";

/** The end that a transaction would have on the present state. */
export type AptosSimulation =
  /** `success` false: it would abort, and be paid for. */
  | { readonly kind: "executed"; readonly success: boolean; readonly vmStatus: string; readonly gasUsedUnits: bigint }
  /** No block would take it: an old sequence number, an expiration in the past. It costs nothing. */
  | { readonly kind: "discarded"; readonly vmStatus: string };

/** The outcome of one submission, over all endpoints that were asked. */
export type AptosSubmitOutcome =
  /**
   * A mempool has taken it, or had it already. This does not prove that the chain commits this hash. If the mempool
   * holds the same raw transaction under another signature, the first stays. The node then answers the other as if it
   * were taken.
   */
  | { readonly kind: "accepted"; readonly transaction: PendingTransaction }
  /**
   * No mempool has taken it in this call. `status` is the node's `error_code`. This says nothing of earlier calls with
   * the same bytes: a node also answers `SEQUENCE_NUMBER_TOO_OLD` (3) once the transaction is committed.
   */
  | {
      readonly kind: "refused";
      readonly status: string;
      readonly text: string;
      readonly vmErrorCode: number | null;
    }
  /** No answer, or one that leaves it open. Only a look-up of the hash can decide. */
  | { readonly kind: "unknown"; readonly text: string };

/**
 * An Aptos full node, over as many endpoints as are configured.
 *
 * Every method has a time-out, and checks replies against these shapes. An endpoint of another chain is never believed.
 * Devnet's chain id changes with every reset, so there `accepts` of the options decides. An endpoint that lags is
 * believed if no other is up to date, or about something that stays as it is. Addresses and hashes are `0x` and 64
 * lower-case hex digits. Refusals are `node_unavailable`.
 */
export interface AptosNode {
  /** The same node for one call: every question ends with the call's time, over all endpoints. */
  within(call: CallTime): AptosNode;
  /** Reads the state of the ledger (`GET /`), and nothing else. */
  ledger(): Promise<Outcome<AptosSeen<null>>>;
  /**
   * Reads the gas price, in octas per unit, at which the node expects inclusion at once (`GET /estimate_gas_price`).
   */
  estimateGasPrice(): Promise<Outcome<bigint>>;
  /**
   * Reads `GET /accounts/:address`. An address without an account is one with sequence number 0 (AIP-115).
   *
   * @param besides a host that was asked before: only others are asked.
   */
  account(address: string, besides?: string): Promise<Outcome<AptosSeen<AptosAccount>>>;
  /** Reads whether the resource `0x1::account::Account` is there. */
  accountExists(address: string): Promise<Outcome<boolean>>;
  /**
   * Reads the APT in the primary fungible store, which can pay for gas, at the reply's version. In octas.
   *
   * @param besides a host that was asked before: only others are asked.
   */
  balance(address: string, besides?: string): Promise<Outcome<AptosSeen<bigint>>>;
  /** Looks a transaction up (`GET /transactions/by_hash/:hash`). */
  lookUp(hash: string): Promise<Outcome<AptosSeen<AptosFound>>>;
  /**
   * Looks up the committed transaction of a sender at a sequence number. If none is shown, the sender's account decides
   * whether the number is used.
   */
  transactionAtSequence(sender: string, sequenceNumber: bigint): Promise<Outcome<AptosSequenceReading>>;
  /**
   * Looks up the committed transaction of a sender with a nonce and an expiration, under any signature of the sender's.
   * The hash finds it at once. A hash that is not there proves nothing, since the sender can sign again. Then the
   * summaries of the sender's transactions decide, from a version before the fund's signature on.
   */
  transactionByNonce(query: OrderlessQuery): Promise<Outcome<AptosSequenceReading>>;
  /**
   * Submits signed bytes (`POST /transactions`), once per endpoint at most. To resend the same bytes is safe: they have
   * one hash, and the chain executes one transaction per sequence number.
   *
   * @param signedTransaction BCS.
   * @param hash its transaction hash.
   */
  submit(signedTransaction: Uint8Array, hash: string): Promise<AptosSubmitOutcome>;
  /**
   * Simulates a transaction that somebody else pays for (`POST /transactions/simulate`): without signatures, and with
   * the zero address as the fee payer. A simulation does not check that address' balance.
   */
  simulate(rawTransaction: Uint8Array): Promise<Outcome<AptosSimulation>>;
  /**
   * Reads one exposed function of a module (`GET /accounts/:address/module/:name`). Null: there is no such module or
   * function.
   */
  functionAbi(address: string, module: string, name: string): Promise<Outcome<FunctionAbi | null>>;
}
