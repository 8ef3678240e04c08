import {
  aptosCreateSession,
  aptosCreateWallet,
  aptosCreateWalletOnChain,
  aptosExecuteGaslessTransaction,
  aptosExportWallet,
  aptosGetWallet,
  aptosImportWallet,
  aptosInitializeWalletOnChain,
  aptosKey,
  aptosSignTransaction,
  aptosWallet,
} from "../api/aptos-wallet.ts";
import {
  suiCreateSession,
  suiCreateWallet,
  suiExecuteGasless,
  suiExecuteGaslessBlock,
  suiExportWallet,
  suiGetWallet,
  suiImportWallet,
  suiSignPersonalMessage,
  suiSignTransaction,
  suiSignTransactionBlock,
} from "../api/sui-wallet.ts";
import {
  DEPLOYED_SUI_KEY_PATH,
  DEPLOYED_SUI_WALLET_PATH,
  SUI_WALLET_PATH,
  SUI_WALLET_V2_PATH,
} from "../api/sui-wallet-aliases.ts";
import { suiExecuteGaslessV2 } from "../api/sui-wallet-v2.ts";
import { bind, methodsAt } from "./bind.ts";
import type { RpcClientOptions } from "./rpc-client.ts";

/** Clients of the wallet interfaces, for Workers and Node. They work as `createSuiGasClient`. */

/** The methods of `/aptos/key/v1`. */
export const aptosKeyMethods = methodsAt(aptosKey.path, { createSession: aptosCreateSession });

/** The methods of `/aptos/wallet/v1`. */
export const aptosWalletMethods = methodsAt(aptosWallet.path, {
  createWallet: aptosCreateWallet,
  createWalletOnChain: aptosCreateWalletOnChain,
  initializeWalletOnChain: aptosInitializeWalletOnChain,
  getWallet: aptosGetWallet,
  signTransaction: aptosSignTransaction,
  executeGaslessTransaction: aptosExecuteGaslessTransaction,
  exportWallet: aptosExportWallet,
  importWallet: aptosImportWallet,
});

/** The methods of `/wallet/v1`. */
export const suiWalletMethods = methodsAt(SUI_WALLET_PATH, {
  createSession: suiCreateSession,
  createWallet: suiCreateWallet,
  getWallet: suiGetWallet,
  signTransaction: suiSignTransaction,
  signTransactionBlock: suiSignTransactionBlock,
  signPersonalMessage: suiSignPersonalMessage,
  executeGaslessTransaction: suiExecuteGasless,
  executeGaslessTransactionBlock: suiExecuteGaslessBlock,
  exportWallet: suiExportWallet,
  importWallet: suiImportWallet,
});

/** The methods of `/sui/key/v1`. */
export const deployedSuiKeyMethods = methodsAt(DEPLOYED_SUI_KEY_PATH, { createSession: suiCreateSession });

/** The methods of `/sui/wallet/v1`. */
export const deployedSuiWalletMethods = methodsAt(DEPLOYED_SUI_WALLET_PATH, {
  createWallet: suiCreateWallet,
  getWallet: suiGetWallet,
  signTransactionBlock: suiSignTransactionBlock,
  signPersonalMessage: suiSignPersonalMessage,
  executeGaslessTransactionBlock: suiExecuteGaslessBlock,
});

/** The methods of `/sui/wallet/v2`. */
export const suiWalletV2Methods = methodsAt(SUI_WALLET_V2_PATH, {
  createWallet: suiCreateWallet,
  getWallet: suiGetWallet,
  signTransaction: suiSignTransaction,
  signTransactionBlock: suiSignTransactionBlock,
  signPersonalMessage: suiSignPersonalMessage,
  executeGaslessTransaction: suiExecuteGaslessV2,
});

/** A client of the Aptos wallet interfaces. */
export type AptosWalletClient = ReturnType<typeof createAptosWalletClient>;
/** A client of the Sui wallet interface. */
export type SuiWalletClient = ReturnType<typeof createSuiWalletClient>;
/** A client of the second version of the Sui wallet interface. */
export type SuiWalletV2Client = ReturnType<typeof createSuiWalletV2Client>;
/** A client of the Sui wallet interface that deployed client libraries call. */
export type DeployedSuiWalletClient = ReturnType<typeof createDeployedSuiWalletClient>;

/** Creates a client of `/aptos/key/v1` and `/aptos/wallet/v1`. */
export function createAptosWalletClient(options: RpcClientOptions) {
  return { ...bind(aptosKeyMethods, options), ...bind(aptosWalletMethods, options) };
}

/** Creates a client of `/wallet/v1`. */
export function createSuiWalletClient(options: RpcClientOptions) {
  return bind(suiWalletMethods, options);
}

/**
 * Creates a client of `/sui/key/v1` and `/sui/wallet/v1`. Deployed client libraries call the same wallets by these
 * methods.
 */
export function createDeployedSuiWalletClient(options: RpcClientOptions) {
  return { ...bind(deployedSuiKeyMethods, options), ...bind(deployedSuiWalletMethods, options) };
}

/** Creates a client of `/sui/wallet/v2`. Its executions answer with the protobuf JSON of a node. */
export function createSuiWalletV2Client(options: RpcClientOptions) {
  return bind(suiWalletV2Methods, options);
}
