import * as z from "zod";
import { aptosExecuteErrors, submitted } from "./aptos-gas.ts";
import {
  aptosAddress,
  ed25519AuthenticatorBytes,
  rawTransactionBytes,
  secondaryAddresses,
  secondarySigners,
} from "./aptos-values.ts";
import { type ApiContract, contract } from "./contract.ts";
import {
  aptosCreateWalletExample,
  aptosExecuteGaslessExample,
  aptosExportWalletExample,
  aptosGetWalletExample,
  aptosImportWalletExample,
  aptosSignTransactionExample,
  createSessionExample,
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

const wallet = z.object({ accountAddress: aptosAddress.describe("Aptos address of the wallet.") });

/** The contract of `key_createSession`. */
export const aptosCreateSession = contract({
  name: "key_createSession",
  stores: "promise",
  ...createSessionBase,
  example: createSessionExample,
});

/** The contract of `wal_createWallet`. */
export const aptosCreateWallet = contract({
  name: "wal_createWallet",
  stores: "objects",
  ...createWalletBase,
  params: z.object({ walletId, sessionToken }),
  result: wallet,
  example: aptosCreateWalletExample,
});

/** Rights of the methods that need a key with a fund. */
const onChain = ["wallet", "gas", "node"] as const;

/** Errors of each method that uses the key of an existing wallet. */
const walletErrors = [
  "bad_session_token",
  "unknown_wallet",
  "wrong_secret",
  "corrupt_record",
  "master_key_missing",
] as const;

/** The method has no key of an attempt. A repeat is safe without an Idempotency-Key. */
const initializeErrors = aptosExecuteErrors.filter((reason) => reason !== "idempotency_conflict");

/** The contract of `wal_initializeWalletOnChain`. */
export const aptosInitializeWalletOnChain = contract({
  name: "wal_initializeWalletOnChain",
  stores: "promise",
  summary: "Make the wallet's account on chain.",
  description:
    "The wallet sends a transaction that does nothing, and the fund pays for it. The chain needs a moment. A second call meanwhile gets the same answer. A wallet that is on the chain already is refused with -32013.",
  rights: onChain,
  idempotent: false,
  params: z.object({ walletId, sessionToken }),
  result: wallet,
  errors: [...walletErrors, "already_initialized", ...initializeErrors],
  example: aptosCreateWalletExample,
});

/** The contract of the method that creates a wallet and its account on chain. */
export const aptosCreateWalletOnChain = contract({
  name: "wal_createWalletOnChain",
  stores: "objects",
  summary: "Create a wallet, and make its account on chain.",
  description:
    "`wal_createWallet` and then `wal_initializeWalletOnChain`. The service first checks that the fund can pay. If the second step is refused all the same, the wallet exists, and `wal_initializeWalletOnChain` continues.",
  rights: onChain,
  idempotent: true,
  params: z.object({ walletId, sessionToken }),
  result: wallet,
  errors: [...walletErrors, "wallet_exists", "quota_reached", ...aptosExecuteErrors],
  example: aptosCreateWalletExample,
});

/** The contract of `wal_getWallet`. */
export const aptosGetWallet = contract({
  name: "wal_getWallet",
  stores: "little",
  ...getWalletBase,
  params: z.object({ walletId }),
  result: wallet,
  example: aptosGetWalletExample,
});

/** The contract of `wal_signTransaction`. */
export const aptosSignTransaction = contract({
  name: "wal_signTransaction",
  stores: "little",
  summary: "Sign a transaction as its sender, with the wallet's key.",
  description:
    "Nothing is sent to the chain. The sender must exist there before the transaction is submitted. An empty list of secondary addresses is the same as none.",
  rights: ["wallet"],
  idempotent: false,
  params: z.object({
    walletId,
    sessionToken,
    rawTransaction: rawTransactionBytes.describe("BCS of the raw transaction: hex, or an array of numbers."),
    secondaryAddresses: secondaryAddresses
      .optional()
      .describe("The signers of a multi-agent transaction beside the sender, in their order."),
    feePayerAddress: aptosAddress
      .optional()
      .describe("The address that pays the gas, if the sender does not. `0x0` if it is not known yet."),
  }),
  result: z.object({
    signature: ed25519AuthenticatorBytes.describe("BCS of the account authenticator."),
  }),
  errors: [
    ...walletErrors,
    "non_canonical_bytes",
    "unsupported_transaction",
    "wrong_sender",
    "wrong_chain_id",
    "duplicate_signer",
  ],
  example: aptosSignTransactionExample,
});

/** The contract of `wal_executeGaslessTransaction`. */
export const aptosExecuteGaslessTransaction = contract({
  name: "wal_executeGaslessTransaction",
  stores: "promise",
  summary: "Sign a transaction as its sender, have the fund pay for it, and submit it.",
  description:
    "The fund is the fee payer. Secondary signers sign over the fund's address in that place, or over `0x0`. The first transaction of a wallet, with the sequence number 0, makes its account on chain. The answer comes before the chain has executed the transaction: look up the `hash`. Safe to repeat: the same transaction is submitted under the same hash. Orderless transactions are refused, unless the policies of the key and its fund allow them.",
  rights: onChain,
  idempotent: true,
  params: z.object({
    walletId,
    sessionToken,
    rawTransaction: rawTransactionBytes.describe("BCS of the raw transaction: hex, or an array of numbers."),
    secondarySigners: secondarySigners
      .optional()
      .describe("The signers of a multi-agent transaction beside the sender, in their order, with their signatures."),
  }),
  result: submitted,
  errors: [...walletErrors, "wrong_sender", ...aptosExecuteErrors],
  example: aptosExecuteGaslessExample,
});

/** The contract of `wal_exportWallet`. */
export const aptosExportWallet = contract({
  name: "wal_exportWallet",
  stores: "little",
  ...exportWalletBase,
  params: z.object({ walletId, sessionToken }),
  example: aptosExportWalletExample,
});

/** The contract of `wal_importWallet`. */
export const aptosImportWallet = contract({
  name: "wal_importWallet",
  stores: "objects",
  ...importWalletBase,
  params: z.object({ walletId, secret, export: walletExport }),
  result: wallet,
  example: aptosImportWalletExample,
});

/** The contracts of the interface of sessions for Aptos wallets. */
export const aptosKey: ApiContract = {
  name: "aptos-key",
  title: "Invisible Wallet API (Aptos): sessions",
  chain: "aptos",
  path: "/aptos/key/v1",
  methods: [aptosCreateSession],
};

/** The contracts of the wallet interface of Aptos. */
export const aptosWallet: ApiContract = {
  name: "aptos-wallet",
  title: "Invisible Wallet API (Aptos): wallets",
  chain: "aptos",
  path: "/aptos/wallet/v1",
  methods: [
    aptosCreateWallet,
    aptosInitializeWalletOnChain,
    aptosCreateWalletOnChain,
    aptosGetWallet,
    aptosSignTransaction,
    aptosExecuteGaslessTransaction,
    aptosExportWallet,
    aptosImportWallet,
  ],
};
