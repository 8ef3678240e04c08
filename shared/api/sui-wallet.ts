import * as z from "zod";
import { contract, type ServiceContract } from "./contract.ts";
import { serializedSignature, suiAddress, transactionBytes, transactionDigest } from "./sui-values.ts";
import {
  createSessionExample,
  suiCreateWalletExample,
  suiExportWalletExample,
  suiGetWalletExample,
  suiImportWalletExample,
  suiSignPersonalMessageExample,
  suiSignTransactionBlockExample,
  suiSignTransactionExample,
} from "./wallet-examples.ts";
import {
  createSessionTerms,
  createWalletTerms,
  exportWalletTerms,
  getWalletTerms,
  importWalletTerms,
  secret,
  sessionToken,
  walletExport,
  walletId,
} from "./wallet-values.ts";

const walletAddress = suiAddress.describe("Sui address of the wallet.");

export const suiCreateSession = contract({
  name: "svc_key_createSession",
  ...createSessionTerms,
  example: createSessionExample,
});

export const suiCreateWallet = contract({
  name: "svc_wal_createWallet",
  ...createWalletTerms,
  params: z.object({ wallet_id: walletId, session_token: sessionToken }),
  result: walletAddress,
  example: suiCreateWalletExample,
});

export const suiGetWallet = contract({
  name: "svc_wal_getWallet",
  ...getWalletTerms,
  params: z.object({ wallet_id: walletId }),
  result: walletAddress,
  example: suiGetWalletExample,
});

const signature = serializedSignature.describe(
  "Serialized Ed25519 signature: `0x00 ‖ signature ‖ public key` in base64.",
);

/** What the two methods that sign a transaction have in common. */
const signTerms = {
  summary: "Sign a transaction with the wallet's key.",
  rights: ["wallet"],
  idempotent: false,
  params: z.object({
    wallet_id: walletId,
    session_token: sessionToken,
    tx_bytes: transactionBytes.describe("BCS of the transaction data, at most 128 KiB."),
  }),
  errors: ["bad_session_token", "unknown_wallet", "wrong_secret", "corrupt_record", "master_key_missing"],
} as const;

const SIGNS_AS_IS =
  "Signs the bytes as they are, under the TransactionData intent: whether they are a transaction, and what it does, is for the caller to know. Nothing is sent to the chain.";

export const suiSignTransaction = contract({
  name: "svc_wal_signTransaction",
  ...signTerms,
  description: SIGNS_AS_IS,
  result: signature,
  example: suiSignTransactionExample,
});

export const suiSignTransactionBlock = contract({
  name: "svc_wal_signTransactionBlock",
  ...signTerms,
  description: `${SIGNS_AS_IS} \`svc_wal_signTransaction\` of \`/wallet/v1\`, with the digest in the answer.`,
  result: z.object({
    signature,
    txDigest: transactionDigest.describe("Base58 digest of the bytes as a transaction."),
  }),
  example: suiSignTransactionBlockExample,
});

export const suiSignPersonalMessage = contract({
  name: "svc_wal_signPersonalMessage",
  summary: "Sign a message with the wallet's key.",
  description:
    "Signs under the PersonalMessage intent, so that the signature can never be one of a transaction. The chain's SDK verifies it as that of the message.",
  rights: ["wallet"],
  idempotent: false,
  params: z.object({
    wallet_id: walletId,
    session_token: sessionToken,
    message: transactionBytes.describe("The message, at most 128 KiB."),
    wrap_bcs: z
      .boolean("must be true or false")
      .default(true)
      .describe("Whether the length of the message still has to be put in front of it, as BCS of bytes has it."),
  }),
  result: signature,
  errors: ["bad_session_token", "unknown_wallet", "wrong_secret", "corrupt_record", "master_key_missing"],
  example: suiSignPersonalMessageExample,
});

export const suiExportWallet = contract({
  name: "svc_wal_exportWallet",
  ...exportWalletTerms,
  params: z.object({ wallet_id: walletId, session_token: sessionToken }),
  example: suiExportWalletExample,
});

export const suiImportWallet = contract({
  name: "svc_wal_importWallet",
  ...importWalletTerms,
  params: z.object({ wallet_id: walletId, secret, export: walletExport }),
  result: walletAddress,
  example: suiImportWalletExample,
});

export const suiWallet: ServiceContract = {
  name: "sui-wallet",
  title: "In-app wallet API (Sui)",
  chain: "sui",
  path: "/wallet/v1",
  methods: [suiCreateSession, suiCreateWallet, suiGetWallet, suiSignTransaction, suiExportWallet, suiImportWallet],
  anyPrefix: true,
};

/** The same wallets on the paths, and by the methods, that deployed client libraries call. */
export const deployedSuiKey: ServiceContract = {
  name: "deployed-sui-key",
  title: "Wallet API (Sui) as client libraries speak it: sessions",
  chain: "sui",
  path: "/sui/key/v1",
  methods: [suiCreateSession],
  anyPrefix: true,
};

export const deployedSuiWallet: ServiceContract = {
  name: "deployed-sui-wallet",
  title: "Wallet API (Sui) as client libraries speak it: wallets",
  chain: "sui",
  path: "/sui/wallet/v1",
  methods: [suiCreateWallet, suiGetWallet, suiSignTransactionBlock, suiSignPersonalMessage],
  anyPrefix: true,
};
