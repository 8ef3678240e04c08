import * as z from "zod";
import { u64Input } from "../amounts.ts";
import { responseOptions, shownResponseSchema } from "../chain/sui/json-rpc/response-options.ts";
import { suiTransactionResponse } from "../chain/sui/json-rpc/response-schema.ts";
import { contract } from "./contract.ts";
import { REQUEST_TYPE, requestType, suiSponsorErrors } from "./sui-gas.ts";
import { base64Bytes, serializedSignatureSchema, suiAddress, transactionDigestSchema } from "./sui-values.ts";
import {
  createSessionExample,
  suiCreateWalletExample,
  suiExecuteGaslessBlockExample,
  suiExecuteGaslessExample,
  suiExportWalletExample,
  suiGetWalletExample,
  suiImportWalletExample,
  suiSignPersonalMessageExample,
  suiSignTransactionBlockExample,
  suiSignTransactionExample,
} from "./wallet-examples.ts";
import {
  createSessionBase,
  createWalletBase,
  exportWalletBase,
  getWalletBase,
  importWalletBase,
  secret,
  sessionToken,
  walletExport,
  walletId,
} from "./wallet-values.ts";

const walletAddress = suiAddress.describe("Sui address of the wallet.");

/** The contract of the method that creates sessions. */
export const suiCreateSession = contract({
  name: "svc_key_createSession",
  stores: "promise",
  ...createSessionBase,
  example: createSessionExample,
});

/** The contract of the method that creates wallets. */
export const suiCreateWallet = contract({
  name: "svc_wal_createWallet",
  stores: "objects",
  ...createWalletBase,
  params: z.object({ wallet_id: walletId, session_token: sessionToken }),
  result: walletAddress,
  example: suiCreateWalletExample,
});

/** The contract of the method that reads a wallet's address. */
export const suiGetWallet = contract({
  name: "svc_wal_getWallet",
  stores: "little",
  ...getWalletBase,
  params: z.object({ wallet_id: walletId }),
  result: walletAddress,
  example: suiGetWalletExample,
});

const signature = serializedSignatureSchema.describe(
  "Serialized Ed25519 signature: `0x00 ‖ signature ‖ public key` in base64.",
);

/** Shared by the two methods that sign a transaction. */
const signBase = {
  summary: "Sign a transaction with the wallet's key.",
  rights: ["wallet"],
  idempotent: false,
  params: z.object({
    wallet_id: walletId,
    session_token: sessionToken,
    tx_bytes: base64Bytes.describe("BCS of the transaction data, at most 128 KiB."),
  }),
  errors: ["bad_session_token", "unknown_wallet", "wrong_secret", "corrupt_record", "master_key_missing"],
} as const;

const SIGNS_AS_IS =
  "Signs the bytes as they are, under the TransactionData intent. The service does not check that they are a transaction, or its effects. Nothing is sent to the chain.";

/** The contract of `svc_wal_signTransaction`. */
export const suiSignTransaction = contract({
  name: "svc_wal_signTransaction",
  stores: "little",
  ...signBase,
  description: SIGNS_AS_IS,
  result: signature,
  example: suiSignTransactionExample,
});

/** The contract of `svc_wal_signTransactionBlock`. */
export const suiSignTransactionBlock = contract({
  name: "svc_wal_signTransactionBlock",
  stores: "little",
  ...signBase,
  description: `${SIGNS_AS_IS} \`svc_wal_signTransaction\` of \`/wallet/v1\`, with the digest in the result.`,
  result: z.object({
    signature,
    txDigest: transactionDigestSchema.describe("Base58 digest of the bytes as a transaction."),
  }),
  example: suiSignTransactionBlockExample,
});

/** The contract of `svc_wal_signPersonalMessage`. */
export const suiSignPersonalMessage = contract({
  name: "svc_wal_signPersonalMessage",
  stores: "little",
  summary: "Sign a message with the wallet's key.",
  description:
    "Signs under the PersonalMessage intent, so that the signature never fits a transaction. The chain's SDK verifies it for the message.",
  rights: ["wallet"],
  idempotent: false,
  params: z.object({
    wallet_id: walletId,
    session_token: sessionToken,
    message: base64Bytes.describe("The message, at most 128 KiB."),
    wrap_bcs: z
      .boolean("must be true or false")
      .default(true)
      .describe("true puts the length of the message in front of it, as BCS of bytes has it."),
  }),
  result: signature,
  errors: ["bad_session_token", "unknown_wallet", "wrong_secret", "corrupt_record", "master_key_missing"],
  example: suiSignPersonalMessageExample,
});

