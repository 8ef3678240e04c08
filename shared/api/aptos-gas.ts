import * as z from "zod";
import { u64Output } from "../amounts.ts";
import { pendingTransaction } from "../chain/aptos/pending-transaction.ts";
import { aptosNetworkSchema } from "../networks.ts";
import {
  aptosFundExample,
  encodeAndSponsorExample,
  sponsorAndSubmitExample,
  sponsorTransactionExample,
} from "./aptos-gas-examples.ts";
import { submission } from "./aptos-submission.ts";
import {
  accountAuthenticatorBytes,
  aptosAddress,
  ed25519AuthenticatorBytes,
  rawTransactionBytes,
  secondaryAddresses,
  secondarySigners,
  signingMessageBytes,
} from "./aptos-values.ts";
import { type ApiContract, contract } from "./contract.ts";

/** Errors of each method that makes a fund pay for a transaction. */
const aptosSponsorErrors = [
  "non_canonical_bytes",
  "unsupported_transaction",
  "wrong_chain_id",
  "expired",
  "expiration_too_far",
  "sender_is_fund",
  "duplicate_signer",
  "gas_price_out_of_range",
  "gas_budget_out_of_range",
  "sequence_conflict",
  "account_not_found",
  "policy_refused",
  "fund_paused",
  "balance_too_low",
  "node_unavailable",
  "storage_budget",
  "idempotency_conflict",
] as const;

/** Errors of each method that also submits the transaction. */
export const aptosExecuteErrors = [...aptosSponsorErrors, "bad_signature", "node_refused", "outcome_unknown"] as const;

/** A submitted transaction that waits in a node's mempool. */
export const submitted = z.object({
  pendingTransaction: pendingTransaction.describe("The transaction as the node shows it. Look up its `hash`."),
});

const rawTransaction = rawTransactionBytes.describe("BCS of the raw transaction: hex, or an array of numbers.");

/** The contract of `gas_sponsorTransaction`. */
export const aptosSponsorTransaction = contract({
  name: "gas_sponsorTransaction",
  stores: "promise",
  summary: "Sign a transaction as its fee payer.",
  description:
    "The fund signs over its own address as the fee payer, and over all signers' addresses. The caller adds the other signatures and submits the transaction to a node. The fund sponsors one transaction for each sender and sequence number at a time. The same bytes get the same signature again. Another transaction is refused (`sequence_conflict`) until the first can no longer be executed. Orderless transactions are refused, unless the policies of the key and its fund allow them. Such a transaction expires at most 60 seconds ahead, and its nonce stands in the place of the sequence number. The sponsorship expires with the transaction, at most one hour ahead.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    rawTransaction,
    secondaryAddresses: secondaryAddresses
      .optional()
      .describe("The signers of a multi-agent transaction beside the sender, in their order."),
  }),
  result: z.object({
    feePayer: z.object({
      address: aptosAddress.describe("The fund's address, which pays the gas."),
      signature: ed25519AuthenticatorBytes.describe("BCS of the fund's account authenticator."),
    }),
  }),
  errors: aptosSponsorErrors,
  example: sponsorTransactionExample,
});

/** The contract of `gas_encodeAndSponsorTransaction`. */
export const aptosEncodeAndSponsor = contract({
  name: "gas_encodeAndSponsorTransaction",
  stores: "promise",
  summary: "Encode a transaction that is given as JSON, and sign it as its fee payer.",
  description:
    "Works as `gas_sponsorTransaction`, for callers that do not write BCS. The service encodes the transaction as a node does, by the node's description of the function. The sender signs `transactionSigningMessage`. The caller then submits the same JSON with all signatures, as `fee_payer_signature`, to a node. Only calls of entry functions are encoded, and no orderless transaction.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({ transaction: submission.describe("The unsigned transaction, as nodes take it in JSON.") }),
  result: z.object({
    transactionSigningMessage: signingMessageBytes.describe(
      "The bytes that the sender and each secondary signer sign.",
    ),
    feePayerAddress: aptosAddress.describe("The fund's address, which pays the gas."),
    feePayerSignature: z
      .object({
        type: z.literal("ed25519_signature"),
        public_key: z.string().describe("Hex."),
        signature: z.string().describe("Hex."),
      })
      .describe("The fund's signature, as nodes take it in JSON: the `fee_payer_signer`."),
  }),
  errors: aptosSponsorErrors,
  example: encodeAndSponsorExample,
});

/** The contract of `gas_sponsorAndSubmitSignedTransaction`. */
export const aptosSponsorAndSubmit = contract({
  name: "gas_sponsorAndSubmitSignedTransaction",
  stores: "promise",
  summary: "Sign a transaction as its fee payer, and submit it.",
  description:
    "The sender and the secondary signers sign over the fund's address as the fee payer, or over `0x0`. The service verifies Ed25519 signatures before the fund signs. It leaves other schemes to the node. Safe to repeat: the same bytes are submitted under the same hash.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    rawTransaction,
    senderAuthenticator: accountAuthenticatorBytes.describe(
      "BCS of the sender's account authenticator: hex, or an array of numbers.",
    ),
    secondarySigners: secondarySigners
      .optional()
      .describe("The signers of a multi-agent transaction beside the sender, in their order, with their signatures."),
  }),
  result: submitted,
  errors: aptosExecuteErrors,
  example: sponsorAndSubmitExample,
});

/** The contract of `gas_getFund` on Aptos. */
export const aptosGetFund = contract({
  name: "gas_getFund",
  stores: "little",
  summary: "Read the fund that this access key sponsors from.",
  description: "Amounts are exact JSON integers of octas.",
  rights: ["gas"],
  idempotent: false,
  params: z.object({}),
  result: z.object({
    network: aptosNetworkSchema.describe("The network that the fund is tied to."),
    name: z.string(),
    balance: u64Output.describe("Octas."),
    inFlight: u64Output.describe("Octas withheld for active sponsorships."),
    depositAddress: z.string().nullable().describe("Aptos address; null while none has been created."),
    orderless: z
      .boolean()
      .optional()
      .describe("True if the fund pays for orderless transactions of this key. Absent if it does not."),
  }),
  errors: [],
  example: aptosFundExample,
});

/** The contracts of the gas interface of Aptos. */
export const aptosGas: ApiContract = {
  name: "aptos-gas",
  title: "Gas Station API (Aptos)",
  chain: "aptos",
  path: "/aptos/gas/v1",
  methods: [aptosSponsorTransaction, aptosEncodeAndSponsor, aptosSponsorAndSubmit, aptosGetFund],
};
