import type { Outcome } from "../../errors.ts";
import type { CallTime } from "../failover.ts";
import type { FunctionAbi } from "./entry-call.ts";
import type { PendingTransaction } from "./pending-transaction.ts";
import type { AptosSeen } from "./seen.ts";

/** An account as an endpoint shows it. */
export interface AptosAccount {
  /** The sequence number of the next transaction. */
  readonly sequenceNumber: bigint;
  /**
   * The key whose signatures the chain accepts: `0x` and 64 hex digits. An address without an account is its own key.
   */
  readonly authenticationKey: string;
}

/** A committed transaction, executed or aborted. Gas is charged in both cases. Addresses are in full length. */
export interface AptosExecution {
  readonly hash: string;
  readonly version: bigint;
  readonly success: boolean;
  readonly vmStatus: string;
  readonly sender: string;
  /** Has no meaning in an orderless transaction. */
  readonly sequenceNumber: bigint;
  /** The nonce of an orderless transaction. Null for any other. */
  readonly nonce: bigint | null;
  readonly maxGasUnits: bigint;
  readonly gasUnitPriceOctas: bigint;
  readonly expirationSecs: bigint;
  /** Null if the sender paid. */
  readonly feePayer: string | null;
  /** The order is that of their signatures. */
  readonly secondarySigners: readonly string[];
  readonly gasUsedUnits: bigint;
  /** The chain's refund to the payer for storage, beside the payment of `gasUsedUnits × gasUnitPriceOctas`. */
  readonly storageRefundOctas: bigint;
  readonly timestampMs: number;
}

/** The answer of one endpoint about a transaction hash. */
export type AptosFound =
  /** `transaction` has the form of its pending JSON. */
  | { readonly kind: "committed"; readonly execution: AptosExecution; readonly transaction: PendingTransaction }
  | { readonly kind: "pending"; readonly transaction: PendingTransaction }
  /** This endpoint does not know the hash. */
  | { readonly kind: "missing" };

/** The use that one reply shows of a sequence number, or of a nonce until its transaction expires. */
export type SequenceUse =
  | { readonly kind: "shown"; readonly execution: AptosExecution }
  /** No transaction of the sender has used it. */
  | { readonly kind: "unused" }
  /**
   * The account is past it, and no endpoint shows the transaction: it is pruned or unreadable. If several replies
   * agree, the one with the latest ledger counts. A nonce is over once its transaction has expired.
   */
  | { readonly kind: "used"; readonly support: UsedSupport };

/** An orderless transaction, in the form in which a node is queried for it. */
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
 * The agreement of one call's replies that a sequence number is used. `agreed`: two endpoints show it, or the only
 * configured one. `alone`: one of several shows it. `disputed`: one shows it, and another one's later ledger shows the
 * number unused.
 */
export type UsedSupport = "agreed" | "alone" | "disputed";

/** The end that a transaction would have on the present state. */
export type AptosSimulation =
  /** If `success` is false, it would abort, and still cost gas. */
  | { readonly kind: "executed"; readonly success: boolean; readonly vmStatus: string; readonly gasUsedUnits: bigint }
  /** No block would include it, because of an old sequence number or a past expiration. It costs nothing. */
  | { readonly kind: "discarded"; readonly vmStatus: string };

/** The outcome of one submission, over all called endpoints. */
export type AptosSubmitOutcome =
  /**
   * A mempool has accepted it, or already had it. This does not prove that the chain commits this hash. If the mempool
   * holds the same raw transaction under another signature, the first stays. The node still answers as if it had
   * accepted the other.
   */
  | { readonly kind: "accepted"; readonly transaction: PendingTransaction }
  /**
   * No mempool has accepted it in this call. `status` is the node's `error_code`. It proves nothing about earlier calls
   * with the same bytes. A node also answers `SEQUENCE_NUMBER_TOO_OLD` (3) once the transaction is committed.
   */
  | {
      readonly kind: "refused";
      readonly status: string;
      readonly text: string;
      readonly vmErrorCode: number | null;
    }
  /** No answer came, or one that decides nothing. Only a look-up of the hash can decide. */
  | { readonly kind: "unknown"; readonly text: string };

/**
 * An Aptos full node, over all configured endpoints.
 *
 * Every method has a time-out, and checks replies against these shapes. An endpoint of another chain is never believed.
 * Devnet's chain id changes with every reset, so there `accepts` of the options decides. An endpoint that lags is
 * believed if no other is up to date, or about facts that never change. Addresses and hashes are `0x` and 64 lower-case
 * hex digits. Refusals are `node_unavailable`.
 */
export interface AptosNode {
  /** Returns the same node for one call. Every question ends with the call's time, over all endpoints. */
  within(call: CallTime): AptosNode;
  /** Reads the state of the ledger alone (`GET /`). */
  ledger(): Promise<Outcome<AptosSeen<null>>>;
  /** Reads the gas price for immediate inclusion by the node's estimate, octas per unit (`GET /estimate_gas_price`). */
  estimateGasPrice(): Promise<Outcome<bigint>>;
  /**
   * Reads `GET /accounts/:address`. An address without an account has sequence number 0 (AIP-115).
   *
   * @param besides a host to leave out.
   */
  account(address: string, besides?: string): Promise<Outcome<AptosSeen<AptosAccount>>>;
  /** Reads whether the resource `0x1::account::Account` exists. */
  accountExists(address: string): Promise<Outcome<boolean>>;
  /**
   * Reads the APT in the primary fungible store, which can pay for gas, at the reply's version. In octas.
   *
   * @param besides a host to leave out.
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
   * Tries the hash first. An absent hash proves nothing, because the sender can sign again. Then the summaries of the
   * sender's transactions decide, from a version before the fund's signature on.
   */
  transactionByNonce(query: OrderlessQuery): Promise<Outcome<AptosSequenceReading>>;
  /**
   * Submits signed bytes (`POST /transactions`), at most once for each endpoint. Resending the same bytes is safe: they
   * have one hash, and the chain executes one transaction per sequence number.
   *
   * @param signedTransaction BCS.
   * @param hash its transaction hash.
   */
  submit(signedTransaction: Uint8Array, hash: string): Promise<AptosSubmitOutcome>;
  /**
   * Simulates a transaction that a fee payer pays for (`POST /transactions/simulate`). It has no signatures, and the
   * zero address as the fee payer. A simulation does not check that address' balance.
   */
  simulate(rawTransaction: Uint8Array): Promise<Outcome<AptosSimulation>>;
  /**
   * Reads one exposed function of a module (`GET /accounts/:address/module/:name`). Null if no such module or function
   * exists.
   */
  functionAbi(address: string, module: string, name: string): Promise<Outcome<FunctionAbi | null>>;
}