/** Shared by the methods that sponsor, sign and execute. */
export const executeBase = {
  summary: "Sign a transaction as its sender, have the fund pay for it, and execute it.",
  rights: ["wallet", "gas"],
  idempotent: true,
  errors: [
    "bad_session_token",
    "unknown_wallet",
    "wrong_secret",
    "corrupt_record",
    "master_key_missing",
    "wrong_sender",
    ...suiSponsorErrors,
    "sponsorship_expired",
    "node_refused",
    "outcome_unknown",
  ],
} as const;

/** The part of their descriptions with the guarantees for a caller. */
export const WHAT_IS_EXECUTED =
  "An abort on chain is a result, not an error. After error -32002 the node has refused the transaction and executed nothing. After -32017 a node may have refused it, and another may execute it yet: look up the digest, or repeat the call with the same Idempotency-Key. Two calls without a key are two transactions.";

/** The params that they begin with. */
export const executeParams = {
  wallet_id: walletId,
  session_token: sessionToken,
  tx_bytes: base64Bytes.describe(
    "BCS of the transaction data, with the wallet as sender, or of the transaction kind. They are tried in this order. Gas data is discarded. Leave the expiration out: the fund sets its own.",
  ),
};

/** The gas budget of their calls. */
export const gasBudget = u64Input
  .optional()
  .describe("MIST. The transaction fails if its gas costs more. If it is left out, a dry run sets it.");

/** The contract of `svc_wal_executeGaslessTransaction`. */
export const suiExecuteGasless = contract({
  name: "svc_wal_executeGaslessTransaction",
  stores: "promise",
  ...executeBase,
  description: `The result is the JSON-RPC SuiTransactionBlockResponse. ${WHAT_IS_EXECUTED}`,
  params: z.object({
    ...executeParams,
    gas_budget: gasBudget,
    request_type: requestType.optional().describe(`${REQUEST_TYPE} The default is WaitForEffectsCert.`),
  }),
  result: suiTransactionResponse,
  example: suiExecuteGaslessExample,
});

const OPTIONS_AT = Object.keys(executeParams).length + 1;

/** The contract of `svc_wal_executeGaslessTransactionBlock`. */
export const suiExecuteGaslessBlock = contract({
  name: "svc_wal_executeGaslessTransactionBlock",
  stores: "promise",
  ...executeBase,
  description: `\`svc_wal_executeGaslessTransaction\` as client libraries call it. The result has only the parts that the options show. ${WHAT_IS_EXECUTED} Without options the result is the digest alone, also after an abort.`,
  params: z.object({
    ...executeParams,
    gas_budget: gasBudget,
    options: responseOptions
      .optional()
      .describe(
        "The parts of the result beside the digest. A request type in this position counts as the request type.",
      ),
    request_type: requestType
      .optional()
      .describe(`${REQUEST_TYPE} The default is WaitForLocalExecution if effects are shown.`),
    gas_price: u64Input
      .optional()
      .describe(
        "MIST per gas unit, at least the current reference gas price. If it is left out, the reference gas price is used.",
      ),
  }),
  // The specification's own method has the request type in the place of this method's options.
  normalizePositional: (params) =>
    typeof params[OPTIONS_AT] === "string" ? params.toSpliced(OPTIONS_AT, 0, null) : params,
  result: shownResponseSchema,
  example: suiExecuteGaslessBlockExample,
});

/** The contract of the method that exports a wallet. */
export const suiExportWallet = contract({
  name: "svc_wal_exportWallet",
  stores: "little",
  ...exportWalletBase,
  params: z.object({ wallet_id: walletId, session_token: sessionToken }),
  example: suiExportWalletExample,
});

/** The contract of the method that imports a wallet. */
export const suiImportWallet = contract({
  name: "svc_wal_importWallet",
  stores: "objects",
  ...importWalletBase,
  params: z.object({ wallet_id: walletId, secret, export: walletExport }),
  result: walletAddress,
  example: suiImportWalletExample,
});
