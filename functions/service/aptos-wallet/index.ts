import { aptosWallet } from "../../../shared/api/aptos-wallet.ts";
import type { JsonRpcApi } from "../json-rpc-api.ts";
import { wal_createWallet } from "./wal_createWallet.ts";
import { wal_createWalletOnChain } from "./wal_createWalletOnChain.ts";
import { wal_executeGaslessTransaction } from "./wal_executeGaslessTransaction.ts";
import { wal_exportWallet } from "./wal_exportWallet.ts";
import { wal_getWallet } from "./wal_getWallet.ts";
import { wal_importWallet } from "./wal_importWallet.ts";
import { wal_initializeWalletOnChain } from "./wal_initializeWalletOnChain.ts";
import { wal_signTransaction } from "./wal_signTransaction.ts";

/** The wallet interface of Aptos, with its handlers. */
export const aptosWalletApi: JsonRpcApi = {
  contract: aptosWallet,
  handlers: [
    wal_createWallet,
    wal_initializeWalletOnChain,
    wal_createWalletOnChain,
    wal_getWallet,
    wal_signTransaction,
    wal_executeGaslessTransaction,
    wal_exportWallet,
    wal_importWallet,
  ],
};
