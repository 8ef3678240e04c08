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

/** Clients of the wallet interfaces, for Workers and Node. As `createSuiGasClient`. */

export type AptosWalletClient = ReturnType<typeof createAptosWalletClient>;
export type SuiWalletClient = ReturnType<typeof createSuiWalletClient>;
export type DeployedSuiWalletClient = ReturnType<typeof createDeployedSuiWalletClient>;

/** `/aptos/key/v1` and `/aptos/wallet/v1`. */
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

/** `/wallet/v1`. */
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

/** `/sui/key/v1` and `/sui/wallet/v1`: the same wallets by the methods that deployed client libraries call. */
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
