import * as z from "zod";
import { u64Input, u64Output } from "../amounts.ts";
import { suiTransactionResponse } from "../chain/sui/json-rpc/response-schema.ts";
import { suiNetworkSchema } from "../networks.ts";
import { type ApiContract, contract } from "./contract.ts";
import { executeExample, fundExample, prepareExample, sponsorExample, statusExample } from "./sui-gas-examples.ts";
import { base64Bytes, serializedSignatureSchema, suiAddress, transactionDigestSchema } from "./sui-values.ts";

const sponsorParams = z.object({
  transactionBytes: base64Bytes.describe(
    "BCS of the transaction kind: a programmable transaction without gas data. `Transaction.build({ onlyTransactionKind: true })` of @mysten/sui makes it.",
  ),
  sender: suiAddress.describe("Sui address of the sender."),
  gasBudget: u64Input
    .optional()
    .describe("MIST. The transaction fails if its gas costs more. If it is left out, a dry run sets it."),
  gasPrice: u64Input
    .optional()
    .describe(
      "MIST per gas unit, at least the current reference gas price. If it is left out, the reference gas price is used.",
    ),
});

const wrapped = {
  txBytes: base64Bytes.describe("BCS of the transaction data, gas data included. The sender signs these bytes."),
  txDigest: transactionDigestSchema.describe("Base58 transaction digest."),
};

const expireAtTime = z.int().min(0).describe("Unix seconds at which the assigned gas object expires.");

/** The reasons for which a method that reserves gas refuses. */
export const suiSponsorErrors = [
  "dry_run_failed",
  "gas_coin_used",
  "sender_is_fund",
  "foreign_withdrawal",
  "non_canonical_bytes",
  "unsupported_transaction",
  "gas_price_out_of_range",
  "gas_budget_out_of_range",
  "policy_refused",
  "fund_paused",
  "no_gas_object",
  "balance_too_low",
  "node_unavailable",
  "storage_budget",
  "idempotency_conflict",
] as const;

/** The contract of `gas_sponsorTransactionBlock`. */
export const suiSponsorTransactionBlock = contract({
  name: "gas_sponsorTransactionBlock",
  stores: "promise",
  summary: "Attach a gas object of the fund to a transaction kind, and sign as sponsor.",
  description:
    "The sender signs `txBytes`. The caller submits both signatures to a Sui node. The sponsorship expires one hour after its creation. A kind that uses the gas coin is refused.",
  rights: ["gas"],
  idempotent: true,
  params: sponsorParams,
  result: z.object({
    ...wrapped,
    signature: serializedSignatureSchema.describe("The sponsor's signature, made by the fund."),
    expireAtTime,
  }),
  errors: suiSponsorErrors,
  example: sponsorExample,
});

/** The contract of `gas_getSponsoredTransactionBlockStatus`. */
export const suiGetSponsoredTransactionBlockStatus = contract({
  name: "gas_getSponsoredTransactionBlockStatus",
  stores: "little",
  summary: "Read the status of a sponsorship of this key's fund.",
  description:
    "`IN_FLIGHT`: a gas object is assigned, expireAtTime has not passed and nothing was executed. `COMPLETE`: the gas object was spent; the transaction itself may have failed. `INVALID`: the fund has no such sponsorship, or it expired unspent. Without a gas object, it may then still execute until its last epoch is over.",
  rights: ["gas"],
  idempotent: false,
  params: z.object({ transactionDigest: transactionDigestSchema.describe("Base58 transaction digest.") }),
  result: z.enum(["IN_FLIGHT", "COMPLETE", "INVALID"]),
  errors: ["node_unavailable"],
  example: statusExample,
});

