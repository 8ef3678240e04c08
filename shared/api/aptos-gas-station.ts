import * as z from "zod";
import { MAX_SECONDARY_SIGNERS, MAX_TRANSACTION_BYTES, MAX_UNSIGNED_TRANSACTION_BYTES } from "../chain/aptos/limits.ts";
import { hashText, pendingTransaction } from "../chain/aptos/pending-transaction.ts";
import { aptosExecuteErrors } from "./aptos-gas.ts";
import { signAndSubmitExample } from "./aptos-gas-examples.ts";
import { byteNumbers } from "./aptos-values.ts";
import { contract } from "./contract.ts";
import type { RestContract } from "./rest.ts";

const MAX_TOKEN_CHARACTERS = 8_192;

const authenticator = byteNumbers(MAX_TRANSACTION_BYTES);

/** The contract of `POST /api/transaction/signAndSubmit`. */
export const aptosSignAndSubmit = contract({
  name: "gs_signAndSubmit",
  stores: "promise",
  summary: "Sign a transaction as its fee payer, and submit it.",
  description:
    "The sender and the secondary signers sign over the fee payer that the transaction names: `0x0`, or the fund's address. Safe to repeat: the same transaction is submitted under the same hash.",
  rights: ["gas"],
  idempotent: true,
  params: z.object({
    transactionBytes: byteNumbers(MAX_UNSIGNED_TRANSACTION_BYTES).describe(
      "BCS of the SDK's `SimpleTransaction` or `MultiAgentTransaction`, built with a fee payer.",
    ),
    senderAuth: authenticator.describe("BCS of the sender's account authenticator."),
    additionalSignersAuth: z
      .array(authenticator, "must be an array of authenticators")
      .max(MAX_SECONDARY_SIGNERS, `must be at most ${MAX_SECONDARY_SIGNERS} authenticators`)
      .optional()
      .describe("BCS of the secondary signers' account authenticators, in the order of the transaction."),
    recaptchaToken: z
      .string("must be a text")
      .max(MAX_TOKEN_CHARACTERS, `must have at most ${MAX_TOKEN_CHARACTERS} characters`)
      .optional()
      .describe("Ignored: the service judges no captcha."),
  }),
  result: z.object({
    transactionHash: hashText.describe("Look the transaction up by it."),
    pendingTransaction: pendingTransaction.describe("The transaction as the node shows it."),
  }),
  errors: aptosExecuteErrors,
  example: signAndSubmitExample,
});

/** The contract of `/gs/v1`, as clients of an Aptos gas station call it. */
export const aptosGasStation: RestContract = {
  name: "aptos-gas-station",
  title: "Gas station of the Aptos SDK's submitters",
  chain: "aptos",
  path: "/gs/v1",
  operations: [{ httpMethod: "POST", path: "/api/transaction/signAndSubmit", contract: aptosSignAndSubmit }],
  notServed: [],
  resultBody: (result) => result,
  // Clients throw the body as it is. Errors of Aptos nodes have `message` and `error_code`, too.
  errorBody: ({ code, message, data }) => ({ message, error_code: code, data }),
};
