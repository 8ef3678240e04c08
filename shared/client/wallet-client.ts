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
import { DEPLOYED_SUI_KEY_PATH, DEPLOYED_SUI_WALLET_PATH, SUI_WALLET_PATH } from "../api/sui-wallet-aliases.ts";
import { createRpcClient, type RpcClientOptions } from "./rpc-client.ts";

/** Clients of the wallet interfaces, for Workers and Node. They behave as `createSuiGasClient`. */

export type AptosWalletClient = ReturnType<typeof createAptosWalletClient>;
/** A client of the Sui wallet interface. */
export type SuiWalletClient = ReturnType<typeof createSuiWalletClient>;
/** A client of the Sui wallet interface that deployed client libraries call. */
export type DeployedSuiWalletClient = ReturnType<typeof createDeployedSuiWalletClient>;

/** Creates a client of `/aptos/key/v1` and `/aptos/wallet/v1`. */
export function createAptosWalletClient(options: RpcClientOptions) {
  const sessions = createRpcClient(aptosKey.path, options);
  const wallets = createRpcClient(aptosWallet.path, options);
  return {
    createSession: sessions(aptosCreateSession),
    createWallet: wallets(aptosCreateWallet),
    createWalletOnChain: wallets(aptosCreateWalletOnChain),
    initializeWalletOnChain: wallets(aptosInitializeWalletOnChain),
    getWallet: wallets(aptosGetWallet),
    signTransaction: wallets(aptosSignTransaction),
    executeGaslessTransaction: wallets(aptosExecuteGaslessTransaction),
    exportWallet: wallets(aptosExportWallet),
    importWallet: wallets(aptosImportWallet),
  };
}

/** Creates a client of `/wallet/v1`. */
export function createSuiWalletClient(options: RpcClientOptions) {
  const method = createRpcClient(SUI_WALLET_PATH, options);
  return {
    createSession: method(suiCreateSession),
    createWallet: method(suiCreateWallet),
    getWallet: method(suiGetWallet),
    signTransaction: method(suiSignTransaction),
    signTransactionBlock: method(suiSignTransactionBlock),
    signPersonalMessage: method(suiSignPersonalMessage),
    executeGaslessTransaction: method(suiExecuteGasless),
    executeGaslessTransactionBlock: method(suiExecuteGaslessBlock),
    exportWallet: method(suiExportWallet),
    importWallet: method(suiImportWallet),
  };
}

/**
 * Creates a client of `/sui/key/v1` and `/sui/wallet/v1`. Deployed client libraries call the same wallets by these
 * methods.
 */
export function createDeployedSuiWalletClient(options: RpcClientOptions) {
  const sessions = createRpcClient(DEPLOYED_SUI_KEY_PATH, options);
  const wallets = createRpcClient(DEPLOYED_SUI_WALLET_PATH, options);
  return {
    createSession: sessions(suiCreateSession),
    createWallet: wallets(suiCreateWallet),
    getWallet: wallets(suiGetWallet),
    signTransactionBlock: wallets(suiSignTransactionBlock),
    signPersonalMessage: wallets(suiSignPersonalMessage),
    executeGaslessTransactionBlock: wallets(suiExecuteGaslessBlock),
  };
}