/** The contract of `gas_getFund` on Sui. */
export const suiGetFund = contract({
  name: "gas_getFund",
  stores: "little",
  summary: "Read the fund that this access key sponsors from.",
  description: "Amounts are exact JSON integers of MIST.",
  rights: ["gas"],
  idempotent: false,
  params: z.object({}),
  result: z.object({
    network: suiNetworkSchema.describe("The network that the fund is tied to."),
    name: z.string(),
    balance: u64Output.describe("MIST."),
    inFlight: u64Output.describe("MIST withheld for active sponsorships."),
    depositAddress: z.string().nullable().describe("Sui address; null while none has been created."),
    unconverted: z
      .object({
        amount: u64Output.describe("MIST."),
        coins: z.int().describe("The coins to convert, at most 1,000. 0 for an address balance."),
        cause: z.string(),
      })
      .exactOptional()
      .describe(
        "The part of the balance that pays for nothing before the fund has converted it. Absent if there is none.",
      ),
  }),
  errors: [],
  example: fundExample,
});

const signedAmount = z.string().regex(/^-?[0-9]{1,39}$/);
const simulation = z
  .object({
    gasUsed: signedAmount.describe("MIST, less the storage rebate; may be negative."),
    balanceChanges: z
      .array(z.object({ address: z.string(), coinType: z.string(), amount: signedAmount }))
      .readonly()
      .nullable()
      .describe("The changes of every address, the fund and its gas included. null if the node names none."),
  })
  .describe("The result of the dry run, if `simulate` was set.");

/** The contract of `gas_prepareTransactionBlock`. */
export const suiPrepareTransactionBlock = contract({
  name: "gas_prepareTransactionBlock",
  stores: "promise",
  summary: "Attach a gas object of the fund to a transaction kind, without signing.",
  description:
    "Holds the gas object for ten minutes. The sponsor signs only in `gas_executeTransactionBlock`. An abandoned sponsorship costs nothing, and no signature can leak.",
  rights: ["gas"],
  idempotent: true,
  params: sponsorParams.extend({
    maxGasBudget: u64Input
      .optional()
      .describe("MIST. If a dry run sets a higher budget than this, the call is refused and holds no coin."),
    simulate: z
      .boolean()
      .optional()
      .describe(
        "Makes a dry run also with a gasBudget, refuses a transaction that would fail, and returns the result.",
      ),
  }),
  result: z.object({ ...wrapped, expireAtTime, simulation: simulation.exactOptional() }),
  errors: suiSponsorErrors,
  example: prepareExample,
});

/** The schema of a request type, by the names of Sui's JSON-RPC. */
export const requestType = z.enum(["WaitForEffectsCert", "WaitForLocalExecution"], {
  error: "must be WaitForEffectsCert or WaitForLocalExecution",
});
/** The description of a request type. */
export const REQUEST_TYPE =
  "WaitForLocalExecution waits until the node that executed the transaction also shows it to readers.";

/** The contract of `gas_executeTransactionBlock`. */
export const suiExecuteTransactionBlock = contract({
  name: "gas_executeTransactionBlock",
  stores: "little",
  summary: "Sign a prepared transaction as sponsor and execute it.",
  description:
    "Takes sponsorships of `gas_prepareTransactionBlock` and of `gas_sponsorTransactionBlock`. Safe to repeat: the same bytes are submitted, or the chain's answer is returned. An abort on chain is a result, not an error. The result is the JSON-RPC SuiTransactionBlockResponse.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    txDigest: transactionDigestSchema.describe("The digest that the sponsorship returned."),
    senderSignature: serializedSignatureSchema.describe("The sender's signature over txBytes."),
    requestType: requestType.optional().describe(`${REQUEST_TYPE} The default is WaitForEffectsCert.`),
  }),
  result: suiTransactionResponse,
  errors: [
    "unknown_sponsorship",
    "sponsorship_expired",
    "bad_signature",
    "fund_paused",
    "node_refused",
    "node_unavailable",
    "storage_budget",
    "outcome_unknown",
    "idempotency_conflict",
  ],
  example: executeExample,
});

/** The contracts of the gas interface of Sui. */
export const suiGas: ApiContract = {
  name: "sui-gas",
  title: "Gas Station API (Sui)",
  chain: "sui",
  path: "/sui/gas/v1",
  // The default path of npm @shinami/clients up to 0.9.4, and of handwritten integrations.
  oldPath: "/gas/v1",
  methods: [
    suiSponsorTransactionBlock,
    suiGetSponsoredTransactionBlockStatus,
    suiGetFund,
    suiPrepareTransactionBlock,
    suiExecuteTransactionBlock,
  ],
};
