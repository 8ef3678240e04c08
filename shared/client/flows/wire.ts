/**
 * The requests and answers of the six workflows, as their callers see them. When the server is compiled, the workflows'
 * own inputs and answers are compared with these types.
 */

/** A chain of the workflows. */
export type FlowChain = "sui" | "aptos";

/** Fields of every request that names a chain. */
export interface ChainRequest {
  readonly chain: FlowChain;
}

/** A user's embedded wallet. */
export interface WalletAnswer {
  readonly chain: FlowChain;
  readonly walletId: string;
  readonly address: string;
}

/** A u64 as a decimal string, or a safe integer. */
export type U64 = string | number;

/** An Aptos entry function call in the form of nodes. */
export interface AptosJsonPayload {
  readonly type?: "entry_function_payload" | undefined;
  readonly function: string;
  readonly type_arguments?: string[] | undefined;
  readonly arguments?: unknown[] | undefined;
  readonly max_gas_amount?: U64 | undefined;
}

/** The request of `sponsor` on Sui. */
export interface SuiSponsorRequest {
  readonly chain?: "sui" | undefined;
  /** Base64 of the BCS of a `TransactionKind`. */
  readonly transactionKind: string;
  readonly sender: string;
  /** MIST. If absent, the service measures it. */
  readonly gasBudget?: U64 | undefined;
}

/** The request of `sponsor` on Aptos. It has either `payload` or `payloadBytes`. */
export interface AptosSponsorRequest {
  readonly chain: "aptos";
  readonly sender: string;
  readonly payload?: AptosJsonPayload | undefined;
  /** Hex of the BCS of a `TransactionPayload`. */
  readonly payloadBytes?: string | undefined;
  /** Gas units, for `payloadBytes`. */
  readonly maxGasAmount?: U64 | undefined;
}

/** The answer of `sponsor` on Sui. */
export interface SuiSponsored {
  /** Base64. */
  readonly txBytes: string;
  readonly txDigest: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** Absent in the answer of an older service. */
  readonly network?: string;
  /** The sealed signature of a service that does not execute. `execute-sponsored` needs it back. */
  readonly sponsorship?: string;
}

/** The answer of `sponsor` on Aptos. */
export interface AptosSponsored {
  /** Hex. The user signs it with the fee payer `0x0`. */
  readonly rawTransaction: string;
  readonly expiresAtMs: number;
  /** Absent in the answer of an older service. */
  readonly network?: string;
  /** Never present. An answer with it is refused. */
  readonly feePayerAddress?: unknown;
}

/** The request of `execute-sponsored` on Sui. */
export interface SuiExecuteRequest {
  readonly chain?: "sui" | undefined;
  readonly txBytes: string;
  readonly signature: string;
  readonly sponsorship?: string | undefined;
}

/** The request of `execute-sponsored` on Aptos. */
export interface AptosExecuteRequest {
  readonly chain: "aptos";
  readonly rawTransaction: string;
  /** Hex of the BCS of an `AccountAuthenticator`. */
  readonly senderAuthenticator: string;
}

/** The request of `sponsor-and-execute`, which the user's embedded wallet signs. */
export type EmbeddedRequest =
  | { readonly chain: "sui"; readonly transactionKind: string }
  | { readonly chain: "aptos"; readonly payload: AptosJsonPayload };

/** The request of `sign-transaction`. */
export type SignRequest =
  | { readonly chain: "sui"; readonly transaction: string }
  | {
      readonly chain: "aptos";
      readonly transaction: string;
      readonly secondaryAddresses?: string[] | undefined;
      readonly feePayerAddress?: string | undefined;
    };

/** An executed transaction on Sui. `failure`: it aborted on chain, and has been executed. */
export interface SuiExecuted {
  readonly digest: string;
  readonly status: "success" | "failure";
  /** The form is that of Sui's JSON-RPC. */
  readonly effects: unknown;
}

/** A transaction that an Aptos node has. The chain executes it within a second or two. */
export interface AptosExecuted {
  readonly hash: string;
  readonly status: "pending";
  readonly pendingTransaction: unknown;
}

/** The answer of `sign-transaction`: base64 on Sui, hex on Aptos. */
export interface SignAnswer {
  readonly signature: string;
}
